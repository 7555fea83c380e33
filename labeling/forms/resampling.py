"""What the next evaluation set should be."""

from __future__ import annotations

from django import forms
from django.utils import timezone

from labeling.core.resampling import How
from labeling.resample import Wanted

LARGEST_SET = 100_000


class ResampleForm(forms.Form):
    """The logs, the set to carry from, and how many questions of each slice."""

    logs = forms.CharField(required=False, max_length=10, label="Recent logs")
    last = forms.CharField(required=False, max_length=10, label="Carry gold over from")
    slice = forms.CharField(required=False, max_length=300, label="By slice")
    size = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_SET, initial=200, label="Questions")
    minimum = forms.IntegerField(
        required=False, min_value=0, max_value=LARGEST_SET, initial=10, label="At least, a slice"
    )
    how = forms.ChoiceField(required=False, choices=[(how.value, how.value) for how in How], label="Spread")
    carry = forms.IntegerField(required=False, min_value=0, max_value=100, initial=50, label="Carried over, at most %")
    oldest = forms.IntegerField(required=False, min_value=0, max_value=100_000, label="Gold no older than, days")
    seed = forms.CharField(required=False, max_length=100, initial="1", label="Seed")
    day = forms.DateField(required=False, label="Ages as of")

    def wanted(self) -> Wanted:
        """Return what was asked for; a field that is empty or cannot be read asks for its default."""
        self.is_valid()
        said = self.cleaned_data
        carry = said.get("carry")
        return Wanted(
            day=said.get("day") or timezone.now().date(),
            slice_key=said.get("slice", ""),
            size=said.get("size") or 200,
            minimum=10 if said.get("minimum") is None else said["minimum"],
            how=How(said.get("how") or How.PROPORTIONAL),
            carry_share=0.5 if carry is None else carry / 100,
            oldest_days=said.get("oldest"),
            seed=said.get("seed") or "1",
        )
