"""Give somebody another password, as Django's command of this name does, and stop their tokens as the page does."""

from __future__ import annotations

from getpass import getuser
from typing import Any

from django.contrib.auth.management.commands.changepassword import Command as DjangoCommand
from django.contrib.auth.models import User
from django.db import transaction

from triage.tokens import after_new_password


class Command(DjangoCommand):
    """`changepassword [NAME]`: asks twice; sessions of that account end, and so do the tokens made in them."""

    help = "Give an account another password; its sessions and the tokens made in the browser end."

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> str:
        """Change the password, revoke, and write it down."""
        said = super().handle(*args, **options)
        user = User.objects.get(username=options["username"] or getuser())
        stopped = after_new_password(user)
        return f"{said}. Tokens stopped: {stopped}."
