"""The figures of one comparison as JSON: what a Calibration row holds and every page and command prints.

Imports numpy by way of the statistics: loaded by workers and commands, inside functions, never by a web process.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from labeling.core.agreement import agreement_of_pairs, agreement_of_units
from labeling.core.calibration import Confusion, Judged, figures, label_figures, rate
from labeling.core.figures import Figure, Undefined
from labeling.core.items import Item, LabelPair, Unit
from labeling.core.rates import Called, Known, rates_of_all
from labeling.core.reliability import isotonic_curve, platt, reliability_bins
from labeling.core.sampling import DEV, TEST, split_of
from labeling.core.threshold import SweepPoint, at, best, sweep, thinned
from triage.core.labels import FOUR_CLASSES, VERDICT_LABELS

#: Points of the sweep kept for drawing; the choice reads all of them.
SWEEP_POINTS = 120
ROUND_THRESHOLDS = tuple(step / 10 for step in range(1, 10))
#: Slices with fewer items are left out of the table by slice; it says so.
LEAST_OF_SLICE = 20
#: Version of this JSON's meaning: another one makes a new comparison of the same labels.
VERSION = 1


def basis_of(parts: Sequence[object]) -> str:
    """Return 16 hex digits over everything a comparison rests on."""
    body = json.dumps([VERSION, *parts], sort_keys=True, default=str)
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def compare(items: Sequence[Item], threshold: float) -> dict[str, Any]:
    """Return all figures of a binary comparison: on all labels, on dev and on test, and what the scores say."""
    usable = [item for item in items if item.is_usable]
    parts = {DEV: [], TEST: [], "all": usable}  # type: dict[str, list[Item]]
    for item in usable:
        parts[split_of(item.query)].append(item)
    return {
        "n": len(usable),
        "queries": len({item.query for item in usable}),
        "positives": sum(item.human is True for item in usable),
        "tied": sum(item.human is None for item in items),
        "without_score": sum(item.judge is None for item in items),
        "threshold": threshold,
        **{name: _figures(rows) for name, rows in parts.items()},
        **_scores(parts, threshold),
        "people": _people(items),
        "by_slice": _by_slice(usable),
    }


def _figures(items: Sequence[Item]) -> dict[str, Any]:
    rows = [Judged(item.query, item.key, item.human is True, item.judge is True, item.score) for item in items]
    found = figures(rows)
    return {
        "n": len(rows),
        "queries": len({row.query for row in rows}),
        "confusion": asdict(Confusion.of(rows)),
        **{key: figure.as_json() for key, figure in found.items()},
    }


def in_all(confusion: Mapping[str, int], called: Called) -> dict[str, Any]:
    """Return what holds of all items called, read or not: how often its yes and its no are right, TPR and TNR."""
    table = Confusion(**confusion)
    yes, no = Known(table.tp, table.tp + table.fp), Known(table.tn, table.tn + table.fn)
    tpr, tnr = rates_of_all(yes, no, called)
    found = {"ppv": rate(yes, Undefined.NEVER_SAID), "npv": rate(no, Undefined.NEVER_SAID), "tpr": tpr, "tnr": tnr}
    return {"called": asdict(called), **{key: figure.as_json() for key, figure in found.items()}}


def _scored(items: Sequence[Item]) -> tuple[list[float], list[bool]]:
    rows = [(item.score, item.human is True) for item in items if item.score is not None]
    return [score for score, _ in rows], [human for _, human in rows]


def _scores(parts: Mapping[str, Sequence[Item]], threshold: float) -> dict[str, Any]:
    """Return the sweep on dev, the threshold it suggests as it does on test, and what scores mean."""
    points, tested = sweep(*_scored(parts[DEV])), sweep(*_scored(parts[TEST]))
    chosen, in_use = best(points), at(points, threshold)
    kept = [point.threshold for point in (chosen, in_use) if point]
    scores, human = _scored(parts["all"])
    curve = platt(scores, human)
    return {
        "sweep": [point.as_json() for point in thinned(points, SWEEP_POINTS, kept)],
        "sweep_n": len(_scored(parts[DEV])[0]),
        "table": _table(points, {threshold, *([chosen.threshold] if chosen else [])}),
        "suggested": _suggested(chosen, tested) if chosen else None,
        "bins": [asdict(one) | {"title": one.title} for one in reliability_bins(*_scored(parts[TEST]))],
        "isotonic": _thin(isotonic_curve(scores, human)),
        "platt": asdict(curve) if curve else None,
    }


def _table(points: Sequence[SweepPoint], more: set[float]) -> list[dict[str, Any]]:
    """Return what round thresholds, and those in `more`, do; each read from the whole sweep."""
    rows = ((threshold, at(points, threshold)) for threshold in sorted({*ROUND_THRESHOLDS, *more}))
    return [{**point.as_json(), "threshold": threshold} for threshold, point in rows if point is not None]


def _suggested(chosen: SweepPoint, tested: Sequence[SweepPoint]) -> dict[str, Any]:
    on_test = at(tested, chosen.threshold)
    return {"threshold": chosen.threshold, "dev": chosen.as_json(), "test": on_test.as_json() if on_test else None}


def _thin(curve: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Keep the corners of a staircase: where the share changes, and the ends."""
    return [
        point
        for place, point in enumerate(curve)
        if place in (0, len(curve) - 1) or point[1] != curve[place - 1][1] or point[1] != curve[place + 1][1]
    ]


def _people(items: Sequence[Item]) -> dict[str, Any]:
    """Return how far people agree with each other on the items that several of them read."""
    units = [Unit(item.query, tuple(label for _, label in item.labels)) for item in items if len(item.labels) > 1]
    found = agreement_of_units(units, sorted({label for unit in units for label in unit.labels}))
    return {"n": found.n} | {
        key: figure.as_json()
        for key, figure in (("raw", found.raw), ("kappa", found.kappa), ("alpha", found.alpha), ("ac1", found.ac1))
    }


def _by_slice(items: Sequence[Item]) -> list[dict[str, Any]]:
    """Return TPR, TNR and balanced accuracy by slice, largest first; small slices are marked by their n."""
    groups: defaultdict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in items:
        for part in item.slices:
            groups[part].append(item)
    rows = []
    for (name, value), members in sorted(groups.items(), key=lambda pair: (pair[0][0], -len(pair[1]), pair[0][1])):
        if len(members) < LEAST_OF_SLICE:
            continue
        found = figures([Judged(i.query, i.key, i.human is True, i.judge is True) for i in members])
        kept = {key: found[key].as_json() for key in ("tpr", "tnr", "balanced_accuracy")}
        rows.append({"slice": name, "value": value, "n": len(members), **kept})
    return rows


def compare_labels(pairs: Sequence[LabelPair], people: Sequence[Unit]) -> dict[str, Any]:
    """Return the figures of the four labels: machine against people, and people against each other."""
    found, among = agreement_of_pairs(pairs, VERDICT_LABELS), agreement_of_units(people, VERDICT_LABELS)
    each = label_figures(pairs, [str(label) for label in FOUR_CLASSES])
    return {
        "n": found.n,
        "queries": found.clusters,
        "positives": sum(pair.left == pair.right for pair in pairs),
        "categories": list(found.categories),
        "matrix": [list(row) for row in found.matrix],
        "raw_agreement": found.raw.as_json(),
        "kappa": found.kappa.as_json(),
        "alpha": found.alpha.as_json(),
        "ac1": found.ac1.as_json(),
        "per_label": {
            label: {"precision": row.precision.as_json(), "recall": row.recall.as_json(), "f1": row.f1.as_json()}
            for label, row in each.items()
        },
        "people": {"n": among.n, "raw": among.raw.as_json(), "kappa": among.kappa.as_json()},
    }


def figure_of(told: Mapping[str, Any]) -> Figure:
    """Return a stored figure as a value again."""
    return Figure(told["value"], told["low"], told["high"], told["n"], told.get("undefined"))
