"""Restoring a backup: checked first, put in its place in one transaction, brought up to date, then verified."""

from __future__ import annotations

import hashlib
import subprocess
import uuid
from pathlib import Path
from zipfile import ZipFile

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.models.functions import Now

from config.backup.making import BLOCK, count_rows
from config.backup.manifest import DATABASE, UPLOADS, BackupError, Manifest, read_manifest
from config.backup.programs import environment, program
from labeling.verify import findings
from triage import journal
from triage.models import Project, Upload
from triage.verify import Finding

#: Everything that is there goes, in the transaction that brings what was backed up.
CLEAR = b"SET client_min_messages = error;\nDROP SCHEMA public CASCADE;\nCREATE SCHEMA public;\n"
GONE = "Its file was not in the backup. Send it again."


def restore(file: Path, *, replace: bool = False) -> tuple[Manifest, list[Finding]]:
    """Put what `file` holds in the place of this database; return its manifest and what the checker found.

    Raises BackupError: the file is no backup or was changed, something runs on this database, there is somebody's data
    in it (and `replace` is false), or rows are missing afterwards. Up to the commit nothing is touched.
    """
    manifest = read_manifest(file)
    _compare(file, manifest)
    _refuse_a_running_server()
    if not replace and not is_empty():
        raise BackupError("This database holds projects or accounts. Restore into an empty one, or say --replace.")
    connection.close()
    with ZipFile(file) as archive:
        _load(archive)
        _bring_files(archive, manifest)
    ContentType.objects.clear_cache()
    _compare_rows(manifest)
    call_command("migrate", "--noinput", verbosity=0)
    _give_up_missing(manifest)
    journal.note("backup.restored", None, file.name, new={"made_at": manifest.made_at, "version": manifest.version})
    return manifest, findings()


def is_empty() -> bool:
    """Say whether nobody's data is in the database: no tables, or no project and no account."""
    if User._meta.db_table not in connection.introspection.table_names():
        return True
    try:
        return not (User.objects.exists() or Project.objects.exists())
    except DatabaseError:  # another version's tables are somebody's data
        return False


def _compare(file: Path, manifest: Manifest) -> None:
    """Read every part once and compare its sha256 with what the manifest says."""
    with ZipFile(file) as archive:
        for name, part in manifest.parts.items():
            digest = hashlib.sha256()
            with archive.open(name) as source:
                while block := source.read(BLOCK):
                    digest.update(block)
            if digest.hexdigest() != part.sha256:
                raise BackupError(f"{name} in {file} was changed or damaged: take another backup.")


def _refuse_a_running_server() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"""
        )
        others = cursor.fetchone()[0]
    if others:
        raise BackupError(f"{others} other connections use this database: stop web, workers and beat first.")


def _load(archive: ZipFile) -> None:
    """Let pg_restore write SQL for psql, which runs all of it in one transaction or none."""
    psql = [
        program("psql"),
        "--no-psqlrc",
        "--quiet",
        "--single-transaction",
        "--set=ON_ERROR_STOP=1",
        "--output=/dev/null",
    ]
    with subprocess.Popen(psql, env=environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        assert writer.stdin is not None
        assert writer.stderr is not None
        try:
            writer.stdin.write(CLEAR)
            writer.stdin.flush()
            fault = _unpack(archive, writer)
        except BrokenPipeError:
            fault = ""
        writer.stdin.close()
        said = writer.stderr.read().decode(errors="replace").strip()
    if writer.returncode or fault:
        raise BackupError(f"PostgreSQL refused the backup, nothing was changed: {(fault or said)[-500:]}")


def _unpack(archive: ZipFile, writer: subprocess.Popen[bytes]) -> str:
    """Feed the dump to pg_restore, whose SQL goes to `writer`; return what went wrong, blank = nothing.

    A dump that breaks off half-way ends the SQL with an error, so that psql rolls back.
    """
    assert writer.stdin is not None
    command = [program("pg_restore"), "--no-owner", "--no-privileges", "--file=-"]
    with subprocess.Popen(
        command, env=environment(), stdin=subprocess.PIPE, stdout=writer.stdin, stderr=subprocess.PIPE
    ) as reader:
        assert reader.stdin is not None
        assert reader.stderr is not None
        with archive.open(DATABASE) as dump:
            while block := dump.read(BLOCK):
                reader.stdin.write(block)
        reader.stdin.close()
        said = reader.stderr.read().decode(errors="replace").strip()
    if not reader.returncode:
        return ""
    writer.stdin.write(b"\nDO $$ BEGIN RAISE EXCEPTION 'the dump is not whole'; END $$;\n")
    return said or "pg_restore failed"


def _bring_files(archive: ZipFile, manifest: Manifest) -> None:
    folder = Path(settings.UPLOAD_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    for name in manifest.parts:
        if name.startswith(UPLOADS):
            stored = folder / str(uuid.UUID(name.removeprefix(UPLOADS)))  # nothing but a name of our own is written
            part = stored.with_name(f"{stored.name}.part")
            with archive.open(name) as source, part.open("wb") as out:
                while block := source.read(BLOCK):
                    out.write(block)
            part.rename(stored)


def _compare_rows(manifest: Manifest) -> None:
    """Compare the rows of each table with those at the moment of the backup."""
    there = set(connection.introspection.table_names())
    wanted = {table: rows for table, rows in manifest.rows.items() if table in there}
    lost = sorted(set(manifest.rows) - there)
    found = {table: rows for table, rows in count_rows(sorted(wanted)).items() if rows != wanted[table]}
    if lost or found:
        told = ", ".join([*lost, *(f"{table} {rows} instead of {wanted[table]}" for table, rows in found.items())])
        raise BackupError(f"Rows are missing after the restore: {told}.")


def _give_up_missing(manifest: Manifest) -> None:
    """Say of a file that was read and removed while the backup was made that it has to be sent again."""
    lost = Upload.objects.unfinished().filter(stored_as__in=manifest.missing)
    lost.update(state=Upload.State.FAILED, reason=GONE, stored_as="", finished_at=Now())
