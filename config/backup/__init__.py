"""Everything in one file and back: the database as of one moment, and the files that wait for a worker."""

from __future__ import annotations

from config.backup.making import make
from config.backup.manifest import BackupError, Manifest, read_manifest
from config.backup.restoring import restore

__all__ = ["BackupError", "Manifest", "make", "read_manifest", "restore"]
