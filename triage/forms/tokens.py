"""What a new token is for, what it may do, and how long it lives."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.db import transaction

from triage.models import Scope
from triage.tokens import after_new_password

DAYS = ((7, "a week"), (30, "30 days"), (90, "90 days"), (365, "a year"))
#: What a build needs.
USUAL = (Scope.IMPORT, Scope.GATE, Scope.READ)


class TokenForm(forms.Form):
    """A token's name, scopes and life span."""

    name = forms.CharField(label="What is it for?", max_length=100, help_text="For example: nightly build.")
    scopes = forms.MultipleChoiceField(
        label="What may it do?", choices=Scope.choices, initial=USUAL, widget=forms.CheckboxSelectMultiple
    )
    days = forms.TypedChoiceField(label="How long is it good?", choices=DAYS, coerce=int, initial=90)

    def wish(self) -> dict[str, Any]:
        """Return what was chosen, as `tokens.make` takes it."""
        return {name: self.cleaned_data[name] for name in ("name", "scopes", "days")}


class NewPasswordForm(PasswordChangeForm):
    """A change of password: sessions elsewhere stop, and so do the tokens made in them."""

    @transaction.atomic
    def save(self, commit: bool = True) -> User:
        """Set the password, revoke the person's tokens, and write both down."""
        user: User = super().save(commit)
        after_new_password(user, by=user)
        return user
