"""What may be asked of the journal."""

from __future__ import annotations

from typing import Any

from django import forms

from triage.forms import PageForm

FILTERS = ("action", "who", "since", "until")


class ChangesForm(PageForm):
    """Which changes to list. Every field may be left empty."""

    action = forms.CharField(required=False, max_length=40, label="What")
    who = forms.CharField(required=False, max_length=150, label="Who")
    since = forms.DateField(required=False, label="From", widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(required=False, label="To", widget=forms.DateInput(attrs={"type": "date"}))

    def wanted(self) -> dict[str, Any]:
        """Return what was asked for; a field that cannot be read asks nothing."""
        self.is_valid()
        return {name: self.cleaned_data[name] for name in FILTERS if self.cleaned_data.get(name)}
