"""The form that says which column of a table is which field of a query."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from triage.columns import NOTE, SCORE, SLICE, mapping_of
from triage.core.records import visible

#: Field of a query -> what people call it.
TITLES = {
    "id": "Id of the query",
    "question": "Question",
    "answer": "Answer",
    "reference": "Reference answer",
    "retrieved": "Retrieved chunks",
    "gold": "Gold chunks",
    "correct": "Correct or not",
    "answerable": "Answerable or not",
    "abstained": "Abstained or not",
    "latency_ms": "Latency in ms",
    "context_tokens": "Context tokens",
    "cost": "Cost",
    "trace_id": "Id of the trace",
    "url": "Link",
}
_CHOICES = [(NOTE, "Kept as a note"), *TITLES.items(), (SCORE, "Score of this name"), (SLICE, "Slice of this name")]


class ColumnsForm(forms.Form):
    """One choice for each column, in the order of the table. `mapping` is there once the form is valid."""

    def __init__(self, *args: Any, columns: list[str], kinds: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._columns = columns
        self.mapping: dict[str, str] = {}
        for number, (column, kind) in enumerate(zip(columns, kinds, strict=True)):
            self.fields[f"column_{number}"] = forms.ChoiceField(
                required=False, label=visible(column) or f"column {number + 1}", choices=_CHOICES, initial=kind
            )

    def clean(self) -> dict[str, Any]:
        """Turn the choices into a mapping; two columns cannot be one field, and a question there must be."""
        cleaned = super().clean() or {}
        if not self.errors:
            kinds = [cleaned[f"column_{number}"] for number in range(len(self._columns))]
            try:
                self.mapping = mapping_of(self._columns, kinds)
            except ValueError as error:
                raise ValidationError(str(error)) from None
        return cleaned
