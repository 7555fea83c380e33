"""Say which e-mail address an account belongs to, so that single sign-on finds it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from django.db import transaction

from triage import journal


class Command(BaseCommand):
    """`account_email NAME ADDRESS`: whoever the provider verifies as ADDRESS logs in as NAME from then on."""

    help = "Say which verified e-mail address of single sign-on an account belongs to; a blank one takes it away."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the account and the address."""
        parser.add_argument("name", help="the name the account logs in with")
        parser.add_argument("address", help='an e-mail address, or "" for none')

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        """Write it down; exit 2 when there is no such account, or the address is none or another's."""
        user = User.objects.filter(username=options["name"]).first()
        if user is None:
            raise CommandError(f"There is no account {options['name']!r}.", returncode=2)
        address = options["address"].strip()
        try:
            if address:
                validate_email(address)
        except ValidationError as fault:
            raise CommandError(f"{address!r} is no e-mail address.", returncode=2) from fault
        if address and User.objects.filter(email__iexact=address).exclude(pk=user.pk).exists():
            raise CommandError("Another account has this address: take it away there first.", returncode=2)
        had = bool(user.email)
        User.objects.filter(pk=user.pk).update(email=address)
        old, new = {"address": had}, {"address": bool(address)}
        journal.note("account.address_set", None, user.get_username(), old=old, new=new)
        self.stdout.write("Done.")
