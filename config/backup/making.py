"""Making a backup while people work: one snapshot for the rows, their counts and the list of files."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from zipfile import ZIP_STORED, ZipFile

from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from config.backup.manifest import DATABASE, LEFT_OUT, MANIFEST, UPLOADS, BackupError, Manifest, Part
from config.backup.programs import environment, program
from config.version import version_of_product
from triage import journal
from triage.models import Change, Upload

BLOCK = 1024 * 1024


def make(file: Path) -> Manifest:
    """Write a backup to `file`, readable by this user only, and return its manifest.

    Nothing is stopped: pg_dump reads the same snapshot that the rows are counted in. A cut backup leaves no file.
    Raises BackupError where PostgreSQL's programs fail, or the file is there already.
    """
    if file.exists():
        raise BackupError(f"{file} is there already: choose another name.")
    part = file.with_name(f"{file.name}.part")
    part.touch(mode=0o600)
    try:
        with _kept_files() as kept, ZipFile(part, "w", ZIP_STORED, allowZip64=True) as archive:
            manifest = _write(archive, kept)
        part.rename(file)
    finally:
        part.unlink(missing_ok=True)
    if Change._meta.db_table in manifest.rows:  # the tables may be those of the version before
        new = {"rows": sum(manifest.rows.values()), "at": manifest.made_at}
        journal.note("backup.made", None, file.name, new=new)
    return manifest


@contextmanager
def _kept_files() -> Iterator[Path]:
    """Keep every stored file under a second name, so that a worker that finishes one takes nothing away."""
    folder = Path(settings.UPLOAD_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f".backup-{uuid.uuid4()}"
    kept.mkdir()
    try:
        for stored in folder.iterdir():
            if stored.is_file() and not stored.name.endswith(".part"):
                _keep(stored, kept)
        yield kept
    finally:
        shutil.rmtree(kept, ignore_errors=True)


def _keep(stored: Path, kept: Path) -> None:
    with suppress(FileNotFoundError, FileExistsError):  # read and removed meanwhile, or kept before
        (kept / stored.name).hardlink_to(stored)


def _write(archive: ZipFile, kept: Path) -> Manifest:
    with transaction.atomic():
        snapshot = _snapshot()
        rows, stored = count_rows(), _stored_names()
        parts = {DATABASE: _dump(archive, snapshot)}
    missing = []
    for name in stored:
        _keep(Path(settings.UPLOAD_DIR) / name, kept)  # it came between the first look and the snapshot
        if (kept / name).exists():
            with (kept / name).open("rb") as source:
                parts[UPLOADS + name] = _copy(archive, UPLOADS + name, source)
        else:
            missing.append(name)
    manifest = Manifest(
        made_at=timezone.now().isoformat(),
        version=version_of_product(),
        postgresql=str(connection.pg_version),  # type: ignore[attr-defined]
        migrations=_migrations(),
        rows=rows,
        parts=parts,
        missing=missing,
    )
    archive.writestr(MANIFEST, manifest.as_json())
    return manifest


def _snapshot() -> str:
    """Name the moment everything is read at, for pg_dump to read the same."""
    with connection.cursor() as cursor:
        if not connection.savepoint_ids:  # a transaction of our own, not a test's
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        return str(cursor.fetchone()[0])


def count_rows(of: Sequence[str] = ()) -> dict[str, int]:
    """Return the rows of these tables, or of every table that a backup holds rows of."""
    counts = {}
    with connection.cursor() as cursor:
        for table in of or tables():
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 - names of our models
            counts[table] = cursor.fetchone()[0]
    return counts


def tables() -> list[str]:
    """Return the tables of every model that are there, those between two models included, without the ones left out."""
    models = apps.get_models(include_auto_created=True)
    ours = {model._meta.db_table for model in models if model._meta.managed}
    return sorted((ours & set(connection.introspection.table_names())) - set(LEFT_OUT))


def _stored_names() -> list[str]:
    return sorted(Upload.objects.exclude(stored_as="").values_list("stored_as", flat=True))


def _migrations() -> dict[str, str]:
    applied = sorted(MigrationRecorder(connection).applied_migrations())
    return dict(applied)


def _dump(archive: ZipFile, snapshot: str) -> Part:
    without = [f"--exclude-table-data=public.{table}" for table in sorted(LEFT_OUT)]
    command = [
        program("pg_dump"),
        "--format=custom",
        "--no-owner",
        "--no-privileges",
        f"--snapshot={snapshot}",
        *without,
    ]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as dump:
        assert dump.stdout is not None
        assert dump.stderr is not None
        part = _copy(archive, DATABASE, dump.stdout)
        said = dump.stderr.read().decode(errors="replace").strip()
    if dump.returncode:
        raise BackupError(f"pg_dump failed: {said[-500:]}")
    return part


def _copy(archive: ZipFile, name: str, source: IO[bytes]) -> Part:
    size, digest = 0, hashlib.sha256()
    with archive.open(name, "w", force_zip64=True) as out:
        while block := source.read(BLOCK):
            size += len(block)
            digest.update(block)
            out.write(block)
    return Part(size, digest.hexdigest())
