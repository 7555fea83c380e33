"""Is the recall number itself to be trusted? Six checks of the gold and of the evaluation set behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from triage.core.closure import Outcomes
from triage.core.readings import State
from triage.core.summary import Summary

#: Share of gold ids outside the retriever's candidates: under it gold was harvested from this retriever.
HEALTHY_OUTSIDE = (0.10, 0.20)
#: Clearly under the healthy band.
HARVESTED_UNDER = 0.02
#: An evaluation set needs some questions that nothing answers; about one in ten.
HEALTHY_UNANSWERABLE = (0.05, 0.20)
QUARTER = timedelta(days=92)
GENERATED = "generated_from_chunks"


@dataclass(frozen=True, slots=True)
class GoldFacts:
    """What the audit reads of a run. Counts of gold ids are over the answerable queries with known retrieval."""

    gold_ids: int
    outside_candidates: int
    #: Gold ids that name no chunk of the corpus the run brought.
    absent: Sequence[str]
    questions_from: str
    k: int | None
    serving_k: int | None
    answerable: Outcomes
    unanswerable: Outcomes
    false_answers: Summary
    built_at: datetime | None
    #: Judge -> when it was last compared with people; None = never.
    calibrated_at: dict[str, datetime | None]


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: its stable name, how it stands, what was found and what would be healthy."""

    check: str
    state: State
    found: str
    healthy: str


def audit(facts: GoldFacts, now: datetime) -> list[Finding]:
    """Return the findings, in the order of docs/metrics.md."""
    return [
        _outside(facts),
        _questions(facts),
        _k(facts),
        _unanswerable(facts),
        _absent(facts),
        _age(facts, now),
    ]


def _outside(facts: GoldFacts) -> Finding:
    healthy = "10 to 20 % outside the candidates; near 0 means that gold was harvested from this retriever"
    if not facts.gold_ids:
        return Finding("outside_candidates", State.OPEN, "no gold ids with known retrieval", healthy)
    share = facts.outside_candidates / facts.gold_ids
    low, high = HEALTHY_OUTSIDE
    found = f"{facts.outside_candidates} of {facts.gold_ids} gold ids ({share:.1%}) outside the candidates"
    state = State.OK if low <= share <= high else State.WARN
    if share < HARVESTED_UNDER:
        found += ": gold looks harvested from this retriever"
    return Finding("outside_candidates", state, found, healthy)


def _questions(facts: GoldFacts) -> Finding:
    healthy = "not generated from the chunks they are graded against"
    if not facts.questions_from:
        return Finding("questions_from", State.OPEN, "the file does not say where the questions come from", healthy)
    state = State.WARN if facts.questions_from == GENERATED else State.OK
    return Finding("questions_from", state, facts.questions_from, healthy)


def _k(facts: GoldFacts) -> Finding:
    healthy = "evaluated at the k that is served"
    if facts.k is None or facts.serving_k is None:
        return Finding("serving_k", State.OPEN, "the file does not say both k", healthy)
    same = facts.k == facts.serving_k
    found = f"evaluated at {facts.k}, served at {facts.serving_k}"
    return Finding("serving_k", State.OK if same else State.WARN, found, healthy)


def _unanswerable(facts: GoldFacts) -> Finding:
    healthy = "about 10 % unanswerable, and the drop they cause stated"
    with_them = facts.answerable.queries + facts.unanswerable.queries
    if not with_them:
        return Finding("unanswerable", State.OPEN, "no queries", healthy)
    share = facts.unanswerable.queries / with_them
    low, high = HEALTHY_UNANSWERABLE
    found = f"{facts.unanswerable.queries} of {with_them} queries ({share:.1%}){_drop(facts)}"
    return Finding("unanswerable", State.OK if low <= share <= high else State.WARN, found, healthy)


def _drop(facts: GoldFacts) -> str:
    """Return accuracy with and without the unanswerable, and the false-answer rate, where they have values."""
    decided = facts.answerable.decided + facts.unanswerable.decided
    if not facts.answerable.decided or not facts.unanswerable.decided:
        return ""
    pooled = (facts.answerable.correct + facts.unanswerable.correct) / decided
    without = facts.answerable.correct / facts.answerable.decided
    words = f"; accuracy {pooled:.3f} with them, {without:.3f} without"
    if facts.false_answers.value is None:
        return words
    return f"{words}; false answers {facts.false_answers.value:.3f} (n {facts.false_answers.n})"


def _absent(facts: GoldFacts) -> Finding:
    found = "every gold id names a chunk"
    if facts.absent:
        found = f"{len(facts.absent)} gold ids name no chunk: {', '.join(sorted(facts.absent))}"
    return Finding("absent_gold", State.WARN if facts.absent else State.OK, found, "0 gold ids absent from the corpus")


def _age(facts: GoldFacts, now: datetime) -> Finding:
    healthy = "evaluation set and calibrations under a quarter old"
    ages = {"evaluation set": facts.built_at, **facts.calibrated_at}
    words = [f"{name} {_days(at, now)}" for name, at in ages.items()]
    if any(at is not None and now - at > QUARTER for at in ages.values()):
        return Finding("age", State.WARN, ", ".join(words), healthy)
    state = State.OPEN if None in ages.values() else State.OK
    return Finding("age", state, ", ".join(words), healthy)


def _days(at: datetime | None, now: datetime) -> str:
    return "of unknown age" if at is None else f"{(now - at).days} days old"
