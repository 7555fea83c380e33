"""A person's keys as a form."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db import transaction

from labeling.keys import DEFAULTS, Keys
from labeling.models import Preference
from triage import journal


class KeysForm(forms.Form):
    """A person's own keys: one printable character each, no two the same."""

    letters_on = forms.BooleanField(label="Single-letter keys on", required=False)
    with_alt = forms.BooleanField(label="Only together with Alt", required=False)

    def __init__(self, keys: Keys, data: object = None) -> None:
        super().__init__(data, initial={"letters_on": keys.letters_on, "with_alt": keys.with_alt})  # type: ignore[arg-type]
        for key in keys.keys:
            self.fields[key.action] = forms.CharField(label=key.words, initial=key.key, max_length=1)

    def clean(self) -> dict[str, Any]:
        """Refuse two actions on one key."""
        data = super().clean() or {}
        taken: dict[str, str] = {}
        for key in DEFAULTS:
            wanted = data.get(key.action, "")
            if wanted and wanted in taken:
                self.add_error(key.action, f"“{wanted}” is the key of “{taken[wanted]}”.")
            taken.setdefault(wanted, key.words)
        return data

    def store(self, user: User) -> None:
        """Keep what differs from the defaults."""
        data = self.cleaned_data
        own = {key.action: data[key.action] for key in DEFAULTS if data[key.action] != key.key}
        new = {"keys": own, "letters_on": data["letters_on"], "with_alt": data["with_alt"]}
        with transaction.atomic():
            Preference.objects.update_or_create(user=user, defaults=new)
            journal.note("keys.changed", None, user.get_username(), new=new)
