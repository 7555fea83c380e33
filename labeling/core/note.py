"""The release note as data: the class table and everything printed around it. Pure; nothing in it is a clock.

The same state of the rows gives the same note, and each renderer the same bytes for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from labeling.core.figures import Figure
from labeling.core.limits import Part, mover_sum
from labeling.core.paired import Change, Decision, MixTest
from labeling.core.release_note import ClassTable, Counts
from triage.core.closure import Check
from triage.core.intervals import wilson
from triage.core.labels import MISSED_FAILURE, NOT_A_FAILURE

#: Metrics printed in the note, in this order, with the words they go by; recall adds its k.
QUALITY = {
    "context_recall": "Recall",
    "context_precision": "Context precision",
    "faithfulness": "Groundedness",
    "any_unsupported": "Any unsupported claim",
    "answer_relevance": "Answer relevance",
}


@dataclass(frozen=True, slots=True)
class Population:
    """The queries of the run by outcome."""

    failing: int
    correct: int
    undecided: int
    #: Of them decided by the machine, by match with the reference; the file decides the others.
    by_match: int = 0

    @property
    def queries(self) -> int:
        """Return N."""
        return self.failing + self.correct + self.undecided

    @property
    def decided(self) -> int:
        """Return how many queries the accuracy rests on."""
        return self.failing + self.correct

    def accuracy(self) -> Figure | None:
        """Return accuracy before any review with its Wilson interval; None where no query is decided."""
        if not self.decided:
            return None
        low, high = wilson(self.correct, self.decided)
        return Figure(self.correct / self.decided, low, high, self.decided)

    def accuracy_after_review(self, counts: Counts) -> Figure | None:
        """Return accuracy with `not_a_failure` counted right and missed failures wrong, as estimated.

        The interval is what the two draws leave open (MOVER); without any draw, what is confirmed, and no interval.
        """
        if not self.decided:
            return None
        gained = _part(counts, NOT_A_FAILURE)
        lost = _part(counts, MISSED_FAILURE)
        total = mover_sum([Part(self.correct, self.correct, self.correct), gained, _negative(lost)])
        known = counts.correction is not None
        low, high = (total.low / self.decided, total.high / self.decided) if known else (None, None)
        return Figure(total.point / self.decided, low, high, self.decided)


def _part(counts: Counts, label: str) -> Part:
    correction = counts.missed_correction if label == MISSED_FAILURE else counts.correction
    if correction is None:
        confirmed = float(counts.missed if label == MISSED_FAILURE else counts.confirmed.get(label, 0))
        return Part(confirmed, confirmed, confirmed)
    estimate = correction.estimates[label]
    return Part(estimate.value, min(estimate.low, estimate.value), max(estimate.high, estimate.value))


def _negative(part: Part) -> Part:
    return Part(-part.point, -part.high, -part.low)


@dataclass(frozen=True, slots=True)
class JudgeUsed:
    """A judge whose words the classes rest on, and whether it may be relied on."""

    name: str
    task: str
    model: str
    revision: str
    prompt_hash: str
    threshold: float
    fingerprint: str
    trust: str
    #: ISO date of the newest comparison with people; blank = never.
    compared_on: str


@dataclass(frozen=True, slots=True)
class Metric:
    """A run-level metric with its target, if one is set."""

    key: str
    title: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    left_out: Mapping[str, int]
    target: float | None = None

    @property
    def against_target(self) -> str:
        """Return met, missed or not decided by the interval; blank without target or value."""
        if self.target is None or self.value is None:
            return ""
        low, high = (self.value, self.value) if self.low is None or self.high is None else (self.low, self.high)
        if low >= self.target:
            return "met"
        return "missed" if high < self.target else "not decided"


@dataclass(frozen=True, slots=True)
class Paired:
    """This run and the previous one, query by query."""

    #: Queries in both with the same question; those only here, only there; same id with another question.
    n: int
    only_now: int
    only_before: int
    differing: int
    accuracy: Change | None
    mix: MixTest | None
    #: Of the queries failing in both, how many changed class; None where classes may not be compared.
    changed_class: int | None

    @property
    def decision(self) -> Decision:
        """Return whether accuracy got better, worse, or it is not decided."""
        return self.accuracy.decision() if self.accuracy else Decision.NOT_DECIDED


@dataclass(frozen=True, slots=True)
class SubCause:
    """What people found inside a class, extrapolated like the class itself."""

    label: str
    sub_cause: str
    confirmed: int
    corrected: float | None
    low: float | None
    high: float | None
    #: How many queries the estimate is about: the strata that were read far enough.
    among: int
    owner: str


@dataclass(frozen=True, slots=True)
class ReleaseNote:
    """Everything the note says."""

    project: str
    pipeline: str
    evaluation_set: str
    run: str
    name: str
    release: str
    population: Population
    accuracy: Figure | None
    accuracy_after: Figure | None
    table: ClassTable
    sub_causes: tuple[SubCause, ...]
    #: How the reviewed queries came to be reviewed, in one sentence; and the passing ones.
    drawn: str
    audited: str
    previous: str
    previous_run: str
    why_not_comparable: str
    paired: Paired | None
    metrics: tuple[Metric, ...]
    recall_k: str
    people: Figure
    machine: Figure
    closure: tuple[Check, ...]
    policy: str
    judges: tuple[JudgeUsed, ...]
    gold_version: int

    @property
    def quality(self) -> tuple[Metric, ...]:
        """Return the metrics printed in the note, in their order."""
        known = {metric.key: metric for metric in self.metrics}
        return tuple(known[key] for key in QUALITY if key in known)
