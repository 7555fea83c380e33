"""How far people agree on a run's labels, with each other and with the machine: first blind verdicts only."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from statistics import fmean

from labeling.core.figures import Figure, Undefined
from labeling.models import Verdict
from labeling.models.verdicts import Stage
from triage.core.intervals import wilson
from triage.core.labels import UNSCORED
from triage.models import Run

#: query -> reviewer -> (label, what the machine said)
_Blind = dict[int, dict[str, tuple[str, str]]]


def agreement(run: Run) -> tuple[Figure, Figure]:
    """Return the agreement of people with people and of people with the machine on the run's labels.

    Raw shares with Wilson intervals over queries; a query several people read counts once, by the share of their
    pairs (or of them) that agree. Chance-corrected coefficients stand on the agreement page.
    """
    said = _first_blind(run)
    return _share([_pairs(words) for words in said.values()]), _share([_kept(words) for words in said.values()])


def _first_blind(run: Run) -> _Blind:
    rows = Verdict.objects.filter(query__run=run, blind=True, withdrawn=False, stage__in=[Stage.FIRST, Stage.IMPORTED])
    said: _Blind = defaultdict(dict)
    told = (
        rows.exclude(label="")
        .order_by("pk")
        .values_list("query_id", "reviewer_id", "imported_reviewer", "label", "suggested")
    )
    for query, reviewer, imported, label, suggested in told:
        said[query].setdefault(imported or str(reviewer), (label, suggested))
    return said


def _pairs(words: dict[str, tuple[str, str]]) -> float | None:
    """Return the share of pairs of people who gave the same label; None for one person."""
    pairs = [one[0] == other[0] for one, other in combinations(words.values(), 2)]
    return fmean(pairs) if pairs else None


def _kept(words: dict[str, tuple[str, str]]) -> float | None:
    """Return the share of people who said what the machine said; None where it said nothing of the four classes."""
    heard = [label == suggested for label, suggested in words.values() if suggested not in ("", UNSCORED)]
    return fmean(heard) if heard else None


def _share(items: list[float | None]) -> Figure:
    known = [item for item in items if item is not None]
    if not known:
        return Figure.none(Undefined.NO_ITEMS)
    value = fmean(known)
    low, high = wilson(round(value * len(known)), len(known))
    return Figure(value, min(low, value), max(high, value), len(known))
