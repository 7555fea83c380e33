"""What people may type. Fields are listed one by one; anything else in a request is ignored."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError


class JoinForm(forms.Form):
    """The account an invitation makes."""

    username = forms.CharField(
        max_length=150,
        label="Name to log in with",
        validators=[User.username_validator],
        widget=forms.TextInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    password = forms.CharField(
        label="Password",
        help_text="At least 8 characters, not only digits, not a common one.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        strip=False,
    )
    password_again = forms.CharField(
        label="The same password again",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        strip=False,
    )

    def clean_username(self) -> str:
        """Refuse a name that is taken, whatever its case."""
        username: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=username).exists():
            raise ValidationError("This name is taken: choose another.")
        return username

    def clean(self) -> dict[str, Any]:
        """Check that both passwords are the same and good enough."""
        cleaned: dict[str, Any] = super().clean() or {}
        password = cleaned.get("password")
        if password and password != cleaned.get("password_again"):
            self.add_error("password_again", "The two passwords differ.")
        elif password:
            try:
                validate_password(password, User(username=cleaned.get("username", "")))
            except ValidationError as error:
                self.add_error("password", error)
        return cleaned
