"""How a person likes the review screen."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Preference(models.Model):
    """A reviewer's own keys. No row = the defaults."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="preference", primary_key=True
    )
    #: action -> key, for the actions whose key is not the default.
    keys = models.JSONField(default=dict)
    #: Single-letter keys can be switched off, or put behind Alt (WCAG 2.1.4).
    letters_on = models.BooleanField(default=True)
    with_alt = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"keys of user {self.user_id}"
