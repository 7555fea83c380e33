"""Scores and outcomes of a run, query by query, and what they foretell."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

from labeling.core.foretelling import Auroc, Case, Caveat, Fifth, auroc, caveat, fifths
from triage.core.confidence import signals
from triage.models import Run

#: Every decided query with its candidates' scores in rank order.
SCORES = """
SELECT query.key_hash, query.correct,
    array_agg(retrieved.score ORDER BY retrieved.rank), array_agg(retrieved.rerank_score ORDER BY retrieved.rank)
FROM triage_query AS query
JOIN triage_retrieved AS retrieved ON retrieved.query_id = query.id
WHERE query.run_id = %(run)s AND query.correct IS NOT NULL
GROUP BY query.id
"""
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


def confidence(run: Run) -> Confidence:
    """Read the run's scores: one statement for all of them."""
    decided = run.queries.exclude(correct=None).count()
    cases: dict[str, list[Case]] = {signal: [] for signal in NAMES}
    with connection.cursor() as cursor:
        cursor.execute(SCORES, {"run": run.pk})
        for key, correct, scores, rerank_scores in cursor:
            found = signals(scores, rerank_scores)
            for signal, (_, is_surer) in NAMES.items():
                value = getattr(found, signal)
                if value is not None:
                    cases[signal].append(Case(value if is_surer else -value, not correct, dev=bytes(key)[0] % 2 == 0))
    return Confidence(run, decided, tuple(_foretold(signal, cases[signal]) for signal in NAMES))


def _foretold(signal: str, cases: list[Case]) -> Foretold:
    title, is_surer = NAMES[signal]
    return Foretold(signal, title, is_surer, auroc(cases), fifths(cases), caveat(cases))
