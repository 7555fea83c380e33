"""The steps of a file on its way: sent, read, stored, scored, classified; each with how far it is."""

from __future__ import annotations

from dataclasses import dataclass

from triage.models import Run, Upload
from triage.pages.progress import Progress, progress_of
from triage.pages.words import Badge

DONE, MOVING = Badge("ok", "done"), Badge("go", "under way")
OPEN, BAD = Badge("open", "to come"), Badge("bad", "failed")


@dataclass(frozen=True, slots=True)
class Step:
    """One step on the way: how far (`done` of `all`), in words, and how long it may still take."""

    name: str
    badge: Badge
    done: float
    all: float
    words: str
    left_ms: float | None = None

    @property
    def is_done(self) -> bool:
        """Say whether the step is behind."""
        return self.badge is DONE


def size_words(size: int) -> str:
    """Return a number of bytes in the unit a reader would choose."""
    for unit, factor in (("GB", 1024**3), ("MB", 1024**2), ("kB", 1024)):
        if size >= factor:
            return f"{size / factor:,.3g} {unit}"
    return f"{size:,} bytes"


def steps_of(upload: Upload) -> tuple[Step, ...]:
    """Return the steps of a file; one that was known, refused or cancelled has no work left."""
    run = upload.run if upload.created_run else None
    first = (_uploaded(upload), _read(upload), _stored(upload, run))
    if run is not None:
        return (*first, *_worked(run, progress_of(run)))
    if upload.state in {Upload.State.DONE, Upload.State.FAILED, Upload.State.CANCELLED}:
        return first
    return (*first, Step("Scored", OPEN, 0, 1, "comes next"), Step("Classified", OPEN, 0, 1, "waits for scores"))


def _uploaded(upload: Upload) -> Step:
    digits = f"{upload.sha256[:4]}…{upload.sha256[-4:]}"
    return Step("Uploaded", DONE, 1, 1, f"{size_words(upload.size_bytes)}, sha256 {digits}")


def _read(upload: Upload) -> Step:
    state, lines = upload.state, f"{upload.lines_read:,} lines"
    if state == Upload.State.CHOOSING:
        return Step("Read", OPEN, 0, 1, "waits until its columns are chosen")
    if state == Upload.State.WAITING:
        return Step("Read", OPEN, 0, 1, "waits for a worker")
    if state == Upload.State.READING:
        return _reading(upload, lines)
    if state == Upload.State.DONE:
        words = f"{lines}, {upload.error_count:,} left out" if upload.lines_read else "the same bytes as before"
        return Step("Read", DONE, 1, 1, words)
    return Step("Read", BAD if state == Upload.State.FAILED else OPEN, upload.bytes_read, upload.size_bytes or 1, lines)


def _reading(upload: Upload, lines: str) -> Step:
    seconds = 0.0
    if upload.heartbeat_at and upload.started_at:
        seconds = (upload.heartbeat_at - upload.started_at).total_seconds()
    if seconds <= 0 or not upload.bytes_read:
        return Step("Read", MOVING, 0, upload.size_bytes or 1, lines)
    left = max(upload.size_bytes - upload.bytes_read, 0) / (upload.bytes_read / seconds) * 1000
    words = f"{lines}, {upload.lines_read / seconds:,.0f} a second"
    return Step("Read", MOVING, upload.bytes_read, upload.size_bytes or 1, words, left_ms=left)


def _stored(upload: Upload, run: Run | None) -> Step:
    if run is not None:
        return Step("Stored", DONE, 1, 1, f"{run.counts['queries']:,} queries, {run.counts['chunks']:,} chunks")
    if upload.state == Upload.State.DONE:
        return Step("Stored", DONE, 1, 1, "nothing new: there is still one run")
    if upload.state in {Upload.State.FAILED, Upload.State.CANCELLED}:
        return Step("Stored", OPEN, 0, 1, "nothing was kept")
    return Step("Stored", OPEN, 0, 1, "all rows appear at once, when the whole file is read")


def _worked(run: Run, progress: Progress | None) -> tuple[Step, Step]:
    failing = f"{run.counts['failing']:,} failing"
    if progress is None:
        finished = run.state == Run.State.DONE
        badge, words = (DONE, failing) if finished else (OPEN, "cancelled")
        queries = f"{run.counts['queries']:,} queries"
        return Step("Scored", badge, int(finished), 1, queries), Step("Classified", badge, int(finished), 1, words)
    words = f"{progress.done:,} of {progress.total:,} queries"
    if progress.per_s:
        words += f", {progress.per_s:,.1f} a second"
    if run.state == Run.State.CLASSIFYING:
        return Step("Scored", DONE, 1, 1, words), Step("Classified", MOVING, 0, 1, failing)
    badge = MOVING if progress.is_moving else OPEN
    return (
        Step("Scored", badge, progress.done, progress.total or 1, words, progress.left_ms),
        Step("Classified", OPEN, 0, 1, "waits for scores"),
    )
