"""Prices and measured times that the economics of a reranker are asked with; all of it may stay blank."""

from __future__ import annotations

from django import forms

from labeling.core.economics import read_points
from labeling.economics import Asked

MOST = 1e9


def _amount(label: str, help_text: str) -> forms.FloatField:
    return forms.FloatField(label=label, help_text=help_text, required=False, min_value=0, max_value=MOST)


class EconomicsForm(forms.Form):
    """The figures no run file holds. Sent by GET, so that an address says all of them."""

    points = forms.CharField(
        label="Measured points",
        help_text="Candidates and added milliseconds, such as 20:42, 50:95. Blank: the arms' own.",
        required=False,
        max_length=400,
    )
    own_p95_ms = _amount("Reranker's own p95, ms", "What the reranker alone adds at p95.")
    hosted = _amount("Hosted reranker per 1,000", "Price of 1,000 queries.")
    node = _amount("Node a month", "Price of running it yourself.")
    price = _amount("Input price a million tokens", "Blank: the run's own.")

    def clean_points(self) -> tuple[tuple[float, float], ...]:
        """Read the pairs, or say which one is none."""
        try:
            return read_points(self.cleaned_data["points"])
        except ValueError as fault:
            raise forms.ValidationError(f"{fault}.") from fault

    def asked(self) -> Asked:
        """Return what the verb takes; nothing where the form is not valid."""
        if not self.is_valid():
            return Asked()
        data = self.cleaned_data
        return Asked(data["points"], data["own_p95_ms"], data["hosted"], data["node"], data["price"])
