"""Where messages go, and about what."""

from __future__ import annotations

from django import forms

from triage.models import Event
from triage.outbound import RefusedError, checked_url


class WebhookForm(forms.Form):
    """The address of a webhook and the kinds of events it is told."""

    url = forms.CharField(
        label="Address", max_length=2_000, help_text="For example: https://hooks.example.org/rag-triage"
    )
    kinds = forms.MultipleChoiceField(
        label="Tell it when",
        choices=Event.to_choose(),
        initial=[Event.RUN_FINISHED, Event.GATE_FAILED],
        widget=forms.CheckboxSelectMultiple,
    )

    def clean_url(self) -> str:
        """Refuse an address that would never be tried."""
        url: str = self.cleaned_data["url"]
        try:
            checked_url(url)
        except RefusedError as fault:
            raise forms.ValidationError(str(fault)) from fault
        return url
