"""Gold challenges as forms."""

from __future__ import annotations

from django import forms

from labeling.models import GoldChallenge


class ChallengeForm(forms.Form):
    """Say that the gold is wrong, and what it should be."""

    kind = forms.ChoiceField(
        label="What is wrong?",
        widget=forms.RadioSelect,
        choices=[
            (GoldChallenge.Kind.WRONG_CHUNK, "A gold chunk does not hold the answer"),
            (GoldChallenge.Kind.MISSING_CHUNK, "A chunk that holds the answer is not gold"),
            (GoldChallenge.Kind.WRONG_REFERENCE, "The reference answer is wrong"),
            (GoldChallenge.Kind.AMBIGUOUS_QUESTION, "The question can be meant in two ways"),
            (GoldChallenge.Kind.SHOULD_BE_UNANSWERABLE, "The corpus holds no answer to this"),
        ],
    )
    chunk = forms.CharField(
        label="Which chunk", required=False, max_length=1_000, help_text="Its number in the prompt, or its id."
    )
    reference = forms.CharField(
        label="Right reference answer",
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )
    why = forms.CharField(
        label="Why", required=False, max_length=20_000, widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"})
    )

    def said(self) -> dict[str, str]:
        """Return what the verb takes."""
        data = self.cleaned_data
        return {"kind": data["kind"], "chunk": data["chunk"], "reference": data["reference"], "note": data["why"]}


class ChallengeRulingForm(forms.Form):
    """Accept or reject a challenge, with the reason."""

    ruling = forms.ChoiceField(choices=[("accept", "Accept"), ("reject", "Reject")])
    reason = forms.CharField(label="Reason", max_length=20_000, widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}))

    @property
    def is_acceptance(self) -> bool:
        """Say whether the challenge is accepted."""
        return bool(self.cleaned_data["ruling"] == "accept")
