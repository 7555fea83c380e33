"""Scores and outcomes of a run, query by query, and what they foretell.

The database makes the three signals of a query from its slots: what leaves it is one narrow row a query, however many
candidates each has.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

from labeling.core.foretelling import Auroc, Case, Caveat, Fifth, auroc, caveat, fifths
from triage.models import Run

#: Retriever and reranker are compared on their first so many candidates, of those that both scored.
COMPARED = 5
#: Every decided query: which half its id falls into, whether it failed, and its signals: the best score; the best minus
#: the next best; the share of the retriever's first five that are not among the reranker's. Best and next are of the
#: reranker's scores where it gave any: those decided what entered the prompt. Ties of the first five keep rank order. A
#: score of 1e300 and more, or none at all, is no score: differences of such would be infinite.
SIGNALS = f"""
WITH slot AS (
    SELECT query_id, rank,
        CASE WHEN abs(score) < 1e300 THEN score END AS first,
        CASE WHEN abs(rerank_score) < 1e300 THEN rerank_score END AS second
    FROM triage_retrieved
    WHERE query_id IN (SELECT id FROM triage_query WHERE run_id = %(run)s AND correct IS NOT NULL)
), told AS (
    SELECT query_id,
        COALESCE(
            (array_agg(second ORDER BY second DESC) FILTER (WHERE second IS NOT NULL))[1:2],
            (array_agg(first ORDER BY first DESC) FILTER (WHERE first IS NOT NULL))[1:2]
        ) AS deciding,
        array_agg(rank ORDER BY first DESC, rank) FILTER (WHERE is_compared) AS by_first,
        array_agg(rank ORDER BY second DESC, rank) FILTER (WHERE is_compared) AS by_second
    FROM (SELECT *, first IS NOT NULL AND second IS NOT NULL AS is_compared FROM slot) AS slot
    GROUP BY query_id
)
SELECT get_byte(query.key_hash, 0) %% 2 = 0, NOT query.correct, deciding[1], deciding[1] - deciding[2],
    CASE WHEN cardinality(by_first) > {COMPARED} THEN (
        SELECT count(*) FROM unnest(by_first[:{COMPARED}]) AS kept(rank) WHERE rank <> ALL (by_second[:{COMPARED}])
    ) / {COMPARED}.0::float8 END
FROM told
JOIN triage_query AS query ON query.id = told.query_id
ORDER BY query.position
"""  # noqa: S608 - built from one constant of ours
TOP, MARGIN, DISAGREEMENT = "top", "margin", "disagreement"
#: Signal -> what it is called, and whether a higher value is the surer one.
NAMES = {
    TOP: ("Best score", True),
    MARGIN: ("Lead over the next", True),
    DISAGREEMENT: ("Disagreement of retriever and reranker", False),
}


@dataclass(frozen=True, slots=True)
class Foretold:
    """One signal: how well it foretells failure. Values in `fifths` and `caveat` are signed so that higher is surer."""

    signal: str
    title: str
    is_surer_when_higher: bool
    auroc: Auroc
    fifths: tuple[Fifth, ...]
    caveat: Caveat | None

    def told(self, sure: float) -> float:
        """Return a value as the signal is read, not as it is ordered."""
        return sure if self.is_surer_when_higher else -sure + 0.0


@dataclass(frozen=True, slots=True)
class Confidence:
    """All signals of a run."""

    run: Run
    decided: int
    signals: tuple[Foretold, ...]


def signals(run: Run) -> list[tuple[bool, bool, float | None, float | None, float | None]]:
    """Return (chooses the line, failed, top, margin, disagreement) of each decided query, in file order."""
    with connection.cursor() as cursor:
        cursor.execute(SIGNALS, {"run": run.pk})
        found: list[tuple[bool, bool, float | None, float | None, float | None]] = cursor.fetchall()
    return found


def confidence(run: Run) -> Confidence:
    """Read the run's signals: one statement for all of them."""
    decided = run.queries.exclude(correct=None).count()
    cases: dict[str, list[Case]] = {signal: [] for signal in NAMES}
    for is_dev, failed, *values in signals(run):
        for (signal, (_, is_surer)), value in zip(NAMES.items(), values, strict=True):
            if value is not None:
                cases[signal].append(Case(value if is_surer else -value, failed, is_dev))
    return Confidence(run, decided, tuple(_foretold(signal, cases[signal]) for signal in NAMES))


def _foretold(signal: str, cases: list[Case]) -> Foretold:
    title, is_surer = NAMES[signal]
    return Foretold(signal, title, is_surer, auroc(cases), fifths(cases), caveat(cases))
