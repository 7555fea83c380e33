"""The `run` object: which system produced the answers, over which evaluation set, at which prices."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, ValidationInfo

from triage.core.records.free import tidy
from triage.core.records.record import Line, Record, kept_one
from triage.core.records.values import Amount, Count, Number, Text, Time, null_means

Origin = Annotated[Literal["", "logs", "generated_from_chunks", "written"], null_means(str)]


def _tidied(value: dict[str, Any], info: ValidationInfo) -> Any:  # noqa: ANN401 - an object, in one order
    return tidy(value, 2, info)


FlatObject = Annotated[dict[str, Any], null_means(dict), AfterValidator(_tidied)]


class EvaluationSetRecord(Record):
    """Where the questions and the gold come from; the gold audit reads it."""

    level: ClassVar[int] = 2
    path: ClassVar[str] = "evaluation_set."

    name: Text = Field(default="", description="Gold belongs to (project, this name, query id).")
    version: Text = Field(default="", description="Version of the set.")
    built_at: Time = Field(default=None, description="When it was built.")
    questions_from: Origin = Field(default="", description="Where the questions come from.")
    pooled_from: Annotated[list[str], null_means(list)] = Field(
        default_factory=list, description="Retrievers the gold was pooled from."
    )
    serving_k: Count = Field(default=None, description="k of the system in service.")


class PricesRecord(Record):
    """What the tokens of the context cost."""

    level: ClassVar[int] = 2
    path: ClassVar[str] = "prices."

    input_per_million: Amount = Field(default=None, description="Price of a million input tokens.")
    currency: Text = Field(default="", description="Currency of all prices and costs.")


class RunRecord(Line):
    """At most one per file, on its first line."""

    name: Text = Field(default="", max_length=300, description="Shown everywhere; without it the file's name is used.")
    pipeline: Text = Field(default="", max_length=300, description="The system under evaluation.")
    release: Text = Field(default="", max_length=300, description="Its release.")
    config: FlatObject = Field(default_factory=dict, description="Settings: k, candidate_k, reranker, generator ...")
    started_at: Time = Field(default=None, description="When the run was made.")
    evaluation_set: Annotated[EvaluationSetRecord | None, AfterValidator(kept_one)] = Field(
        default=None, description="Origin of questions and gold."
    )
    prices: Annotated[PricesRecord | None, AfterValidator(kept_one)] = Field(
        default=None, description="Prices of tokens."
    )
    targets: Annotated[dict[str, Number], null_means(dict)] = Field(
        default_factory=dict, description="Metric -> at least."
    )

    def k(self) -> int | None:
        """Return the configured k, where it is a whole number."""
        value = self.config.get("k")
        return value if isinstance(value, int) and not isinstance(value, bool) else None
