"""The `run` object: which system produced the answers, over which evaluation set, at which prices."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, ValidationInfo

from triage.core.records.faults import refusal
from triage.core.records.free import tidy
from triage.core.records.record import Record
from triage.core.records.values import Amount, Count, Meta, Number, Time

Origin = Literal["", "logs", "generated_from_chunks", "written"]


def _object(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, dict):
        raise refusal("an object", "Write the settings as name and value pairs.")
    return tidy(value, 2, info)


FlatObject = Annotated[dict[str, Any], BeforeValidator(_object, json_schema_input_type=dict[str, Any])]


class EvaluationSetRecord(Record):
    """Where the questions and the gold come from; the gold audit reads it."""

    level: ClassVar[int] = 2
    path: ClassVar[str] = "evaluation_set."

    name: str = Field(default="", description="Gold belongs to (project, this name, query id).")
    version: str = Field(default="", description="Version of the set.")
    built_at: Time = Field(default=None, description="When it was built.")
    questions_from: Origin = Field(default="", description="Where the questions come from.")
    pooled_from: list[str] = Field(default_factory=list, description="Retrievers the gold was pooled from.")
    serving_k: Count = Field(default=None, description="k of the system in service.")


class PricesRecord(Record):
    """What the tokens of the context cost."""

    level: ClassVar[int] = 2
    path: ClassVar[str] = "prices."

    input_per_million: Amount = Field(default=None, description="Price of a million input tokens.")
    currency: str = Field(default="", description="Currency of all prices and costs.")


class RunRecord(Record):
    """At most one per file, on its first line."""

    name: str = Field(default="", max_length=300, description="Shown everywhere; without it the file's name is used.")
    pipeline: str = Field(default="", max_length=300, description="The system under evaluation.")
    release: str = Field(default="", max_length=300, description="Its release.")
    config: FlatObject = Field(default_factory=dict, description="Settings: k, candidate_k, reranker, generator ...")
    started_at: Time = Field(default=None, description="When the run was made.")
    evaluation_set: EvaluationSetRecord | None = Field(default=None, description="Origin of questions and gold.")
    prices: PricesRecord | None = Field(default=None, description="Prices of tokens.")
    targets: dict[str, Number] = Field(default_factory=dict, description="Metric -> at least.")
    meta: Meta = Field(default_factory=dict, description="Anything else; unknown fields are kept here.")

    def k(self) -> int | None:
        """Return the configured k, where it is a whole number."""
        value = self.config.get("k")
        return value if isinstance(value, int) and not isinstance(value, bool) else None
