"""A number as it may be shown: value, interval, the n it rests on, or the name of the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Undefined(StrEnum):
    """Why a figure has no value. The text is what a reader sees."""

    ONLY_ONE_CATEGORY = "only one category"
    NO_ITEMS = "no items"
    NO_POSITIVES = "no positive labels"
    NO_NEGATIVES = "no negative labels"
    NO_SCORES = "no scores"
    NOT_TWO_RATERS = "not two raters"
    NEVER_SAID = "never said"
    JUDGE_USELESS = "the judge tells nothing: the interval of TPR + TNR - 1 contains 0"
    NOT_BOTH_READ = "not both answers were read"
    NO_CHANGES = "no changes"


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its 95 % interval and n; `undefined` names the reason where `value` is None.

    `low` and `high` are None together: either there is no value, or no interval can be given (say, one cluster).
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    undefined: Undefined | None = None

    @classmethod
    def none(cls, reason: Undefined, n: int = 0) -> Figure:
        """Return the figure that has no value, for the reason given."""
        return cls(None, None, None, n, reason)

    def as_json(self) -> dict[str, float | int | str | None]:
        """Return the keys of `calibrate --json`: value, low, high, n, and `undefined` where there is no value."""
        body: dict[str, float | int | str | None] = {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n": self.n,
        }
        return body if self.undefined is None else {**body, "undefined": str(self.undefined)}
