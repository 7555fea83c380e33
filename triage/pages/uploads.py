"""Files on their way in: each as a card of steps while it moves, then as what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from triage.core.limits import Limits
from triage.formats import FORMATS
from triage.models import Project, Run, Upload, import_limits
from triage.pages.upload_steps import Step, size_words, steps_of
from triage.pages.words import RUN_BADGES, Badge
from triage.pages.worker import WorkerPanel, worker_panel

PAGE_SIZE = 50
#: Cards that keep themselves up to date on one page; further files wait in the table.
LIVE_CARDS = 6
#: Row errors shown on the page; the downloads have all that were kept.
SHOWN_ERRORS = 100

UPLOAD_BADGES: dict[str, Badge] = {
    Upload.State.CHOOSING: Badge("warn", "Columns to be chosen"),
    Upload.State.WAITING: Badge("open", "Waits for a worker", "clock"),
    Upload.State.READING: Badge("go", "Reading"),
    Upload.State.DONE: Badge("ok", "Imported"),
    Upload.State.FAILED: Badge("bad", "Not imported"),
    Upload.State.CANCELLED: Badge("open", "Cancelled"),
}


@dataclass(frozen=True, slots=True)
class UploadCard:
    """A file and where it is."""

    upload: Upload
    run: Run | None
    badge: Badge
    steps: tuple[Step, ...]
    is_moving: bool
    can_cancel: bool
    can_retry: bool
    can_choose: bool = False

    @property
    def size(self) -> str:
        """Return the size of the file in words."""
        return size_words(self.upload.size_bytes)


@dataclass(frozen=True, slots=True)
class UploadsPage:
    """The import page: files that move, files that came, and what a file may be."""

    project: Project
    cards: tuple[UploadCard, ...]
    lines: tuple[UploadCard, ...]
    limits: Limits
    largest: str
    longest_line: str
    worker: WorkerPanel
    older: int | None
    is_first: bool


@dataclass(frozen=True, slots=True)
class UploadPage:
    """One file: its card, its figures, the lines left out and the warnings."""

    card: UploadCard
    format_title: str
    counts: dict[str, int]
    faulty_share: float | None
    faulty_limit: float
    took_ms: float | None
    errors: list[dict[str, Any]]
    error_count: int
    warnings: list[dict[str, Any]]
    worker: WorkerPanel


def uploads_page(project: Project, before: int | None) -> UploadsPage:
    """Return the import page, fifty files at a time."""
    found = Upload.objects.for_uploads_page(project)
    rows = list((found if before is None else found.filter(pk__lt=before))[: PAGE_SIZE + 1])
    moving = [upload for upload in rows[:PAGE_SIZE] if _moves(upload)][:LIVE_CARDS]
    limits = import_limits()
    return UploadsPage(
        project=project,
        cards=tuple(upload_card(upload) for upload in moving),
        lines=tuple(_line(upload) for upload in rows[:PAGE_SIZE] if upload not in moving),
        limits=limits,
        largest=size_words(limits.file_bytes),
        longest_line=size_words(limits.line_bytes),
        worker=worker_panel(),
        older=rows[PAGE_SIZE - 1].pk if len(rows) > PAGE_SIZE else None,
        is_first=before is None,
    )


def upload_page(upload: Upload) -> UploadPage:
    """Return the page of one file. A file that was there before shows the errors of its first import."""
    run = upload.run
    counts = run.counts if run else {}
    lines = counts.get("lines")
    took = upload.finished_at - upload.started_at if upload.finished_at and upload.started_at else None
    return UploadPage(
        card=upload_card(upload),
        format_title=FORMATS[upload.file_format][0] if upload.file_format in FORMATS else upload.file_format,
        counts=counts,
        faulty_share=counts.get("faulty", 0) / lines if lines else None,
        faulty_limit=import_limits().faulty_share,
        took_ms=took.total_seconds() * 1000 if took else None,
        errors=upload.errors[:SHOWN_ERRORS],
        error_count=upload.error_count,
        warnings=run.warnings if run else [],
        worker=worker_panel(),
    )


def upload_card(upload: Upload) -> UploadCard:
    """Return the card of a file, with the steps it has taken."""
    return UploadCard(
        upload=upload,
        run=upload.run,
        badge=_badge(upload),
        steps=steps_of(upload),
        is_moving=_moves(upload),
        can_cancel=upload.state in {Upload.State.CHOOSING, Upload.State.WAITING, Upload.State.READING},
        can_retry=upload.state == Upload.State.FAILED and bool(upload.stored_as),
        can_choose=upload.state == Upload.State.CHOOSING,
    )


def _line(upload: Upload) -> UploadCard:
    """Return a file without its steps: the table does not show them."""
    return UploadCard(upload, upload.run, _badge(upload), (), is_moving=False, can_cancel=False, can_retry=False)


def _moves(upload: Upload) -> bool:
    if upload.state in {Upload.State.WAITING, Upload.State.READING}:
        return True
    run = upload.run
    return bool(upload.created_run and run and run.state in {Run.State.SCORING, Run.State.CLASSIFYING})


def _badge(upload: Upload) -> Badge:
    if upload.state != Upload.State.DONE:
        return UPLOAD_BADGES[upload.state]
    if upload.run is None:
        return Badge("open", "Imported, the run is deleted")
    if _moves(upload):
        return RUN_BADGES[upload.run.state]
    if upload.created_run is False:
        return Badge("ok", "Known already")
    if upload.error_count:
        lines = "line" if upload.error_count == 1 else "lines"
        return Badge("warn", f"Imported, {upload.error_count:,} {lines} left out")
    return UPLOAD_BADGES[upload.state]
