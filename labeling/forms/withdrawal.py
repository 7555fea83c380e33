"""Taking a published note back."""

from __future__ import annotations

from django import forms


class WithdrawalForm(forms.Form):
    """Why the note no longer stands; everybody who follows its link reads this."""

    reason = forms.CharField(
        label="Reason",
        max_length=2_000,
        help_text="Everybody who follows the link reads this.",
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
    )
