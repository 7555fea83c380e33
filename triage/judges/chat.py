"""One careful line to a chat model: bounds on pace and number, and a reply that is a JSON object or a fault."""

from __future__ import annotations

import json
import math
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from triage.judges.prompts import messages
from triage.judges.setups import LlmSetup

if TYPE_CHECKING:
    from openai import OpenAI

#: Characters of a reply that are kept.
LONGEST_REPLY = 4_000
#: Faults of the line in a row after which the judge gives the whole item back, to be tried again later.
FAULTS_IN_A_ROW = 3
MAX_REPLY_TOKENS = 200


class LineDownError(Exception):
    """The endpoint does not answer; the message says what it last said."""


class SpentError(Exception):
    """The run's budget of calls is used up."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. Exactly one of `body` and `fault` is set; `raw` is the model's own words."""

    body: Mapping[str, Any] | None
    fault: str
    raw: str
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass
class Chat:
    """The line to one model. Thread-safe."""

    setup: LlmSetup
    #: Calls the run has paid for already, and how many this line made.
    spent: int = 0
    _client: OpenAI | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _next_at: float = 0.0
    _faults: int = 0

    def ask(
        self, instructions: str, schema: dict[str, Any], parts: dict[str, str], *, max_tokens: int = MAX_REPLY_TOKENS
    ) -> Reply:
        """Ask once. Raises SpentError, and LineDownError after `FAULTS_IN_A_ROW` calls that did not get through."""
        from openai import APIConnectionError, APIError, APIStatusError

        try:
            chat: Any = messages(instructions, parts, secrets.token_hex(8))
        except ValueError as fault:
            return Reply(None, str(fault), "")
        self._take_turn()
        try:
            done = self._line().chat.completions.create(
                model=self.setup.model,
                messages=chat,
                temperature=0,
                max_completion_tokens=max_tokens,
                response_format={
                    "type": "json_schema",
                    "json_schema": {"name": "verdict", "strict": True, "schema": schema},
                },
            )
        except (APIConnectionError, APIStatusError) as fault:
            return self._failed(f"{type(fault).__name__}: {str(fault)[:300]}", is_final=_is_final(fault))
        except (APIError, ValueError, TypeError) as fault:
            return self._failed(f"the endpoint's reply is no chat completion: {str(fault)[:300]}", is_final=False)
        with self._lock:
            self._faults = 0
        return _read(done)

    def _take_turn(self) -> None:
        """Count the call and wait for its place in the minute."""
        with self._lock:
            bound = self.setup.max_calls_per_run
            if bound and self.spent >= bound:
                raise SpentError(f"the budget of {bound} calls for this run is used up")
            self.spent += 1
            now = time.monotonic()
            wait, self._next_at = (
                max(0.0, self._next_at - now),
                max(self._next_at, now) + 60 / self.setup.requests_per_minute,
            )
        time.sleep(wait)

    def _failed(self, told: str, *, is_final: bool) -> Reply:
        with self._lock:
            self._faults += 1
            is_down = is_final or self._faults >= FAULTS_IN_A_ROW
        if is_down:
            raise LineDownError(told)
        return Reply(None, told, "")

    def _line(self) -> OpenAI:
        from openai import OpenAI

        with self._lock:
            if self._client is None:
                key = self.setup.api_key.get_secret_value()
                if self.setup.api_key_file:
                    key = Path(self.setup.api_key_file).read_text(encoding="utf-8").strip()
                self._client = OpenAI(
                    base_url=self.setup.endpoint,
                    api_key=key or "none",
                    timeout=self.setup.timeout_s,
                    max_retries=self.setup.retries,
                )
            return self._client


def _is_final(fault: Exception) -> bool:
    """Say whether asking again cannot help: a refused key, a model that is not there, a request it cannot read."""
    return getattr(fault, "status_code", 0) in {400, 401, 403, 404, 422}


def _read(done: Any) -> Reply:  # noqa: ANN401 - whatever the endpoint sent, checked here
    """Return the reply as a JSON object, or as a fault with the model's words."""
    choices = getattr(done, "choices", None) or []
    raw = str(getattr(getattr(choices[0], "message", None), "content", None) or "") if choices else ""
    usage = getattr(done, "usage", None)
    tokens = (_count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))
    body = strict_object(raw)
    if body is None:
        return Reply(None, "the verdict cannot be read: it is no JSON object", raw[:LONGEST_REPLY], *tokens)
    return Reply(body, "", raw[:LONGEST_REPLY], *tokens)


def _count(usage: object, name: str) -> int:
    value = getattr(usage, name, 0)
    return value if isinstance(value, int) and value >= 0 else 0


def strict_object(raw: str) -> dict[str, Any] | None:
    """Return the JSON object that `raw` is, whole; None for anything else, a number in prose included."""
    try:
        body = json.loads(raw, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is no JSON number")


def unit_number(value: object) -> float | None:
    """Return a number in [0, 1]; None for anything else. Never clamped."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and 0.0 <= value <= 1.0 else None
