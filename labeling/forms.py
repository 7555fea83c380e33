"""What the review screen sends, read into the values the verbs take."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.contrib.auth.models import User

from labeling.keys import DEFAULTS, Keys
from labeling.models import GoldChallenge, Preference
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


class KeysForm(forms.Form):
    """A person's own keys: one printable character each, no two the same."""

    letters_on = forms.BooleanField(label="Single-letter keys on", required=False)
    with_alt = forms.BooleanField(label="Only together with Alt", required=False)

    def __init__(self, keys: Keys, data: object = None) -> None:
        super().__init__(data, initial={"letters_on": keys.letters_on, "with_alt": keys.with_alt})  # type: ignore[arg-type]
        for key in keys.keys:
            self.fields[key.action] = forms.CharField(label=key.words, initial=key.key, max_length=1)

    def clean(self) -> dict[str, Any]:
        """Refuse two actions on one key."""
        data = super().clean() or {}
        taken: dict[str, str] = {}
        for key in DEFAULTS:
            wanted = data.get(key.action, "")
            if wanted and wanted in taken:
                self.add_error(key.action, f"“{wanted}” is the key of “{taken[wanted]}”.")
            taken.setdefault(wanted, key.words)
        return data

    def store(self, user: User) -> None:
        """Keep what differs from the defaults."""
        data = self.cleaned_data
        own = {key.action: data[key.action] for key in DEFAULTS if data[key.action] != key.key}
        Preference.objects.update_or_create(
            user=user, defaults={"keys": own, "letters_on": data["letters_on"], "with_alt": data["with_alt"]}
        )
