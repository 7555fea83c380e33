"""Verb: take a file in. It is stored under a name of our own, counted and hashed on the way, and waits for a worker."""

from __future__ import annotations

import errno
import hashlib
import time
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now

import triage.demo
from triage import columns, journal
from triage.formats import FileError
from triage.formats.stream import too_large
from triage.models import Project, Upload, import_limits

#: A part of a file that nobody goes on writing, and a temporary file of a dead request, go after this many seconds.
STALE_S = 3600
NAME_CHARS = 300


def store(
    project: Project,
    user: User | None,
    file_name: str,
    blocks: Iterable[bytes],
    file_format: str = "",
    *,
    mapping: Mapping[str, str] | None = None,
    ask: bool = False,
) -> Upload:
    """Store the file and return its upload, waiting. `file_name` is shown and never used as a path.

    `mapping` says which column of a table is which field. Without one, what was said last of such a table counts;
    where nothing was, `ask` holds the file until somebody says it.

    Raises:
        FileError: too large, or no space left. Nothing of it is kept.
    """
    stored_as = str(uuid.uuid4())
    folder = Path(settings.UPLOAD_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{stored_as}.part"
    try:
        size, digest = _write(part, blocks)
        part.rename(folder / stored_as)
    except OSError as error:
        raise _no_room(error) from None
    finally:
        part.unlink(missing_ok=True)
    with transaction.atomic():
        upload = Upload.objects.create(
            project=project,
            created_by=user,
            file_name=_shown(file_name),
            stored_as=stored_as,
            size_bytes=size,
            sha256=digest,
            file_format="table" if mapping else file_format,
            mapping=dict(mapping or {}),
        )
        if not mapping and file_format in {"", "table"}:
            columns.recall(upload, ask=ask)
        journal.note("upload.taken", project, upload.key, new={"bytes": size, "sha256": digest}, by=user)
    return upload


def _write(part: Path, blocks: Iterable[bytes]) -> tuple[int, str]:
    limits, size, digest = import_limits(), 0, hashlib.sha256()
    with part.open("xb") as out:
        for block in blocks:
            size += len(block)
            if size > limits.file_bytes:
                raise too_large(limits)
            digest.update(block)
            out.write(block)
    return size, digest.hexdigest()


def _no_room(error: OSError) -> FileError:
    if error.errno not in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        raise error
    return FileError(
        "no_space", "a disk without room for the file", "room to store it", "Make room, then send it again."
    )


def _shown(file_name: str) -> str:
    """Return the last part of a name, as people see it; NUL cannot be stored."""
    last = file_name.replace("\\", "/").rsplit("/", 1)[-1].replace("\0", "\ufffd")
    return last.encode("utf-8", "replace").decode()[-NAME_CHARS:] or "file"


def cancel(upload: Upload) -> bool:
    """Stop an import; nothing of it is kept. False = it had finished already."""
    stopped = Upload.objects.stoppable().filter(pk=upload.pk)
    with transaction.atomic():
        if not stopped.update(state=Upload.State.CANCELLED, reason="Cancelled.", finished_at=Now()):
            return False
        journal.note("upload.cancelled", upload.project_id, upload.key)
    upload.drop_file()
    return True


@transaction.atomic
def retry(upload: Upload) -> bool:
    """Let a failed import whose file is still there be tried anew. False = there is nothing to try."""
    failed = Upload.objects.filter(pk=upload.pk, state=Upload.State.FAILED).exclude(stored_as="")
    if not failed.update(state=Upload.State.WAITING, reason="", attempts=0, finished_at=None):
        return False
    journal.note("upload.retried", upload.project_id, upload.key)
    return True


#: What a button may ask for.
ACTIONS = {"cancel": cancel, "retry": retry}


def demo(project: Project, user: User | None) -> list[Upload]:
    """Take in the runs that ship with the product, the oldest release first."""
    folder = Path(triage.demo.__file__).parent
    return [store(project, user, path.name, [path.read_bytes()]) for path in sorted(folder.glob("*.jsonl"))]


def sweep_files() -> int:
    """Remove what requests that died left behind; return how many files went."""
    oldest = time.time() - STALE_S
    parts = Path(settings.UPLOAD_DIR).glob("*.part")
    temporary = Path(settings.FILE_UPLOAD_TEMP_DIR).glob("*.upload*")
    stale = [path for path in (*parts, *temporary) if path.stat().st_mtime < oldest]
    for path in stale:
        path.unlink(missing_ok=True)
    return len(stale)
