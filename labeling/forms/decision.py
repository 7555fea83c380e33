"""What the review screen sends, read into the values the verbs take."""

from __future__ import annotations

import re

from django import forms

from labeling.review import Decision, Mark, Ticket

_SPAN = re.compile(r"(\d{1,9})-(\d{1,9})$")


class DecisionForm(forms.Form):
    """One save. Claim marks come as `claim-<id>`, `evidence-<id>`, `span-<id>`, sub-causes as `sub-<label>`."""

    key = forms.UUIDField()
    token = forms.UUIDField(required=False)
    seen = forms.IntegerField(required=False)
    label = forms.CharField(required=False, max_length=24)
    note = forms.CharField(required=False, strip=False)
    insists = forms.BooleanField(required=False)

    def clean_note(self) -> str:
        """Return the note with plain line ends and nothing around it: a browser sends its own."""
        return str(self.cleaned_data["note"]).replace("\r\n", "\n").strip()

    def ticket(self) -> Ticket:
        """Return what proves that the save belongs to its page."""
        data = self.cleaned_data
        return Ticket(key=data["key"], token=data["token"], seen=data["seen"])

    def decision(self) -> Decision:
        """Return what the reviewer decided."""
        data = self.cleaned_data
        return Decision(
            label=data["label"],
            sub_cause=str(self.data.get(f"sub-{data['label']}", "")),
            note=data["note"],
            marks=self._marks(),
            insists=data["insists"],
        )

    def _marks(self) -> tuple[Mark, ...]:
        """Return the claim marks that were set."""
        names = (name for name in self.data if name.startswith("claim-") and name[6:].isdecimal())
        return tuple(self._mark(int(name[6:]), str(self.data[name])) for name in names)

    def _mark(self, claim_id: int, support: str) -> Mark:
        """Return one mark with its evidence, where picked. What is no slot or no span is none."""
        slot = str(self.data.get(f"evidence-{claim_id}", ""))
        span = _SPAN.match(str(self.data.get(f"span-{claim_id}", "")))
        return Mark(
            claim_id=claim_id,
            support=support,
            slot=int(slot) if slot.isdecimal() and len(slot) < 6 else None,
            span=(int(span[1]), int(span[2])) if span and int(span[1]) < int(span[2]) else None,
        )


class SkipForm(forms.Form):
    """Send an item on."""

    token = forms.UUIDField()
    reason = forms.CharField(required=False, max_length=2_000)
