"""Scores a file brings along: our own definitions as recorded, or another tool's, kept beside ours."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from triage.core.records.faults import refusal
from triage.core.records.free import tidy
from triage.core.records.record import Record, kept
from triage.core.records.values import Around, Else, Name, Number, Text, remark


def _scale(value: object, info: ValidationInfo) -> object:
    return tidy(value, 4, info)


class ScoreRecord(Record):
    """One recorded score of an answer."""

    level: ClassVar[int] = 3
    path: ClassVar[str] = "scores[]."

    metric: Name = Field(description="Name of the metric, kept as given.")
    value: Number = Field(default=None, description="The score as given; null = missing.")
    judge: Text = Field(default="", description="Who scored.")
    tool: Text = Field(default="", description="Blank = by our definitions; else another tool's, shown beside ours.")
    version: Text = Field(default="", description="Version of the tool.")
    definition: Text = Field(default="", description="Tag of the definition, e.g. claims_joined_context.")
    scale: Annotated[Any, BeforeValidator(_scale)] = Field(
        default=None, description="[lowest, highest] or a name, where it is not 0 to 1."
    )

    @property
    def usable(self) -> bool:
        """Say whether the value is a finite number in [0, 1] on that very scale."""
        return self.value is not None and 0 <= self.value <= 1 and self.scale in (None, [0, 1])


def oddities(scores: Any, info: Around) -> Any:  # noqa: ANN401 - typed by the field
    """Return the scores; remark on those that cannot be used."""
    for score in scores:
        if score.value is None:
            continue
        if score.scale not in (None, [0, 1]):
            remark(info, "score_on_other_scale", f"{score.metric} {score.value:g}")
        elif not 0 <= score.value <= 1:
            remark(info, "score_out_of_range", f"{score.metric} {score.value:g}")
    return scores


def _as_list(value: object, _info: ValidationInfo) -> object:
    """Return scores given as an object metric -> number as a list, by metric name."""
    if isinstance(value, list) or value is None:
        return value or []
    if not isinstance(value, dict):
        raise refusal("an object metric -> number, or a list of scores", 'Write {"faithfulness": 0.9}.')
    for metric, score in value.items():
        if isinstance(score, dict | list):
            raise refusal(
                "a number, or null",
                'Write the scores as a list of {"metric": ..., "value": ...} to say more of each.',
                found="an object" if isinstance(score, dict) else "a list",
                at=f".{metric}",
            )
    return [{"metric": metric, "value": value[metric]} for metric in sorted(value)]


def at_k(metric: str) -> int | None:
    """Return the k a metric's name carries, as in recall@10; None where it carries none."""
    _, mark, digits = metric.rpartition("@")
    return int(digits) if mark and digits.isdecimal() and len(digits) < 5 else None


Scores = Annotated[
    list[ScoreRecord],
    Else(_as_list, dict[str, float | str | None]),
    AfterValidator(kept),
    AfterValidator(oddities),
]
