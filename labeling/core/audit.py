"""Is the recall number itself to be trusted? (metrics.md section 7). Plain values in, named states out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from triage.core.intervals import wilson

#: Share of gold ids outside the candidates that a set not harvested from this retriever shows.
HEALTHY_OUTSIDE = (0.10, 0.20)
#: Below this, gold was most likely harvested from the retriever it is to grade.
HARVESTED_BELOW = 0.02
#: Share of unanswerable questions that is enough to see false answers.
ENOUGH_UNANSWERABLE = 0.05
#: A quarter.
FRESH_DAYS = 92
GENERATED = "generated_from_chunks"


class Health(StrEnum):
    """What a check says."""

    OK = "ok"
    WARN = "warn"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """One check: its stable name, its state, the value it rests on where there is one, and a sentence."""

    check: str
    state: Health
    value: float | None
    n: int
    detail: str
    #: Ids a person should look at.
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answerability:
    """Decided queries by whether the corpus holds an answer."""

    answerable_right: int
    answerable: int
    unanswerable_right: int
    unanswerable: int


def gold_outside(outside: int, gold: int) -> AuditCheck:
    """Check the share of gold ids that the retriever did not bring up at all."""
    name = "gold_outside_candidates"
    if gold == 0:
        return AuditCheck(name, Health.UNKNOWN, None, 0, "No query has both gold and known candidates.")
    share = outside / gold
    low, high = wilson(outside, gold)
    shown = f"{outside:,} of {gold:,} gold ids ({share:.1%}, {low:.1%} to {high:.1%}) lie outside the candidates"
    least, most = HEALTHY_OUTSIDE
    if share < HARVESTED_BELOW:
        return AuditCheck(name, Health.WARN, share, gold, f"{shown}: gold looks harvested from this retriever.")
    if share < least:
        return AuditCheck(name, Health.WARN, share, gold, f"{shown}, fewer than the 10 to 20 % of an independent set.")
    if share > most:
        return AuditCheck(name, Health.WARN, share, gold, f"{shown}, more than 20 %: no reranker can bring these back.")
    return AuditCheck(name, Health.OK, share, gold, f"{shown}, as in a set that is not circular.")


def questions_from(source: str) -> AuditCheck:
    """Check that the questions were not generated from the chunks they are graded against."""
    name = "questions_from"
    if not source:
        return AuditCheck(name, Health.UNKNOWN, None, 0, "The file does not say where the questions come from.")
    if source == GENERATED:
        words = "Questions were generated from the chunks they are graded against: recall is flattered."
        return AuditCheck(name, Health.WARN, None, 0, words)
    return AuditCheck(name, Health.OK, None, 0, f"Questions come from {source.replace('_', ' ')}.")


def same_k(k: object, serving_k: object) -> AuditCheck:
    """Check that the run was evaluated at the k that serves."""
    name = "evaluation_k_is_serving_k"
    if k is None or serving_k is None:
        missing = "k" if k is None else "the serving k"
        return AuditCheck(name, Health.UNKNOWN, None, 0, f"The file does not say {missing}.")
    if k == serving_k:
        return AuditCheck(name, Health.OK, None, 0, f"Evaluated at k {k}, which is what serves.")
    words = f"Evaluated at k {k} while k {serving_k} serves: this recall is of another pipeline."
    return AuditCheck(name, Health.WARN, None, 0, words)


def unanswerable(counts: Answerability) -> AuditCheck:
    """Check that the set holds unanswerable questions, and say what they do to accuracy."""
    name, n = "unanswerable_share", counts.answerable + counts.unanswerable
    if n == 0:
        return AuditCheck(name, Health.UNKNOWN, None, 0, "No query is decided.")
    share = counts.unanswerable / n
    if counts.unanswerable == 0:
        words = "No question is unanswerable: false answers cannot show, and the set flatters."
        return AuditCheck(name, Health.WARN, share, n, words)
    with_all = (counts.answerable_right + counts.unanswerable_right) / n
    right = counts.unanswerable_right / counts.unanswerable
    without = f"{counts.answerable_right / counts.answerable:.3f}" if counts.answerable else "no value"
    words = (
        f"{counts.unanswerable:,} of {n:,} decided questions ({share:.1%}) are unanswerable. Accuracy {with_all:.3f}, "
        f"without them {without}, on them alone {right:.3f}."
    )
    return AuditCheck(name, Health.OK if share >= ENOUGH_UNANSWERABLE else Health.WARN, share, n, words)


def absent_gold(absent: Sequence[str], gold: int) -> AuditCheck:
    """Check that every gold id names a chunk of the corpus the run brought."""
    name = "gold_absent_from_corpus"
    if not absent:
        state = Health.OK if gold else Health.UNKNOWN
        words = "Every gold id names a chunk with a text." if gold else "No query has gold."
        return AuditCheck(name, state, 0.0 if gold else None, gold, words)
    words = f"{len(absent):,} gold ids name no chunk with a text: recall counts what nobody can retrieve."
    return AuditCheck(name, Health.WARN, float(len(absent)), gold, words, tuple(absent))


def set_age(built: date | None, today: date) -> AuditCheck:
    """Check that the evaluation set is younger than a quarter."""
    name = "evaluation_set_age_days"
    if built is None:
        return AuditCheck(name, Health.UNKNOWN, None, 0, "The file does not say when the evaluation set was built.")
    days = (today - built).days
    words = f"The evaluation set was built on {built.isoformat()}, {days:,} days ago"
    if days > FRESH_DAYS:
        words += ": over a quarter. Resample it from recent logs."
        return AuditCheck(name, Health.WARN, float(days), 0, words)
    return AuditCheck(name, Health.OK, float(days), 0, f"{words}.")


def calibration_age(judge: str, trust: str, compared: date | None, today: date) -> AuditCheck:
    """Check that a judge the run rests on was compared with people lately."""
    name = f"judge_{judge}"
    if compared is None:
        return AuditCheck(name, Health.WARN, None, 0, f"Judge {judge} was never compared with people: {trust}.")
    days = (today - compared).days
    state = Health.OK if trust == "calibrated" else Health.WARN
    return AuditCheck(name, state, float(days), 0, f"Judge {judge} was compared {days:,} days ago: {trust}.")
