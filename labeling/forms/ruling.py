"""A final verdict as a form."""

from __future__ import annotations

from django import forms

from labeling.codebook import Codebook
from labeling.review import Ruling
from triage.core.labels import CODEBOOK


class RulingForm(forms.Form):
    """The label, its sub-cause as "label/sub_cause", and the reason."""

    key = forms.UUIDField(widget=forms.HiddenInput)
    label = forms.ChoiceField(
        label="Final verdict",
        choices=[(str(entry.label), entry.title) for entry in CODEBOOK],
        widget=forms.RadioSelect,
    )
    sub_cause = forms.ChoiceField(label="Sub-cause", required=False)
    reason = forms.CharField(label="Reason", max_length=20_000, widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}))

    def __init__(self, codebook: Codebook, data: object = None, **rest: object) -> None:
        super().__init__(data, **rest)  # type: ignore[arg-type]
        self.fields["sub_cause"].choices = sub_cause_choices(codebook)  # type: ignore[attr-defined]

    def ruling(self) -> Ruling:
        """Return what the verb takes; a sub-cause of another label is the verb's to refuse."""
        data = self.cleaned_data
        label, _, sub_cause = data["sub_cause"].partition("/")
        return Ruling(
            label=data["label"],
            sub_cause=sub_cause if not data["sub_cause"] or label == data["label"] else data["sub_cause"],
            reason=data["reason"].strip(),
            key=data["key"],
        )


def sub_cause_choices(codebook: Codebook) -> list[tuple[str, object]]:
    """Return the sub-causes by label, each as "label/sub_cause"."""
    groups = [
        (entry.title, [(f"{entry.label}/{name}", name.replace("_", " ")) for name in codebook.names(entry.label)])
        for entry in CODEBOOK
    ]
    return [("", "none"), *((title, names) for title, names in groups if names)]
