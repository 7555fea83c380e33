"""Metrics as tiles and as a table: value, interval, target, n and what is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from triage.core.pictures import Interval, interval, share_axis
from triage.core.policy import DEFAULT_TARGETS
from triage.core.summary import RUN_LEVEL_KEYS, Summary
from triage.models import Run
from triage.pages.words import AMOUNTS, DURATIONS, METRIC_NAMES, left_out_words

_AXIS = share_axis()
#: Read together: groundedness says nothing about retrieval, precision and recall never stand alone.
TOGETHER = ("context_recall", "context_precision", "faithfulness")
NOTHING_SUMMED = Summary(None, 0, {})


@dataclass(frozen=True, slots=True)
class Tile:
    """One metric with its place in a picture and how it stands to its target."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    bar: Interval
    tone: str
    words: str
    n: int
    left_out: str


@dataclass(frozen=True, slots=True)
class MetricLine:
    """One metric as a table row; `kind` says how its value is spelt."""

    name: str
    kind: str
    value: float | None
    low: float | None
    high: float | None
    bar: Interval | None
    n: int
    left_out: str


def summaries_of(run: Run) -> dict[str, Summary]:
    """Return the run's stored numbers; one that was never summed up has no value and n 0."""
    stored: Mapping[str, Mapping[str, Any]] = run.summary.get("metrics", {})
    return {key: Summary(**stored[key]) if key in stored else NOTHING_SUMMED for key in RUN_LEVEL_KEYS}


def targets_of(run: Run) -> dict[str, float]:
    """Return metric -> at least: the file's, else the project's, else the defaults."""
    given = {**DEFAULT_TARGETS, **run.project.targets, **run.targets}
    return {key: float(value) for key, value in given.items() if isinstance(value, int | float)}


def tile(key: str, summary: Summary, target: float | None, name: str = "") -> Tile:
    """Return the tile of a ratio."""
    tone, words = against(summary, target)
    return Tile(
        name=name or METRIC_NAMES[key],
        value=summary.value,
        low=summary.low,
        high=summary.high,
        bar=interval(_AXIS, summary.value, summary.low, summary.high, target=target),
        tone=tone,
        words=words,
        n=summary.n,
        left_out=left_out_words(summary.left_out),
    )


def against(summary: Summary, target: float | None) -> tuple[str, str]:
    """Return how a number stands to its target: met or missed by its whole interval, else undecided."""
    if target is None:
        return "open", "no target"
    shown = f"≥ {target:.3f}"
    if summary.value is None:
        return "open", f"no value, {shown}"
    low, high = (summary.value if end is None else end for end in (summary.low, summary.high))
    if low >= target:
        return "ok", f"met, {shown}"
    return ("bad", f"missed, {shown}") if high < target else ("warn", f"undecided, {shown}")


def recall_name(run: Run) -> str:
    """Return the name of recall with its k, and whether it is served at another."""
    k, serving = run.config.get("k"), run.evaluation_set_facts.get("serving_k")
    if k is None:
        return "Recall, k not in the file"
    return f"Recall at k {k}, served at {serving}: different k" if serving not in (None, k) else f"Recall at k {k}"


def lines_of(summaries: Mapping[str, Summary]) -> list[MetricLine]:
    """Return every run-level number as a row."""
    return [_line(key, summary) for key, summary in summaries.items()]


def _line(key: str, summary: Summary) -> MetricLine:
    kind = "duration" if key in DURATIONS else "amount" if key in AMOUNTS else "ratio"
    return MetricLine(
        name=METRIC_NAMES[key],
        kind=kind,
        value=summary.value,
        low=summary.low,
        high=summary.high,
        bar=interval(_AXIS, summary.value, summary.low, summary.high) if kind == "ratio" else None,
        n=summary.n,
        left_out=left_out_words(summary.left_out),
    )
