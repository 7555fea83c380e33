"""The import of one upload, from waiting to done: claimed once, all or nothing, given up after three lost workers."""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.db import DataError, IntegrityError, OperationalError, transaction
from django.db.models import F
from django.db.models.functions import Now

from triage import columns
from triage.formats import FileError, RunFile, open_run
from triage.ingest.beat import Beat, CancelledError
from triage.ingest.writing import RunWriter
from triage.models import Run, Upload, import_limits
from triage.models.locks import held

log = logging.getLogger(__name__)
MAX_ATTEMPTS = 3
GAVE_UP = f"The import lost its worker {MAX_ATTEMPTS} times (memory, time or a crash). Press Retry to try again."
NO_SPACE = "There is no space left for the rows of this file. Nothing of it was kept: make room, then press Retry."
#: Faults of a table that people can mend by saying which column is which.
WRONG_COLUMNS = {"no_question", "no_column"}
#: Between two looks at a project in which another file is being imported.
PAUSE_S = 0.3


def ingest(upload_id: int) -> Upload:
    """Read the upload into a run; return it as it stands then. Twice is once; a lost worker leaves nothing behind.

    A file that is refused, a full disk or a database error the file itself causes end in state `failed` with a
    reason. A database that goes away is raised: the next attempt starts clean.
    """
    with held(f"ingest:{upload_id}") as is_mine:
        if is_mine and _begin(upload_id):
            _attempt(Upload.objects.select_related("project", "created_by").get(pk=upload_id))
    return Upload.objects.select_related("project", "run").get(pk=upload_id)


def _begin(upload_id: int) -> bool:
    """Count an attempt; False = there is nothing to do, or the upload is given up now."""
    mine = Upload.objects.unfinished().filter(pk=upload_id)
    if mine.filter(attempts__lt=MAX_ATTEMPTS).update(
        state=Upload.State.READING,
        attempts=F("attempts") + 1,
        bytes_read=0,
        lines_read=0,
        started_at=Now(),
        heartbeat_at=Now(),
    ):
        return True
    mine.update(state=Upload.State.FAILED, reason=GAVE_UP, finished_at=Now())
    return False


def _attempt(upload: Upload) -> None:
    try:
        with Beat(upload.pk) as beat:
            _import(upload, beat)
    except CancelledError:
        upload.drop_file()
    except FileError as error:
        if error.code not in WRONG_COLUMNS or not columns.hold(upload, str(error)):
            _fail(upload, str(error), [row.as_dict() for row in error.errors], keep_file=False)
    except (DataError, IntegrityError) as error:
        log.exception("upload %s could not be stored", upload.pk)
        _fail(upload, f"The database refused the rows of this file: {str(error)[:300]!r}.")
    except OSError as error:
        _fail(upload, NO_SPACE if error.errno == errno.ENOSPC else f"The file cannot be read: {error.strerror}.")
    except OperationalError as error:
        if not isinstance(error.__cause__, psycopg.errors.DiskFull):
            raise
        _fail(upload, NO_SPACE)


def _fail(
    upload: Upload, reason: str, errors: list[dict[str, int | str]] | None = None, *, keep_file: bool = True
) -> None:
    Upload.objects.filter(pk=upload.pk, state=Upload.State.READING).update(
        state=Upload.State.FAILED,
        reason=reason[:1000],
        errors=errors or [],
        error_count=len(errors or []),
        finished_at=Now(),
    )
    if not keep_file:
        upload.drop_file()


def _import(upload: Upload, beat: Beat) -> None:
    if not upload.stored_as:
        raise FileError("gone", "no stored file", "the uploaded file", "Upload it again.")
    with _project_held(upload.project_id, beat), upload.path.open("rb") as stream:
        upload.file_format, file = open_run(stream, import_limits(), upload.file_format, upload.mapping)
        if (run := _same_file(upload)) is None:
            _read(upload, file, beat)
        else:
            _done(upload, run, created=False)
    upload.drop_file()


@contextmanager
def _project_held(project: int, beat: Beat) -> Iterator[None]:
    """Wait until no other file is imported into the project: chunks are looked up and made by one at a time."""
    while True:
        with held(f"import into project {project}") as is_mine:
            if is_mine:
                yield
                return
        beat.tell(0, 0)
        time.sleep(PAUSE_S)


def _same_file(upload: Upload) -> Run | None:
    """Return the run an earlier upload of the very same bytes became, read in the same way."""
    same = Upload.objects.filter(project=upload.project_id, sha256=upload.sha256, state=Upload.State.DONE)
    read_alike = same.filter(run__file_format=upload.file_format, mapping=upload.mapping)
    earlier = read_alike.exclude(pk=upload.pk).select_related("run").first()
    return earlier.run if earlier else None


def _read(upload: Upload, file: RunFile, beat: Beat) -> None:
    known: Run | None = None
    with transaction.atomic():
        writer = RunWriter(upload, file, beat)
        digest = writer.write()
        known = Run.objects.filter(project=upload.project_id, content_hash=digest).first()
        if known is not None:
            transaction.set_rollback(True)
        else:
            run = writer.finish(digest)
            _done(upload, run, created=True, bytes_read=file.bytes_taken, lines_read=file.lines)
    if known is not None:
        _done(upload, known, created=False, bytes_read=file.bytes_taken, lines_read=file.lines)


def _done(upload: Upload, run: Run, *, created: bool, **progress: int) -> None:
    """Mark the upload done with the run; within the import's transaction, so that both are there or neither.

    Raises:
        CancelledError: somebody cancelled it at the last moment.
    """
    if not Upload.objects.filter(pk=upload.pk, state=Upload.State.READING).update(
        state=Upload.State.DONE,
        run=run,
        created_run=created,
        reason="" if created else f"The same content as run {run.name}: there is still one run.",
        file_format=run.file_format,
        errors=run.errors,
        error_count=run.error_count,
        finished_at=Now(),
        **progress,
    ):
        raise CancelledError
