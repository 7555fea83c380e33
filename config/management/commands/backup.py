"""Make a backup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.backup import BackupError, make


class Command(BaseCommand):
    """Everything in one file, as of one moment, while people work."""

    help = "Write the database and the files that wait for a worker to one file, while people work."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take where to write."""
        parser.add_argument("file", type=Path, help="the file to write, e.g. 2026-11-30.backup; it must not exist")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write it and say what is in it. Exit 2 when it cannot be made."""
        try:
            manifest = make(options["file"])
        except (BackupError, OSError) as fault:
            raise CommandError(str(fault), returncode=2) from fault
        size = options["file"].stat().st_size / 1024**2
        rows = sum(manifest.rows.values())
        self.stdout.write(f"{options['file']}: {rows:,} rows of {len(manifest.rows)} tables, {size:,.1f} MiB.")
