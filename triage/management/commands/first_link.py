"""Print the one-time link that makes the first lead."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse

from triage.invite import default_project, first_lead, invite, needs_first_lead
from triage.models import Role


class Command(BaseCommand):
    """Print a link that works once, from this machine only, and only while nobody can log in."""

    help = "Print a one-time link that creates the first lead (works once, on loopback, while there is no account)."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the address the product is served at."""
        parser.add_argument("--address", default="http://127.0.0.1:8000", help="where the product is served")
        parser.add_argument(
            "--anywhere", action="store_true", help="let the link be opened from another machine (a server)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the link, or say that there is an account already."""
        if not needs_first_lead():
            self.stdout.write("There is an account already: log in, or ask a lead for an invitation.")
            return
        token = invite(default_project(), Role.OWNER) if options["anywhere"] else first_lead()
        self.stdout.write(options["address"].rstrip("/") + reverse("join", args=[token]))
