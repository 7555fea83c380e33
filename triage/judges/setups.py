"""Judges that the operator sets up: where a model or an endpoint is, and every choice that moves a score.

They come from the operator's file (`JUDGES_FILE`), never from a page or an upload: a model file is code, and an
endpoint is sent the project's texts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, TypeAdapter, ValidationError

from triage.core.spending import Prices

NAME = r"^[a-z][a-z0-9_-]{0,39}$"


class SetupError(ValueError):
    """The operator's file of judges cannot be read; the message names the judge, the field and what is expected."""


class _Setup(BaseModel):
    """What all judges of the operator share."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    #: A score at or above this counts as supported. Choose it on your own human labels.
    threshold: float = Field(default=0.5, gt=0, lt=1)


class NliSetup(_Setup):
    """A sequence classifier: one label = logistic, several = softmax at the label that means entailment."""

    kind: Literal["nli"]
    #: A folder of this machine, or a hub id.
    model: str = Field(min_length=1, max_length=300)
    #: Commit of the hub id: 40 hex digits. A folder needs none: its files are its revision.
    revision: str = Field(default="", pattern=r"^([0-9a-f]{40})?$")
    order: Literal["chunk_first", "claim_first"] = "chunk_first"
    #: Tokens of a pair; longer chunks are read in windows and cut here.
    max_tokens: int = Field(default=512, ge=32, le=8192)
    #: Label that means entailment, where the model's own names do not say it.
    entailment_label: str = ""
    device: str = Field(default="cpu", pattern=r"^(cpu|mps|cuda(:\d+)?)$")
    dtype: Literal["float32", "float16", "bfloat16"] = "float32"
    #: False = a hub id may be downloaded when its judge is first asked.
    offline: bool = True

    @property
    def choices_hash(self) -> str:
        """Return 12 hex digits over the choices that move a score beside model, revision and threshold."""
        parts = [self.order, self.max_tokens, self.entailment_label, self.dtype]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


class LlmSetup(_Setup):
    """A chat model behind an OpenAI-compatible endpoint."""

    kind: Literal["llm"]
    #: The base address, e.g. https://models.example.org/v1 . The project's texts are sent there.
    endpoint: str = Field(pattern=r"^https?://\S{1,500}$")
    model: str = Field(min_length=1, max_length=200)
    #: A label of your own for the model's version, part of the identity.
    revision: str = Field(default="", max_length=100)
    api_key: SecretStr = SecretStr("")
    #: File that holds the key, read when the judge is first asked.
    api_key_file: str = ""
    timeout_s: float = Field(default=60.0, gt=0, le=600)
    #: Times a call is tried again after 408, 409, 429, 5xx or a broken line, with back-off.
    retries: int = Field(default=3, ge=0, le=10)
    requests_per_minute: int = Field(default=120, ge=1)
    #: Answers asked for each pair; above 1 the mean is the score and the spread is kept.
    repeats: int = Field(default=1, ge=1, le=9)
    #: Answers that came without claims are cut into atomic claims by this model, not into sentences.
    decompose: bool = False
    #: Calls at most in the life of a worker's judge and run; 0 = no bound.
    max_calls_per_run: int = Field(default=5_000, ge=0)
    #: What a million tokens cost, for the run page; the cost is unknown unless both are set.
    input_price_per_million: float | None = Field(default=None, ge=0)
    output_price_per_million: float | None = Field(default=None, ge=0)
    currency: str = Field(default="", max_length=10)

    @property
    def prices(self) -> Prices | None:
        """Return the prices, where both are set."""
        if self.input_price_per_million is None or self.output_price_per_million is None:
            return None
        return Prices(self.input_price_per_million, self.output_price_per_million, self.currency)


Setup = Annotated[NliSetup | LlmSetup, Field(discriminator="kind")]
_ADAPTER: TypeAdapter[dict[Annotated[str, Field(pattern=NAME)], Setup]] = TypeAdapter(
    dict[Annotated[str, Field(pattern=NAME)], Setup]
)


def read_setups(table: Mapping[str, Any]) -> dict[str, NliSetup | LlmSetup]:
    """Return the judges of the operator's table by name. Raises SetupError with the first fault."""
    try:
        return _ADAPTER.validate_python(table)
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the table"
        raise SetupError(f"judges.{place}: {first['msg']}") from fault
