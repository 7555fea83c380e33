"""Closure checks: what must add up, printed under every table. Each passes or names its fault."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from triage.core.labels import FOUR_CLASSES, UNSCORED
from triage.core.summary import Summary

#: Largest relative difference of tokens per chunk between two arms of one evaluation set.
TOKENS_TOLERANCE = 0.10
#: Denominators up to here are written out: 23/3 tells more than 7.6667.
LARGEST_SHOWN = 1_000


#: Who says which answers are correct, before any review.
BY_FILE, BY_MATCH = "by the file", "by match with the reference"


@dataclass(frozen=True, slots=True)
class Check:
    """One closure check: its stable name, whether it holds, and a sentence with the numbers it rests on."""

    check: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How many queries of a run or of a slice are failing, correct and undecided."""

    failing: int
    correct: int
    undecided: int

    @property
    def queries(self) -> int:
        return self.failing + self.correct + self.undecided

    @property
    def decided(self) -> int:
        return self.failing + self.correct


@dataclass(frozen=True, slots=True)
class Review:
    """What people found so far: final verdicts `not_a_failure`, and passing queries found wrong."""

    not_a_failure: int
    missed_failures: int


def adds_up(
    classes: Mapping[str, int], outcomes: Outcomes, queries: int, review: Review | None = None, *, by: str = BY_FILE
) -> Check:
    """Check that the four classes and unscored make the failing, and the outcomes make the queries.

    `by`: who says which answers are correct, in words.
    """
    counts = [classes.get(label, 0) for label in FOUR_CLASSES]
    unscored = classes.get(UNSCORED, 0)
    filed = sum(classes.values())
    sum_words = f"{' + '.join(map(str, counts))} + {unscored} unscored = {filed}"
    outcome_words = f"{outcomes.failing} + {outcomes.correct} correct + {outcomes.undecided} undecided"
    faults = []
    if sum(counts) + unscored != outcomes.failing or filed != outcomes.failing:
        faults.append(f"{sum_words}, but {outcomes.failing} queries are failing")
    if outcomes.queries != queries:
        faults.append(f"{outcome_words} = {outcomes.queries}, but the run has {queries} queries")
    accuracy = accuracy_words(outcomes, review, by)
    if faults:
        return Check("adds_up", False, f"{'; '.join(faults)}. {accuracy}")
    return Check("adds_up", True, f"{sum_words} failing; {outcome_words} = {queries}. {accuracy}")


def accuracy_words(outcomes: Outcomes, review: Review | None, by: str = BY_FILE) -> str:
    """Return accuracy as it came and after review (not_a_failure counted right, missed failures wrong)."""
    if not outcomes.decided:
        return "No query is decided, so there is no accuracy."
    as_it_came = f"Accuracy {by} {outcomes.correct / outcomes.decided:.3f}"
    if review is None:
        return f"{as_it_came}; nothing is reviewed yet."
    right = outcomes.correct + review.not_a_failure - review.missed_failures
    return (
        f"{as_it_came}; after review {right / outcomes.decided:.3f} "
        f"({review.not_a_failure} not_a_failure counted right, {review.missed_failures} missed failures wrong)."
    )


@dataclass(frozen=True, slots=True)
class Ceiling:
    """How many of N queries can lie below a recall threshold, given the recall they lost in all."""

    n: int
    lost: Fraction
    most: int
    #: Every recall is 0 or 1, so that the number below is known exactly.
    is_exact: bool


def recall_ceiling(recalls: Mapping[Fraction, int], threshold: Fraction) -> Ceiling:
    """Return the bound of docs/metrics.md section 5.2 over `recalls`: exact recall -> how many queries have it.

    D = N (1 - R) is the recall lost in all. Each query below t loses more than 1 - t, so at most
    ceil(D / (1 - t)) - 1 can be below; none when D = 0. When every recall is 0 or 1 exactly D are below.
    """
    n = sum(recalls.values())
    lost = sum(((1 - recall) * count for recall, count in recalls.items()), Fraction(0))
    if all(recall in (0, 1) for recall in recalls):
        return Ceiling(n, lost, int(lost) if threshold > 0 else 0, is_exact=True)
    if threshold >= 1:
        return Ceiling(n, lost, n, is_exact=False)
    return Ceiling(n, lost, min(n, math.ceil(lost / (1 - threshold)) - 1), is_exact=False)


def under_ceiling(recalls: Mapping[Fraction, int], stated: Summary, threshold: float, misses: int) -> Check:
    """Check the queries below the recall threshold, and those filed as misses, against the ceiling.

    `stated` is the run-level recall as it is shown: when it is not the mean of `recalls`, one of them is wrong.
    """
    if not recalls:
        return Check("recall_ceiling", misses == 0, f"No query has a recall; {misses} are filed as retrieval_miss.")
    t = Fraction(repr(threshold))
    ceiling = recall_ceiling(recalls, t)
    below = sum(count for recall, count in recalls.items() if recall < t)
    holds = below == ceiling.most if ceiling.is_exact else below <= ceiling.most
    mean = float(1 - ceiling.lost / ceiling.n)
    if stated.n != ceiling.n or stated.value is None or abs(stated.value - mean) > 1e-9:
        shown = "no value" if stated.value is None else f"{stated.value:.3f}"
        fault = f"The run-level recall is {shown} (n {stated.n}), the mean of the queries {mean:.3f} (n {ceiling.n})."
        return Check("recall_ceiling", False, fault)
    detail = (
        f"Recall below {threshold:.2f}: {below} queries, {'exactly' if ceiling.is_exact else 'at most'} "
        f"{ceiling.most} possible; {misses} of them failing and filed as retrieval_miss. "
        f"N {ceiling.n}, recall {mean:.3f}, D = {_fraction_words(ceiling.lost)}: {_bound_words(ceiling, t)}."
    )
    return Check("recall_ceiling", holds and misses <= below, detail)


def _bound_words(ceiling: Ceiling, threshold: Fraction) -> str:
    if ceiling.is_exact:
        return "every recall is 0 or 1, so exactly D are below"
    if threshold >= 1:
        return "at a threshold of 1 every query may be below"
    rest = _fraction_words(1 - threshold)
    return f"the bound for mixed recalls is used, ⌈{_fraction_words(ceiling.lost)} / {rest}⌉ − 1"


def _fraction_words(value: Fraction) -> str:
    """Return a number exactly: whole, as a short decimal, or as a fraction; rounded only where that is unreadable."""
    shown = f"{float(value):.4f}".rstrip("0").rstrip(".")
    if Fraction(shown) == value:
        return shown
    return str(value) if value.denominator <= LARGEST_SHOWN else f"≈{shown}"


def partition(name: str, slices: Mapping[str, Outcomes], whole: Outcomes) -> Check:
    """Check that the slices of one key add up to the run and that their mix gives the pooled accuracy."""
    parts = (
        sum(part.failing for part in slices.values()),
        sum(part.correct for part in slices.values()),
        sum(part.undecided for part in slices.values()),
    )
    found = sum(parts)
    if parts != (whole.failing, whole.correct, whole.undecided):
        return Check("slices", False, f"{len(slices)} slices of {name} hold {found} queries, the run {whole.queries}.")
    if not whole.decided:
        return Check("slices", True, f"{len(slices)} slices of {name} sum to {found}; no query is decided.")
    weighted = ((Fraction(part.decided, whole.decided), part) for part in slices.values() if part.decided)
    mix = sum((weight * Fraction(part.correct, part.decided) for weight, part in weighted), Fraction(0))
    ok = mix == Fraction(whole.correct, whole.decided)
    return Check(
        "slices",
        ok,
        f"{len(slices)} slices of {name} sum to {found}; their mix gives the accuracy {float(mix):.3f}"
        f"{'.' if ok else f', the run has {whole.correct / whole.decided:.3f}.'}",
    )


def tokens_agree(arms: Sequence[tuple[str, float]]) -> Check:
    """Check that tokens per chunk agree across the arms (name, mean tokens per chunk) within 10 %."""
    if len(arms) < 2:
        known = f"{arms[0][1]:.1f} tokens per chunk here" if arms else "no tokens per chunk are known"
        return Check("tokens_per_chunk", True, f"Nothing to compare with: {known}, no other arm.")
    low, high = min(arms, key=lambda arm: arm[1]), max(arms, key=lambda arm: arm[1])
    spread = high[1] / low[1] - 1 if low[1] > 0 else math.inf
    if spread <= TOKENS_TOLERANCE:
        return Check("tokens_per_chunk", True, f"{len(arms)} arms agree within {spread:.1%}: {_arms(low, high)}.")
    differ = f"by {spread:.1%}, limit {TOKENS_TOLERANCE:.0%}" if math.isfinite(spread) else "wholly"
    fault = f"Tokens per chunk differ between arms {differ}: {_arms(low, high)}."
    return Check("tokens_per_chunk", False, f"{fault} An assembly step drops or repeats chunks in one of them.")


def _arms(low: tuple[str, float], high: tuple[str, float]) -> str:
    return f"{low[1]:.1f} in {low[0]}, {high[1]:.1f} in {high[0]}"


def unchanged(imported: Mapping[str, int], stored: Mapping[str, int], content_hash: str, imports: int) -> Check:
    """Check that the rows still count what the import counted; a re-import of the same content changes nothing."""
    moved = Counter(imported)
    moved.subtract(stored)
    differing = [
        f"{name}: {imported.get(name, 0)} imported, {stored.get(name, 0)} now" for name, d in moved.items() if d
    ]
    if differing:
        return Check("unchanged", False, f"{'; '.join(differing)}.")
    times = {1: "Imported once", 2: "Imported twice"}.get(imports, f"Imported {imports} times")
    return Check("unchanged", True, f"{times}, content hash {content_hash}, same counts.")
