"""Stop what runs from this folder."""

from __future__ import annotations

import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from config import embedded
from config.stack import presence


class Command(BaseCommand):
    """Stops the product and the embedded PostgreSQL and Redis of this folder, and nothing else."""

    help = "Stop the product and the embedded PostgreSQL and Redis of this folder."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take whether to leave a running product alone."""
        parser.add_argument("--services-only", action="store_true", help="stop PostgreSQL and Redis only")

    def handle(self, *args: Any, **options: Any) -> None:
        """Stop it, and say what was stopped."""
        began = time.monotonic()
        found = None if options["services_only"] else presence.end(settings.VAR_DIR)
        stopped = (["the product"] if found else []) + embedded.stop(settings.VAR_DIR)
        if stopped:
            self.stdout.write(f"Stopped {', '.join(stopped)} in {time.monotonic() - began:.1f} s.")
        else:
            self.stdout.write("Nothing was running.")
