"""A project's own sub-causes, and notes turned into them, as forms."""

from __future__ import annotations

from django import forms

from labeling.codebook import Codebook
from labeling.forms.ruling import sub_cause_choices
from triage.core.labels import CODEBOOK, VERDICT_LABELS


class SubCauseForm(forms.Form):
    """A sub-cause to add."""

    label = forms.ChoiceField(label="Of the label", choices=[(str(entry.label), entry.title) for entry in CODEBOOK])
    name = forms.CharField(label="Name", max_length=40, help_text="Lower-case letters, digits, underscores.")
    definition = forms.CharField(label="What it means", max_length=500)


class NotesForm(forms.Form):
    """Which notes become which label and sub-cause."""

    becomes = forms.ChoiceField(label="They become")

    def __init__(self, codebook: Codebook, data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        labels = [(f"{entry.label}/", entry.title) for entry in CODEBOOK]
        self.fields["becomes"].choices = [("Labels", labels), *sub_cause_choices(codebook)[1:]]  # type: ignore[attr-defined]

    @property
    def said(self) -> tuple[str, str]:
        """Return label and sub-cause."""
        label, _, sub_cause = self.cleaned_data["becomes"].partition("/")
        assert label in VERDICT_LABELS
        return label, sub_cause
