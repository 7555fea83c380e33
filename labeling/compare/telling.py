"""A comparison as `compare --json` tells it, and as a few lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from labeling.compare.arms import Arms, Comparison, Flip, MetricChange, SliceChange
from labeling.core.tables import spelled
from triage.models import Run

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
        "runs": [
            {
                "run": run.key,
                "name": run.name,
                "release": run.release,
                "config": run.config,
                "metrics": run.summary["metrics"],
            }
            for run in arms.runs
        ],
        "settings_that_differ": [setting.name for setting in arms.differing],
        "settings": {setting.name: list(setting.values) for setting in arms.differing},
        "slice_key": arms.slice_key,
        **_beside_json(last),
        "comparisons": [_beside_json(each) for each in arms.comparisons],
        "tokens_per_chunk": {"ok": arms.tokens.ok, "detail": arms.tokens.detail},
    }


def _run_json(run: Run) -> dict[str, Any]:
    told = {"run": run.key, "name": run.name, "release": run.release, "config": run.config}
    return {**told, "metrics": run.summary["metrics"]}


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
    return {"slice": row.name, **told, "verdict": str(row.decision)}


def _isolation(each: Comparison) -> dict[str, Any] | None:
    if each.isolation is None:
        return None
    return {
        "failing": each.isolation.failing,
        "right_with_gold_only": each.isolation.right_with_gold_only,
        "accuracy_before": 0.0,
        "accuracy_after": each.isolation.accuracy_after,
        "buried": _keys(each.isolation.buried),
    }


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
    for each in arms.comparisons:
        lines += ["", *_beside_text(each)]
    return "\n".join([*lines, "", arms.tokens.detail])


def p_words(p: float) -> str:
    """Return a p-value as it is read: never a bare zero."""
    return "under 0.0001" if p < 0.0001 else spelled(p, 4)


def _beside_text(each: Comparison) -> list[str]:
    settings = "; ".join(f"{row.name} {row.values[0]} -> {row.values[1]}" for row in each.differing) or "none"
    lines = [f"{each.baseline.name} -> {each.run.name}, {each.paired} queries paired, {each.unpaired} unpaired"]
    lines.append(f"  settings that differ: {settings}")
    if each.warning:
        lines.append(f"  warning: {each.warning}")
    for row in each.changes:
        change = row.change
        interval = "" if change.low is None else f" ({spelled(change.low, 3)} to {spelled(change.high or 0.0, 3)})"
        shown = spelled(change.difference, 3, signed=True)
        lines.append(f"  {row.metric}: {shown}{interval}, p {p_words(change.p)}, n {change.n}: {row.decision}")
    lines.append(f"  flips: {len(each.wrong_to_right)} wrong to right, {len(each.right_to_wrong)} right to wrong")
    if each.isolation and each.isolation.accuracy_after is not None:
        after = spelled(each.isolation.accuracy_after, 3)
        lines.append(
            f"  isolation test: of {each.isolation.failing} that failed (accuracy 0 there by construction) "
            f"{after} are right with the gold alone; {len(each.isolation.buried)} had their evidence buried"
        )
    if each.truncation:
        relevant, slots = each.truncation.share_of_relevant, each.truncation.share_of_slots
        lines.append(
            f"  precision x{spelled(each.truncation.factor, 2)}: {spelled(100 * relevant, 1)} % of the relevant chunks "
            f"lie in {spelled(100 * slots, 0)} % of the slots"
        )
    return lines
