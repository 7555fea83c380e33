"""Run-level numbers: value, the n it rests on, how many were left out and why, a 95 % interval. One pass.

For every key, n and the left-out counts add up to the queries of the run.

- share (accuracy, evidence_*, any_unsupported, *_rate): a yes or no per query; interval by Wilson.
- mean: a metric averaged over the queries that have it; mean -/+ 1.96 s / sqrt(n), ratios cut to [0, 1];
  where every value is 0, or every value is 1, there is no spread to go by and the interval is Wilson's.
- percentile (latency p50 and p95): nearest rank, the smallest value with at least p per cent of the values at or
  below it, hence always a value that occurred; no interval.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from triage.core.intervals import normal_interval, wilson
from triage.core.metrics import Metric, Missing, QueryFacts, QueryMetrics, value_of

#: Left-out reasons of shares that are about a part of the queries only.
UNDECIDED = "undecided"
ANSWERABLE = "answerable"
NOT_ANSWERABLE = str(Missing.NOT_ANSWERABLE)
#: The run holds no answer at all, only what was retrieved: nobody answered, so nobody declined.
NO_ANSWERS = "no_answers"


@dataclass(frozen=True, slots=True)
class Summary:
    """One run-level number. `value` None: nothing has it (n 0). No interval under two values, or for percentiles."""

    value: float | None
    n: int
    #: reason -> how many queries
    left_out: dict[str, int]
    low: float | None = None
    high: float | None = None


def _left_out(reasons: Counter[str]) -> dict[str, int]:
    return dict(sorted(reasons.items()))


@dataclass(slots=True)
class _Share:
    k: int = 0
    n: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def add_all(self, words: Iterable[bool | str]) -> None:
        for word in words:
            if isinstance(word, str):
                self.left_out[str(word)] += 1
            else:
                self.n += 1
                self.k += word

    def result(self) -> Summary:
        if not self.n:
            return Summary(None, 0, _left_out(self.left_out))
        return Summary(self.k / self.n, self.n, _left_out(self.left_out), *wilson(self.k, self.n))


@dataclass(slots=True)
class _Mean:
    """Mean by a compensated sum (Neumaier), spread by Welford's running squares (Knuth, TAOCP 2, 4.2.2)."""

    is_ratio: bool
    n: int = 0
    total: float = 0.0
    lost: float = 0.0
    running: float = 0.0
    squares: float = 0.0
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def mean(self) -> float:
        return (self.total + self.lost) / self.n

    def add_all(self, metrics: Iterable[Metric]) -> None:
        """Count these in, one after the other; the sums stand in variables meanwhile, for a run passes through here."""
        n, total, lost, running, squares = self.n, self.total, self.lost, self.running, self.squares
        for metric in metrics:
            value = value_of(metric)
            if value is None:
                self.left_out[str(metric if isinstance(metric, str) else Missing.MISSING)] += 1
                continue
            n += 1
            grown = total + value
            # What rounding cut off, from the smaller of the two summands; no metric of ours is negative.
            lost += (total - grown) + value if total >= value else (value - grown) + total
            total = grown
            step = value - running
            running += step / n
            squares += step * (value - running)
        self.n, self.total, self.lost, self.running, self.squares = n, total, lost, running, squares

    def result(self) -> Summary:
        left_out = _left_out(self.left_out)
        if self.n < 2:
            return Summary(self.mean if self.n else None, self.n, left_out)
        if self.is_ratio and self.mean in (0.0, 1.0):  # no spread was seen, which is not certainty
            return Summary(self.mean, self.n, left_out, *wilson(round(self.mean) * self.n, self.n))
        low, high = normal_interval(self.mean, self.squares / (self.n - 1), self.n)
        low = max(0.0, low)  # no metric of ours is negative
        return Summary(self.mean, self.n, left_out, low, min(1.0, high) if self.is_ratio else high)


@dataclass(slots=True)
class _Percentiles:
    values: array[float] = field(default_factory=lambda: array("d"))
    left_out: Counter[str] = field(default_factory=Counter)

    def add_all(self, metrics: Iterable[Metric]) -> None:
        for metric in metrics:
            value = value_of(metric)
            if value is None:
                self.left_out[str(Missing.MISSING)] += 1
            else:
                self.values.append(value)

    def at(self, percent: int) -> Summary:
        value = percentile(self.values, percent) if self.values else None
        return Summary(value, len(self.values), _left_out(self.left_out))


def percentile(values: Iterable[float], percent: int) -> float:
    """Return the nearest-rank percentile: always one of the values. Raises ValueError when there are none."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("no values, no percentile")
    rank = -(-percent * len(ordered) // 100)  # ceiling of percent * n / 100, without floating point
    return ordered[max(rank, 1) - 1]


def _accuracy(facts: QueryFacts, metrics: QueryMetrics) -> bool | str:
    return UNDECIDED if facts.correct is None else facts.correct


def _evidence_complete(facts: QueryFacts, metrics: QueryMetrics) -> bool | str:
    recall = metrics.context_recall
    return recall if isinstance(recall, str) else recall == 1.0


def _evidence_found(facts: QueryFacts, metrics: QueryMetrics) -> bool | str:
    recall = metrics.context_recall
    return recall if isinstance(recall, str) else recall > 0.0


def _any_unsupported(facts: QueryFacts, metrics: QueryMetrics) -> bool | str:
    faithfulness = metrics.faithfulness
    return faithfulness if isinstance(faithfulness, str) else faithfulness < 1.0


def _false_answer(facts: QueryFacts, metrics: QueryMetrics) -> bool | str:
    return ANSWERABLE if facts.answerable else not facts.abstained


def _over_abstention(facts: QueryFacts, metrics: QueryMetrics) -> bool | str:
    return facts.abstained if facts.answerable else NOT_ANSWERABLE


SHARES: dict[str, Callable[[QueryFacts, QueryMetrics], bool | str]] = {
    "accuracy": _accuracy,
    "evidence_complete": _evidence_complete,
    "evidence_found": _evidence_found,
    "any_unsupported": _any_unsupported,
    "false_answer_rate": _false_answer,
    "over_abstention_rate": _over_abstention,
}
#: Shares about declining.
DECLINING = ("false_answer_rate", "over_abstention_rate")
RATIOS: tuple[str, ...] = (
    "context_precision",
    "context_precision_at_ranks",
    "context_recall",
    "candidate_recall",
    "faithfulness",
    "support_from_gold",
    "answer_relevance",
    "citation_precision",
    "citation_coverage",
)
AMOUNTS: tuple[str, ...] = ("context_tokens", "tokens_per_chunk")

#: Every run-level key, in the order of docs/metrics.md.
RUN_LEVEL_KEYS: tuple[str, ...] = (
    "accuracy",
    "context_precision",
    "context_precision_at_ranks",
    "context_recall",
    "candidate_recall",
    "evidence_complete",
    "evidence_found",
    "faithfulness",
    "any_unsupported",
    "support_from_gold",
    "answer_relevance",
    "citation_precision",
    "citation_coverage",
    "false_answer_rate",
    "over_abstention_rate",
    "latency_p50_ms",
    "latency_p95_ms",
    "context_tokens",
    "tokens_per_chunk",
)


class Summariser:
    """Takes the queries of a run one by one and gives the run-level numbers at any time."""

    def __init__(self) -> None:
        self._shares = {key: _Share() for key in SHARES}
        self._means = {key: _Mean(is_ratio=key in RATIOS) for key in (*RATIOS, *AMOUNTS)}
        self._latency = _Percentiles()
        self._queries = self._answers = 0

    def add(self, facts: QueryFacts, metrics: QueryMetrics) -> None:
        """Count one query in."""
        self.add_all([(facts, metrics)])

    def add_all(self, rows: Sequence[tuple[QueryFacts, QueryMetrics]]) -> None:
        """Count these queries in, number by number: the same as one after the other, in a third of the time."""
        self._queries += len(rows)
        self._answers += sum([bool(facts.answer and facts.answer.strip()) for facts, _ in rows])
        for key, word_of in SHARES.items():
            self._shares[key].add_all([word_of(facts, metrics) for facts, metrics in rows])
        for key, mean in self._means.items():
            value = attrgetter(key)
            mean.add_all([value(metrics) for _, metrics in rows])
        self._latency.add_all([metrics.latency_ms for _, metrics in rows])

    def result(self) -> dict[str, Summary]:
        """Return one Summary per run-level key."""
        found = {key: share.result() for key, share in self._shares.items()}
        found |= {key: mean.result() for key, mean in self._means.items()}
        found["latency_p50_ms"] = self._latency.at(50)
        found["latency_p95_ms"] = self._latency.at(95)
        if self._queries and not self._answers:
            found |= dict.fromkeys(DECLINING, Summary(None, 0, {NO_ANSWERS: self._queries}))
        return {key: found[key] for key in RUN_LEVEL_KEYS}


def summarise(rows: Iterable[tuple[QueryFacts, QueryMetrics]]) -> dict[str, Summary]:
    """Return every run-level number of the queries, in one pass."""
    summariser = Summariser()
    for facts, metrics in rows:
        summariser.add(facts, metrics)
    return summariser.result()
