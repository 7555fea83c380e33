"""A judge's comparison as `calibrate --json` and the judge page tell it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from labeling.models import Calibration
from labeling.models.calibrations import KIND_OF, LABELS
from triage.core.judging import Task
from triage.models import Judge

#: Figures of `--json`, in the contract's order and a few more.
FIGURES = (
    "tpr",
    "tnr",
    "kappa",
    "balanced_accuracy",
    "auroc",
    "brier",
    "ece",
    "youden_j",
    "raw_agreement",
    "ac1",
    "alpha",
)


def told(judge: Judge, rows: Sequence[Calibration], now: datetime) -> dict[str, Any]:
    """Return the stable keys of `calibrate --json`.

    The figures at the top are over all labels at the threshold in use; `dev` and `test` hold the same per split.
    """
    own = next(row for row in rows if row.kind == KIND_OF[Task(judge.task)])
    figures, labels = own.figures, next((row.figures for row in rows if row.kind == LABELS), None)
    suggested = figures["suggested"]
    return {
        "judge": identity(judge),
        "kind": own.kind,
        "state": str(own.trust(now)),
        "n": own.n,
        "queries": figures["queries"],
        "positives": figures["positives"],
        "compared_at": own.computed_at.isoformat(),
        "confusion": figures["all"]["confusion"],
        **{key: figures["all"][key] for key in FIGURES},
        "threshold": judge.threshold,
        "suggested_threshold": suggested["threshold"] if suggested else None,
        "suggested": suggested,
        "dev": figures["dev"],
        "test": figures["test"],
        "tied": figures["tied"],
        "without_score": figures["without_score"],
        "people": figures["people"],
        "labels": labels,
        **({"in_all": figures["in_all"]} if "in_all" in figures else {}),
    }


def told_ratings(row: Calibration, now: datetime) -> dict[str, Any]:
    """Return what `calibrate --json` prints of a score that came with files: no threshold, no confusion."""
    return {
        "judge": identity(row.judge),
        "kind": row.kind,
        "state": str(row.trust(now)),
        "n": row.n,
        "queries": row.figures["queries"],
        "compared_at": row.computed_at.isoformat(),
        "metrics": row.figures["metrics"],
        "threshold": None,
        "suggested_threshold": None,
    }


def identity(judge: Judge) -> dict[str, Any]:
    """Return who a judge is, in the words of exports."""
    return {
        "name": judge.name,
        "task": judge.task,
        "model": judge.model,
        "revision": judge.revision,
        "prompt_hash": judge.prompt_hash,
        "threshold": judge.threshold,
        "fingerprint": judge.fingerprint,
    }
