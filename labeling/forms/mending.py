"""Marking a document as mended, or taking it back."""

from __future__ import annotations

from django import forms

from labeling.core.mending import Fault


class MendForm(forms.Form):
    """Which document of which run, what is wrong with it, and what is done about it."""

    run = forms.CharField(max_length=10)
    fault = forms.ChoiceField(choices=[(fault.value, fault.value) for fault in Fault])
    document = forms.CharField(strip=False, max_length=100_000)
    note = forms.CharField(required=False, max_length=2_000)
    act = forms.ChoiceField(choices=[("mend", "mend"), ("undo", "undo")])
