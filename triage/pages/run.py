"""The run page: metrics read together, where the failures are, what the numbers say, whether they close, slices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from triage.core.closure import Check, Outcomes
from triage.core.pictures import Axis, Interval, interval, share_axis
from triage.core.policy import DEFAULT_POLICY, Policy
from triage.core.review import ReviewState, first_answer
from triage.models import Judge, Query, Run, Suggestion
from triage.models.closing import closure_checks
from triage.models.scores import classes_of
from triage.models.slices import sliced
from triage.pages.classes import Cause, ClassRow, WouldBe, causes, class_rows, would_be
from triage.pages.progress import Progress, progress_of
from triage.pages.slices import SlicePanel, slice_panel
from triage.pages.tiles import TOGETHER, MetricLine, Tile, lines_of, recall_name, summaries_of, targets_of, tile
from triage.pages.words import CHECK_WORDS, FLAG_NAMES, READING_WORDS, RUN_BADGES, Badge
from triage.signals import review_wanted


@dataclass(frozen=True, slots=True)
class Spoken:
    """A reading or a closure check: a state, and what it says."""

    badge: Badge
    headline: str
    #: (text, is a number)
    parts: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class FlagLine:
    """One named oddity, and how many queries have it."""

    flag: str
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class PositionLine:
    """Failure rate of the queries whose first gold chunk stands in these slots."""

    name: str
    n: int
    failing: int
    rate: float
    low: float
    high: float
    bar: Interval


@dataclass(frozen=True, slots=True)
class Steer:
    """A button that moves the run: `action` is a name of `tasks.steering.ACTIONS`."""

    action: str
    words: str


_PAUSE, _RESUME, _CANCEL = Steer("pause", "Pause"), Steer("resume", "Resume"), Steer("cancel", "Cancel")
_STEERING: dict[str, tuple[Steer, ...]] = {
    Run.State.SCORING: (_PAUSE, _CANCEL),
    Run.State.CLASSIFYING: (_PAUSE, _CANCEL),
    Run.State.PAUSED: (_RESUME, _CANCEL),
    Run.State.CANCELLED: (_RESUME,),
    Run.State.FAILED: (Steer("retry", "Retry"),),
    Run.State.DONE: (Steer("rescore", "Ask the judges again"),),
}


@dataclass(frozen=True, slots=True)
class RunPage:
    """Everything the run page prints."""

    run: Run
    badge: Badge
    is_classified: bool
    is_default_policy: bool
    judges: tuple[str, ...]
    outcomes: Outcomes
    flags: tuple[FlagLine, ...]
    #: What a reader must know where the machine itself says which answers are correct; blank otherwise.
    by_match: str
    progress: Progress | None
    review: ReviewState
    accuracy: Tile
    together: tuple[Tile, ...]
    others: tuple[Tile, ...]
    lines: tuple[MetricLine, ...]
    class_axis: Axis
    classes: tuple[ClassRow, ...]
    would_be: tuple[WouldBe, ...]
    causes: tuple[Cause, ...]
    near: int
    readings: tuple[Spoken, ...]
    checks: tuple[Spoken, ...]
    faults: int
    slices: SlicePanel
    positions: tuple[PositionLine, ...]
    position_axis: Axis
    steering: tuple[Steer, ...]

    @property
    def failing_words(self) -> str:
        """Return what the total of the class table counts."""
        return f"Failing {self.run.correct_by_words}"

    @property
    def reviewed_words(self) -> str:
        """Return how far people are."""
        return f"{self.review.final:,} of {self.outcomes.failing:,} failures reviewed"

    @property
    def reviewed_total(self) -> int:
        """Return the failing queries with a final verdict that the machine had filed."""
        return sum(self.review.reviewed.values())

    @property
    def fault_words(self) -> str:
        """Return how many closure checks fail."""
        return f"{self.faults} of {len(self.checks)} at fault"

    @property
    def reason_tone(self) -> str:
        """Return the tone of the sentence that says why the run stands still."""
        return "bad" if self.run.state == Run.State.FAILED else "warn"


def run_page(run: Run, slice_key: str = "") -> RunPage:
    """Read the page's values: a number of SQL queries that does not depend on the rows."""
    review = first_answer(review_wanted.send(sender=Run, run_id=run.pk), ReviewState) or ReviewState()
    outcomes, summaries, targets = Query.objects.outcomes(run), summaries_of(run), targets_of(run)
    parts, filed = sliced(run, slice_key), Suggestion.objects.filed(run)
    automatic = classes_of(filed)
    checks = closure_checks(run, review, parts.rows, outcomes, automatic)
    class_axis, classes = class_rows(run, outcomes, review, automatic)
    position_axis, positions = _positions(run)
    names = {"context_recall": recall_name(run)}
    return RunPage(
        run=run,
        badge=RUN_BADGES[run.state],
        is_classified=bool(run.summary),
        is_default_policy=run.policy_fingerprint == DEFAULT_POLICY.fingerprint,
        judges=tuple(Judge.objects.in_run(run).values_list("name", flat=True).distinct().order_by("name")),
        outcomes=outcomes,
        flags=_flags(run),
        by_match=_by_match(run, outcomes),
        progress=progress_of(run),
        review=review,
        accuracy=tile("accuracy", summaries["accuracy"], targets.get("accuracy"), _accuracy_name(run)),
        together=tuple(tile(key, summaries[key], targets.get(key), names.get(key, "")) for key in TOGETHER),
        others=tuple(tile(key, summaries[key], targets.get(key)) for key in ("any_unsupported", "answer_relevance")),
        lines=tuple(lines_of(summaries)),
        class_axis=class_axis,
        classes=classes,
        would_be=would_be(filed),
        causes=causes(filed, review),
        near=sum(each.count for each in filed if each.near),
        readings=tuple(_reading(told) for told in run.summary.get("readings", ())),
        checks=tuple(_check(check) for check in checks),
        faults=sum(not check.ok for check in checks),
        slices=slice_panel(parts, outcomes),
        positions=positions,
        position_axis=position_axis,
        steering=_STEERING[run.state],
    )


def _flags(run: Run) -> tuple[FlagLine, ...]:
    found = Query.objects.flagged(run)
    return tuple(FlagLine(flag, name, found[flag]) for flag, name in FLAG_NAMES.items() if flag in found)


def _by_match(run: Run, outcomes: Outcomes) -> str:
    if not run.decided_by_match:
        return ""
    policy = Policy.model_validate(run.summary.get("policy") or {})
    included = ", holds it whole" if policy.match_inclusion else ""
    return (
        f"The file says of no answer whether it is correct. For {run.decided_by_match:,} of {outcomes.queries:,} "
        f"queries the machine says so by match with the reference: an answer counts as correct when it is the "
        f"same{included}, or has a token F1 of at least {policy.match_token_f1:.2f}. People's verdicts count over it."
    )


def _accuracy_name(run: Run) -> str:
    return "Accuracy, by match" if run.decided_by_match else ""


def _reading(told: Mapping[str, Any]) -> Spoken:
    parts = tuple((part["text"], part["is_number"]) for part in told["parts"])
    return Spoken(Badge(told["state"], READING_WORDS[told["state"]]), told["headline"], parts)


def _check(check: Check) -> Spoken:
    badge = Badge("ok", CHECK_WORDS[check.check]) if check.ok else Badge("bad", "Fault")
    return Spoken(badge, "" if check.ok else f"{CHECK_WORDS[check.check]}: not so.", ((check.detail, False),))


def _positions(run: Run) -> tuple[Axis, tuple[PositionLine, ...]]:
    scale = share_axis()
    return scale, tuple(_position(told, scale) for told in run.summary.get("position", ()))


def _position(told: Mapping[str, Any], scale: Axis) -> PositionLine:
    first, last = told["first"], told["last"]
    name = f"slot {first}" if first == last else f"slots {first} to {last}"
    return PositionLine(
        name=name if first else "no gold in the context",
        n=told["n"],
        failing=told["failing"],
        rate=told["rate"],
        low=told["low"],
        high=told["high"],
        bar=interval(scale, told["rate"], told["low"], told["high"]),
    )
