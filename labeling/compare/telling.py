"""A comparison as `compare --json` tells it, and as a few lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from labeling.compare.arms import Arms, Comparison, Cost, SliceChange
from labeling.compare.verdicts import Flip, MetricChange
from labeling.core.arms import money_places
from labeling.core.padding import Padding
from labeling.core.pinning import pinning_words
from labeling.core.tables import p_words, spelled
from triage.models import Run

#: Metrics in units of their own with their decimals: shown, not drawn on the axis of shares.
AMOUNTS = {"context_tokens": 1, "tokens_per_chunk": 1, "latency_ms": 0, "cost": 2}
#: Run-level metrics of the table, in order: key, words, decimals.
TABLE = (
    ("accuracy", "accuracy", 3),
    ("context_recall", "recall", 3),
    ("context_precision", "precision", 3),
    ("context_precision_at_ranks", "precision at ranks", 3),
    ("faithfulness", "groundedness", 3),
    ("answer_relevance", "relevance", 3),
    ("citation_precision", "citation precision", 3),
    ("citation_coverage", "citation coverage", 3),
    ("false_answer_rate", "false answers", 3),
    ("over_abstention_rate", "over-abstention", 3),
    ("context_tokens", "context tokens", 1),
    ("tokens_per_chunk", "tokens per chunk", 1),
    ("latency_p50_ms", "p50 ms", 0),
    ("latency_p95_ms", "p95 ms", 0),
)


def as_json(arms: Arms) -> dict[str, Any]:
    """Return the stable keys of `compare --json`; `changes` and `flips` are the last run's beside the first.

    With more than two runs `comparisons` holds the same for each run beside the first.
    """
    last = arms.last
    return {
        "runs": [_run_json(run, cost) for run, cost in zip(arms.runs, arms.costs, strict=True)],
        "settings_that_differ": [setting.name for setting in arms.differing],
        "settings": {setting.name: list(setting.values) for setting in arms.differing},
        "slice_key": arms.slice_key,
        **_beside_json(last),
        "comparisons": [_beside_json(each) for each in arms.comparisons],
        "tokens_per_chunk": {"ok": arms.tokens.ok, "detail": arms.tokens.detail},
        "production": [{**asdict(pin), "agrees": pin.agrees} for pin in arms.pins],
    }


def _run_json(run: Run, cost: Cost | None) -> dict[str, Any]:
    told = {"run": run.key, "name": run.name, "release": run.release, "config": run.config}
    return {**told, "metrics": run.summary["metrics"], "cost": asdict(cost) if cost else None}


def _beside_json(each: Comparison) -> dict[str, Any]:
    return {
        "run": each.run.key,
        "baseline": each.baseline.key,
        "settings_that_differ": [setting.name for setting in each.differing],
        "warning": each.warning,
        "paired": each.paired,
        "unpaired": each.unpaired,
        "changes": [_change_json(row) for row in each.changes],
        "class_mix": {"statistic": each.mix.statistic, "df": each.mix.degrees, "p": each.mix.p} if each.mix else None,
        "flips": {"wrong_to_right": _keys(each.wrong_to_right), "right_to_wrong": _keys(each.right_to_wrong)},
        "isolation": _isolation(each),
        "padding": _padding(each.padding),
        "slices": [_slice_json(row) for row in each.slices],
        "explained_most_by": asdict(each.explained) if each.explained else None,
        "truncation": {
            "factor": each.truncation.factor,
            "share_of_relevant": each.truncation.share_of_relevant,
            "share_of_slots": each.truncation.share_of_slots,
        }
        if each.truncation
        else None,
    }


def _change_json(row: MetricChange) -> dict[str, Any]:
    change = row.change
    told = {"difference": change.difference, "low": change.low, "high": change.high, "p": change.p, "n": change.n}
    return {"metric": row.metric, **told, "verdict": str(row.decision)}


def _slice_json(row: SliceChange) -> dict[str, Any]:
    change = row.change
    told = {"difference": change.difference, "low": change.low, "high": change.high, "n": change.n, "p_holm": row.p}
    sides = {"before": row.before, "after": row.after, "failing_before": row.failing_before, "mended": row.mended}
    return {"slice": row.name, **told, **sides, "verdict": str(row.decision)}


def _isolation(each: Comparison) -> dict[str, Any] | None:
    if each.isolation is None:
        return None
    return {
        "failing": each.isolation.failing,
        "right_with_gold_only": each.isolation.right_with_gold_only,
        "accuracy_before": 0.0,
        "accuracy_after": each.isolation.accuracy_after,
        "buried": _keys(each.isolation.buried),
        "by_class": [asdict(row) for row in each.isolation.by_class],
    }


def _padding(found: Padding | None) -> dict[str, Any] | None:
    if found is None:
        return None
    changes = {metric: asdict(change) for metric, change in found.changes}
    told = {"padded": found.padded, "plain": found.plain, "refused": found.refused, "changes": changes}
    return {**told, "groundedness": "" if found.refused else found.groundedness}


def _keys(flips: Sequence[Flip]) -> list[str]:
    return [flip.key for flip in flips]


def as_text(arms: Arms) -> str:
    """Return the comparison for a terminal."""
    names = [run.name for run in arms.runs]
    width = max(12, *(len(name) for name in names)) + 2
    lines = ["".join([" " * 22, *(name.rjust(width) for name in names)])]
    for key, words, places in TABLE:
        values = [run.summary["metrics"].get(key, {}).get("value") for run in arms.runs]
        if any(value is not None for value in values):
            cells = [("no value" if value is None else spelled(value, places)).rjust(width) for value in values]
            lines.append("".join([words.ljust(22), *cells]))
    if any(arms.costs):
        lines.append("".join(["cost of 1,000".ljust(22), *(cost_words(cost).rjust(width) for cost in arms.costs)]))
    if arms.pins:
        lines.append(pinning_words(arms.pins, arms.runs[0].name))
    for each in arms.comparisons:
        lines += ["", *_beside_text(each)]
    return "\n".join([*lines, "", arms.tokens.detail])


def cost_words(cost: Cost | None) -> str:
    """Return what 1,000 queries cost, with its currency."""
    if cost is None:
        return "no value"
    return f"{spelled(cost.of_1000, money_places(cost.of_1000))} {cost.currency}".strip()


def _beside_text(each: Comparison) -> list[str]:
    settings = "; ".join(f"{row.name} {row.values[0]} -> {row.values[1]}" for row in each.differing) or "none"
    lines = [f"{each.baseline.name} -> {each.run.name}, {each.paired} queries paired, {each.unpaired} unpaired"]
    lines.append(f"  settings that differ: {settings}")
    if each.warning:
        lines.append(f"  warning: {each.warning}")
    lines += [f"  {row.metric}: {_change_text(row)}" for row in each.changes]
    if each.mix:
        lines.append(f"  class mix: Stuart-Maxwell p {p_words(each.mix.p)} (df {each.mix.degrees})")
    lines.append(f"  flips: {len(each.wrong_to_right)} wrong to right, {len(each.right_to_wrong)} right to wrong")
    if each.isolation and each.isolation.accuracy_after is not None:
        after = spelled(each.isolation.accuracy_after, 3)
        lines.append(
            f"  isolation test: of {each.isolation.failing} that failed (accuracy 0 there by construction) "
            f"{after} are right with the gold alone; {len(each.isolation.buried)} had their evidence buried"
        )
    lines += _padding_text(each.padding)
    if each.truncation:
        relevant, slots = each.truncation.share_of_relevant, each.truncation.share_of_slots
        lines.append(
            f"  precision x{spelled(each.truncation.factor, 2)}: {spelled(100 * relevant, 1)} % of the relevant chunks "
            f"lie in {spelled(100 * slots, 0)} % of the slots"
        )
    return lines


def places_of(row: MetricChange) -> int:
    """Return the decimals a change is spelled with: money as many as it takes."""
    if row.metric == "cost":
        return money_places(row.change.difference, row.change.low, row.change.high)
    return AMOUNTS.get(row.metric, 3)


def _change_text(row: MetricChange) -> str:
    change, places = row.change, places_of(row)
    shown = spelled(change.difference, places, signed=True)
    low, high = change.low, change.high
    interval = "" if low is None or high is None else f" ({spelled(low, places)} to {spelled(high, places)})"
    return f"{shown}{interval}, p {p_words(change.p)}, n {change.n}: {row.decision}"


def _padding_text(found: Padding | None) -> list[str]:
    if found is None:
        return []
    if found.refused:
        return [f"  no padding test: {found.refused}"]
    told = ", ".join(
        f"{metric.replace('_', ' ')} {spelled(change.difference, 3, signed=True)} (n {change.n})"
        for metric, change in found.changes
    )
    return [f"  padding test, {found.padded} (padded) minus {found.plain}: {told}. {found.groundedness}"]
