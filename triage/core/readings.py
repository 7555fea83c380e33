"""Readings of a pair of metrics, as sentences with their numbers: what the numbers say together and not alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from triage.core.metrics import QueryFacts, QueryMetrics
from triage.core.summary import Summary


class State(StrEnum):
    """How a reading stands: healthy, to look after, or not decidable from this run."""

    OK = "ok"
    WARN = "warn"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a sentence; a number is set off, so that a page can make it bold without parsing text."""

    text: str
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading: its stable name, its state, what it says in a line, and the sentence behind it in parts."""

    reading: str
    state: State
    headline: str
    parts: tuple[Part, ...]

    @property
    def sentence(self) -> str:
        """Return the sentence as plain text."""
        return "".join(part.text for part in self.parts)


@dataclass(slots=True)
class Pair:
    """Recall and accuracy over the same queries: those with a recall and a decided answer."""

    n: int = 0
    #: All of the gold was in the context; some of it was.
    complete: int = 0
    found: int = 0
    correct: int = 0

    def add(self, facts: QueryFacts, metrics: QueryMetrics) -> None:
        """Count one query in, if it has both."""
        recall = metrics.context_recall
        if facts.correct is None or isinstance(recall, str):
            return
        self.n += 1
        self.complete += recall == 1.0
        self.found += recall > 0.0
        self.correct += facts.correct

    @property
    def failing(self) -> int:
        return self.n - self.correct

    @property
    def incomplete(self) -> int:
        return self.n - self.complete


def read(pair: Pair, summaries: Mapping[str, Summary]) -> list[Reading]:
    """Return the readings of a run, in the order of the page."""
    return [
        where_the_loss_is(pair),
        crowding(summaries["faithfulness"], summaries["context_precision"]),
        load_bearing(pair, summaries["faithfulness"]),
    ]


def where_the_loss_is(pair: Pair) -> Reading:
    """Say how many failures can be missing evidence at most, and how many had all of it at least."""
    if not pair.n:
        return _unreadable("loss", "Where the loss is cannot be read.")
    lacking = min(pair.incomplete, pair.failing)
    equipped = pair.failing - lacking
    complete, accuracy = _ratio(pair.complete, pair.n), _ratio(pair.correct, pair.n)
    sentence = (
        *_parts("All evidence was in the context for ", complete, f" of {pair.n} queries, accuracy is ", accuracy),
        *_parts(". At most ", _number(lacking), f" of the {pair.failing} failures can be missing evidence; "),
        *_parts("at least ", _number(equipped), " had all of it."),
    )
    if not pair.failing:
        return Reading("loss", State.OK, "Nothing is lost.", sentence)
    if equipped > lacking:
        return Reading("loss", State.WARN, "Most of the loss happens after retrieval.", sentence)
    return Reading("loss", State.WARN, "Missing evidence can explain most of the loss.", sentence)


def load_bearing(pair: Pair, faithfulness: Summary) -> Reading:
    """Say whether some answers must have come from elsewhere than the retrieved evidence."""
    if not pair.n:
        return _unreadable("load_bearing", "Whether the corpus is load-bearing cannot be read.")
    without = pair.correct - pair.found
    found = _parts("Some evidence was found for ", _ratio(pair.found, pair.n), f" of {pair.n} queries, ")
    accuracy = _ratio(pair.correct, pair.n)
    if without <= 0:
        rest = _parts("not below the accuracy of ", accuracy, "; no right answer has to come from elsewhere.")
        return Reading("load_bearing", State.OK, "The corpus is load-bearing.", found + rest)
    rest = _parts("accuracy is ", accuracy, ": at least ", _ratio(without, pair.n), " of them were answered right ")
    rest += _parts("without any of their evidence. Look at faithfulness: ", *_value(faithfulness), ".")
    return Reading("load_bearing", State.WARN, "The corpus may not be load-bearing.", found + rest)


def crowding(faithfulness: Summary, precision: Summary) -> Reading:
    """Put context precision beside groundedness, which says nothing about retrieval on its own."""
    beside = ("Groundedness is ", *_value(faithfulness), ", context precision ", *_value(precision))
    if precision.value is None:
        sentence = _parts(*beside, ". Groundedness says nothing about retrieval.")
        return Reading("crowding", State.OPEN, "Context precision is missing beside groundedness.", sentence)
    if precision.value < 0.5:  # more than half of the slots hold something else than evidence
        sentence = _parts(*beside, ": more than half of a context is not gold, and groundedness cannot see it.")
        return Reading("crowding", State.WARN, "The context is crowded.", sentence)
    sentence = _parts(*beside, ": at least half of a context is gold.")
    return Reading("crowding", State.OK, "Most of the context is evidence.", sentence)


def _unreadable(reading: str, headline: str) -> Reading:
    return Reading(reading, State.OPEN, headline, (Part("No query has both a recall and a decided answer."),))


def _value(summary: Summary) -> tuple[str | Part, ...]:
    if summary.value is None:
        return ("without a value",)
    return (Part(f"{summary.value:.3f}", is_number=True), f" (n {summary.n})")


def _ratio(part: int, whole: int) -> Part:
    return Part(f"{part / whole:.3f}", is_number=True)


def _number(count: int) -> Part:
    return Part(str(count), is_number=True)


def _parts(*pieces: str | Part) -> tuple[Part, ...]:
    return tuple(piece if isinstance(piece, Part) else Part(piece) for piece in pieces)
