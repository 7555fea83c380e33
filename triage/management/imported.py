"""An import as a script and as a person read it."""

from __future__ import annotations

from typing import Any

from triage.core.labels import FOUR_CLASSES, UNSCORED
from triage.core.summary import RUN_LEVEL_KEYS
from triage.models import Query, Run, Upload
from triage.models.closing import closure_checks

#: Row errors printed before the rest is only counted.
PRINTED_ERRORS = 20


def told(upload: Upload, run: Run | None) -> dict[str, Any]:
    """Return the stable keys of `ingest --wait --json`; a refused file has no run and says why."""
    head = {"run": run.key if run else None, "file": upload.file_name, "created": bool(upload.created_run)}
    if run is None:
        return {**head, "state": upload.state, "reason": upload.reason, "errors": upload.errors, "warnings": []}
    outcomes, classes = Query.objects.outcomes(run), run.summary.get("classes", {})
    return {
        **head,
        "name": run.name,
        "state": run.state,
        "reason": run.state_reason or upload.reason,
        "queries": run.counts["queries"],
        "failing": outcomes.failing,
        "correct": outcomes.correct,
        "undecided": outcomes.undecided,
        "correct_by": run.summary.get("correct_by", {}),
        "chunks": run.counts["chunks"],
        "errors": run.errors,
        "error_count": run.error_count,
        "warnings": run.warnings,
        "classes": {str(label): classes.get(label, 0) for label in (*FOUR_CLASSES, UNSCORED)},
        "metrics": _metrics(run),
        "closure": [{"check": check.check, "ok": check.ok, "detail": check.detail} for check in closure_checks(run)],
    }


def _metrics(run: Run) -> dict[str, dict[str, Any]]:
    measured = run.summary.get("metrics", {})
    nothing: dict[str, Any] = {"value": None, "n": 0, "left_out": {}}
    return {key: {name: measured.get(key, nothing)[name] for name in nothing} for key in RUN_LEVEL_KEYS}


def lines(upload: Upload, run: Run | None, answer: dict[str, Any]) -> list[str]:
    """Return what came of a file as lines for people."""
    if run is None:
        return [f"{upload.file_name}: not imported. {upload.reason}", *_error_lines(upload.errors, upload.error_count)]
    what = "imported as" if upload.created_run else "holds what was imported before as"
    classes = ", ".join(f"{count} {label}" for label, count in answer["classes"].items())
    return [
        f"{upload.file_name}: {what} run {run.name} ({run.key}), {run.state}.",
        f"  {answer['queries']:,} queries: {answer['failing']:,} failing, {answer['correct']:,} correct, "
        f"{answer['undecided']:,} undecided{_matched(run)}; {answer['chunks']:,} chunks.",
        f"  {classes}.",
        *_error_lines(run.errors, run.error_count),
        *(_warning_line(notice) for notice in run.warnings),
    ]


def _matched(run: Run) -> str:
    return f" ({run.decided_by_match:,} of them by match with the reference)" if run.decided_by_match else ""


def _error_lines(errors: list[dict[str, Any]], count: int) -> list[str]:
    if not count:
        return []
    shown = [
        f"    line {error['line']:,}, {error['field']}: found {error['found']}; "
        f"expected {error['expected']}. {error['remedy']}"
        for error in errors[:PRINTED_ERRORS]
    ]
    more = [f"    and {count - len(shown):,} more (--json lists them)"] if count > len(shown) else []
    return [f"  {count:,} {'line was' if count == 1 else 'lines were'} left out:", *shown, *more]


def _warning_line(notice: dict[str, Any]) -> str:
    examples = ", ".join(notice["examples"])
    return f"  {notice['code']}, {notice['count']:,}: {notice['done']}" + (f" ({examples})" if examples else "")
