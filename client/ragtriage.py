"""RAG Triage from Python: send a run, wait for it, ask the gate, take files out, check answers: one file, alone.

    from ragtriage import Client
    client = Client("https://triage.example.org", token=os.environ["RAG_TRIAGE_TOKEN"])
    run = client.wait(client.upload_run("november.jsonl"))
    assert client.gate(run.key).passed

Copy this file beside your own code. It needs Python 3.11 or newer and nothing else.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import random
import shutil
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

__all__ = [
    "ApiError",
    "AwayError",
    "Checked",
    "Claim",
    "Client",
    "Gate",
    "GateResult",
    "ImportFailedError",
    "RagTriageError",
    "Run",
    "RunFailedError",
    "WebhookError",
    "verify_webhook",
]

#: Worth another try, with the same Idempotency-Key: too many calls, or a part of the server away for a moment.
AGAIN = frozenset({429, 502, 503, 504})
ENDED = frozenset({"done", "failed", "cancelled"})


class RagTriageError(Exception):
    """Anything that went wrong."""


class ApiError(RagTriageError):
    """The server refused: its own words, and what to do about it."""

    def __init__(self, problem: Mapping[str, Any], status: int) -> None:
        self.status = status
        #: Stays the same from version to version: "not_found", "scope", "invalid", ...
        self.code = str(problem.get("type", "")).rpartition(":")[2]
        self.detail = str(problem.get("detail") or f"HTTP {status}")
        self.field, self.remedy = problem.get("field"), problem.get("remedy")
        super().__init__(f"{self.detail} {self.remedy or ''}".strip() + f" (HTTP {status})")


class AwayError(RagTriageError):
    """The server could not be reached, however often it was tried."""


class ImportFailedError(RagTriageError):
    """The file was not imported; the message says why."""


class RunFailedError(RagTriageError):
    """The run ended without being classified; the message says why."""


class WebhookError(RagTriageError):
    """A message that is not from the server, or too old; the message says what is wrong with it."""


@dataclass(frozen=True)
class Run:
    """A run as the server tells it; `told` holds everything."""

    key: str
    name: str
    state: str
    classes: dict[str, int] | None
    metrics: dict[str, Any] | None
    told: Mapping[str, Any]


@dataclass(frozen=True)
class Gate:
    """One metric against the least it must be."""

    metric: str
    threshold: float
    value: float | None
    low: float | None
    high: float | None
    n: int
    result: str
    why: str = ""


@dataclass(frozen=True)
class GateResult:
    """Whether a run passes. `not_decided` is no pass: there are too few queries to tell."""

    result: Literal["pass", "fail", "not_decided"]
    gates: tuple[Gate, ...]

    @property
    def passed(self) -> bool:
        """Say whether every gate passes."""
        return self.result == "pass"

    def __str__(self) -> str:
        lines = [
            f"  {gate.result}: {gate.metric} {gate.value} of at least {gate.threshold}, n {gate.n} {gate.why}".rstrip()
            for gate in self.gates
        ]
        return "\n".join([self.result, *lines])


@dataclass(frozen=True)
class Claim:
    """One claim of an answer; `supported` None: the judge could not tell."""

    text: str
    span: tuple[int, int] | None
    supported: bool | None
    score: float | None
    chunk: str | None


@dataclass(frozen=True)
class Checked:
    """The word on one answer. Read `caveat`; an uncalibrated judge's word is a hint."""

    decision: Literal["allow", "flag", "block"]
    grounding_rate: float | None
    claims: tuple[Claim, ...]
    retrieval_confidence: float | None
    caveat: str
    judge: str
    calibrated: bool
    ms: float


class _NoRedirects(HTTPRedirectHandler):
    """A token goes to the server it is for, and nowhere else."""

    def redirect_request(self, *_args: Any, **_more: Any) -> None:
        return None


class Client:
    """Talks to one server with one token. `timeout_s` is for each call; `tries` counts the first."""

    def __init__(self, url: str, token: str, *, timeout_s: float = 60.0, tries: int = 5) -> None:
        if urlsplit(url).scheme not in {"http", "https"}:
            raise ValueError(f"{url!r} is no address: write https://your-server")
        self._url, self._token = url.rstrip("/") + "/api/v1", token
        self._timeout_s, self._tries = timeout_s, tries
        self._opener: OpenerDirector = build_opener(_NoRedirects)
        self._project = ""

    @property
    def project(self) -> str:
        """Return the slug of the token's project."""
        if not self._project:
            self._project = self._json("GET", "/token")["project"]
        return self._project

    def upload_run(
        self, source: str | Path | Sequence[Mapping[str, Any]], *, file_format: str = "", key: str = ""
    ) -> str:
        """Send a file, or rows as the run file has them, and return the key of the upload.

        `key`: your own Idempotency-Key, such as the build's id: sent twice, the file is imported once.
        """
        body: bytes | Path
        if isinstance(source, str | Path):
            name, body = Path(source).name, Path(source)
        else:
            name, body = "rows.jsonl", "".join(json.dumps(row, allow_nan=False) + "\n" for row in source).encode()
        asked = urlencode({"file_name": name} | ({"file_format": file_format} if file_format else {}))
        told = self._json("POST", f"/projects/{self.project}/uploads?{asked}", body=body, key=key)
        return str(told["key"])

    def wait(self, upload: str, *, timeout_s: float = 3600.0, every_s: float = 2.0) -> Run:
        """Wait until an upload's run is classified and return it.

        Raises ImportFailedError, RunFailedError, or TimeoutError.
        """
        until = time.monotonic() + timeout_s
        run = ""
        while True:
            if not run:
                told = self._json("GET", f"/uploads/{quote(upload, safe='')}")
                if told["state"] in {"failed", "cancelled"}:
                    raise ImportFailedError(told["reason"] or told["state"])
                run = told["run"] or ""
            if run and (found := self.run(run)).state in ENDED:
                if found.state != "done":
                    raise RunFailedError(found.told["state_reason"] or found.state)
                return found
            if time.monotonic() > until:
                raise TimeoutError(f"not done after {timeout_s:g} s: upload {upload}, run {run or 'not there yet'}")
            time.sleep(every_s)

    def run(self, key: str) -> Run:
        """Return one run."""
        told = self._json("GET", f"/runs/{quote(key, safe='')}")
        return Run(told["key"], told["name"], told["state"], told["classes"], told["metrics"], told)

    def runs(self, name: str = "") -> Iterator[Run]:
        """Yield the project's runs, the newest first."""
        after: str | None = ""
        while after is not None:
            asked = urlencode({"name": name} | ({"after": after} if after else {}))
            page = self._json("GET", f"/projects/{self.project}/runs?{asked}")
            for told in page["items"]:
                yield Run(told["key"], told["name"], told["state"], told["classes"], told["metrics"], told)
            after = page["next"]

    def gate(self, run: str, *, strict: bool = False) -> GateResult:
        """Return whether a run passes its project's gates. `strict`: by the values alone, so that all are decided."""
        told = self._json("GET", f"/runs/{quote(run, safe='')}/gate?strict={str(strict).lower()}")
        return GateResult(told["result"], tuple(Gate(**gate) for gate in told["gates"]))

    def report(self, run: str, to: str = "md", *, against: str = "") -> str:
        """Return the release note of a run as md, csv, json or html."""
        asked = urlencode({"to": to} | ({"against": against} if against else {}))
        return self._call("GET", f"/runs/{quote(run, safe='')}/report?{asked}").decode()

    def cancel(self, run: str) -> Run:
        """Stop a run for good and return it; its scores stay. One that has ended already is returned as it is."""
        told = self._json("POST", f"/runs/{quote(run, safe='')}/cancel")
        return Run(told["key"], told["name"], told["state"], told["classes"], told["metrics"], told)

    def export(self, run: str, what: str = "run", target: str | Path | BinaryIO | None = None, to: str = "") -> bytes:
        """Return a file of a run: run, verdicts, calibration, gold-patch, worklist.

        With a `target` it is streamed there, whatever its size, and nothing is returned (b""). A path is only ever a
        whole file: what comes in is written beside it and takes its name at the end.
        """
        asked = f"?{urlencode({'to': to})}" if to else ""
        path = f"/runs/{quote(run, safe='')}/export/{quote(what, safe='')}{asked}"
        if target is None:
            return self._call("GET", path)
        if not isinstance(target, str | Path):
            return self._call("GET", path, target=target)
        part = Path(f"{target}.part")
        try:
            with part.open("wb") as file:
                self._call("GET", path, target=file)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        return b""

    def check_grounding(
        self,
        question: str,
        answer: str,
        passages: Sequence[Mapping[str, Any] | str],
        claims: Sequence[str] | None = None,
    ) -> Checked:
        """Check one answer against its passages (texts, or objects with id, text and perhaps score)."""
        given = [{"id": str(n), "text": one} if isinstance(one, str) else one for n, one in enumerate(passages, 1)]
        body: dict[str, Any] = {"question": question, "answer": answer, "passages": given}
        if claims is not None:
            body["claims"] = list(claims)
        told = self._json("POST", f"/projects/{self.project}/check-grounding", body=json.dumps(body).encode())
        return Checked(
            decision=told["decision"],
            grounding_rate=told["grounding_rate"],
            claims=tuple(_claim(claim) for claim in told["claims"]),
            retrieval_confidence=told["retrieval_confidence"],
            caveat=told["caveat"],
            judge=told["judge"],
            calibrated=told["calibrated"],
            ms=told["ms"],
        )

    def _json(self, method: str, path: str, body: bytes | Path | None = None, key: str = "") -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self._call(method, path, body, key))
        return told

    def _call(
        self, method: str, path: str, body: bytes | Path | None = None, key: str = "", target: BinaryIO | None = None
    ) -> bytes:
        """Ask, and ask again with growing pauses while the server is busy or away; b"" when written to `target`.

        An answer that breaks off while it is written to `target` is not asked for again: what is written is written.
        """
        key = key or uuid.uuid4().hex
        for attempt in range(1, self._tries + 1):
            try:
                with self._once(method, path, body, key) as answer:
                    return _taken(answer, target)
            except HTTPError as fault:
                with fault:
                    error = ApiError(_problem(fault), fault.code)
                    pause_s = fault.headers.get("Retry-After") if fault.headers else None
                if fault.code not in AGAIN or attempt == self._tries:
                    raise error from None
            except (URLError, TimeoutError, ConnectionError, HTTPException) as fault:
                if attempt == self._tries:
                    raise AwayError(f"{self._url} does not answer: {fault}") from fault
                pause_s = None
            time.sleep(_pause(attempt, pause_s))
        raise AssertionError("not reached")

    def _once(self, method: str, path: str, body: bytes | Path | None, key: str) -> HTTPResponse:
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json, */*"}
        if method == "POST":
            headers["Idempotency-Key"] = key
            headers["Content-Type"] = "application/octet-stream" if "/uploads?" in path else "application/json"
        if not isinstance(body, Path):
            return self._open(Request(self._url + path, data=body, headers=headers, method=method))  # noqa: S310
        headers["Content-Length"] = str(body.stat().st_size)
        with body.open("rb") as file:  # streamed: a large file is never held in memory
            return self._open(Request(self._url + path, data=file, headers=headers, method=method))  # noqa: S310

    def _open(self, request: Request) -> HTTPResponse:
        return cast("HTTPResponse", self._opener.open(request, timeout=self._timeout_s))


def verify_webhook(body: bytes, headers: Mapping[str, str], secret: str, *, tolerance_s: int = 300) -> dict[str, Any]:
    """Return the event of a webhook's POST if it is signed with `secret` (whsec_...) and at most `tolerance_s` old.

    `body` is the bytes exactly as they came in. Drop an event whose `webhook-id` you have seen. Raises WebhookError.
    """
    told = {name.lower(): value for name, value in headers.items()}
    try:
        message, seconds, marks = (told[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise WebhookError(f"the header {missing} is missing") from None
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise WebhookError("the secret is not whsec_ and base64, as the page showed it") from None
    if not seconds.isdecimal() or abs(time.time() - int(seconds)) > tolerance_s:
        raise WebhookError(f"it was sent more than {tolerance_s} s ago, or the clocks differ")
    mark = hmac.new(key, f"{message}.{seconds}.".encode() + body, hashlib.sha256).digest()
    wanted = b"v1," + base64.b64encode(mark)
    if not any(hmac.compare_digest(wanted, given.encode()) for given in marks.split()):
        raise WebhookError("the signature is not of this secret and body")
    event: dict[str, Any] = json.loads(body)
    return event


def _taken(answer: HTTPResponse, target: BinaryIO | None) -> bytes:
    if target is None:
        return answer.read()
    try:
        shutil.copyfileobj(answer, target)
    except (HTTPException, TimeoutError, ConnectionError) as fault:
        raise AwayError(f"the answer broke off: {fault!r}") from fault
    if answer.length:  # a body cut short ends quietly when it is read piece by piece
        raise AwayError(f"the answer broke off: {answer.length} bytes are missing")
    return b""


def _claim(told: Mapping[str, Any]) -> Claim:
    span = told["span"]
    return Claim(told["text"], tuple(span) if span else None, told["supported"], told["score"], told["chunk"])


def _problem(fault: HTTPError) -> Mapping[str, Any]:
    """Return the problem the server tells; a proxy in between may tell none."""
    try:
        told = json.loads(fault.read())
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _pause(attempt: int, told: str | None) -> float:
    """Return the seconds to wait: what the server says, else twice as long each time, with some chance in it."""
    if told and told.isdecimal():
        return min(float(told), 120.0)
    return min(2.0 ** (attempt - 1), 30.0) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret depends on it
