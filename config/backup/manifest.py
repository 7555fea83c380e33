"""What a backup says of itself: when, by which version, how many rows of each table, the sha256 of each part."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from zipfile import BadZipFile, ZipFile

FORMAT = 1
MANIFEST, DATABASE, UPLOADS = "manifest.json", "database.dump", "uploads/"
#: Table -> why its rows are left out of a backup. The table itself is in it.
LEFT_OUT: dict[str, str] = {
    "django_session": "whoever holds a session key is logged in: people log in again",
    "triage_workerheartbeat": "the workers of another machine",
    "axes_accessattempt": "wrong passwords of the last minutes",
    "axes_accessfailurelog": "wrong passwords of the last minutes",
    "axes_accesslog": "empty: the journal says who logged in",
}


class BackupError(Exception):
    """The backup cannot be made, or this file cannot be restored here; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Part:
    """One file of the archive."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The last file of the archive: an archive without it is not whole."""

    made_at: str
    version: str
    postgresql: str
    #: app -> its newest migration.
    migrations: dict[str, str]
    #: table -> rows at that moment, for the tables whose rows are in it.
    rows: dict[str, int]
    parts: dict[str, Part]
    #: Stored names of uploads whose file was gone when it was copied.
    missing: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=lambda: dict(LEFT_OUT))
    format: int = FORMAT

    def as_json(self) -> str:
        """Return the manifest as it is stored."""
        return json.dumps(asdict(self), indent=1, sort_keys=True) + "\n"


def read_manifest(file: Path) -> Manifest:
    """Read what a backup says of itself. Raises BackupError for a file that is none, or not whole."""
    try:
        with ZipFile(file) as archive:
            told = json.loads(archive.read(MANIFEST))
    except FileNotFoundError:
        raise BackupError(f"There is no file {file}.") from None
    except (BadZipFile, KeyError, ValueError):
        raise BackupError(f"{file} is no backup, or its end is missing: take another one.") from None
    if told.get("format") != FORMAT:
        raise BackupError(
            f"{file} has format {told.get('format')}; this version reads {FORMAT}. Restore it by its own."
        )
    parts = {name: Part(**part) for name, part in told.pop("parts").items()}
    return Manifest(**told, parts=parts)
