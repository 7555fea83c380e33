"""A session as a lead wishes for it."""

from __future__ import annotations

from datetime import UTC, datetime, time

from django import forms

from labeling.models import ReviewSession
from labeling.worklist import Filter, Wish, reviewers_of, slices_of
from triage.core.labels import SUGGESTION_LABELS
from triage.models import Run

Population = ReviewSession.Population


class SessionForm(forms.Form):
    """Which queries, how many of them by lot, for whom, and how they are read."""

    name = forms.CharField(label="Name", max_length=200)
    population = forms.ChoiceField(
        label="Queries",
        choices=[
            (Population.FAILING, "failing: why did they fail?"),
            (Population.PASSING, "passing: are they right after all?"),
            (Population.UNDECIDED, "undecided: are they right?"),
        ],
    )
    how = forms.ChoiceField(
        label="How many",
        choices=[
            ("random", "a random sample"),
            ("narrowing", "the sample that narrows the intervals most"),
            ("all", "all of them"),
            ("round", "a calibration round: decided items, for new reviewers"),
        ],
        help_text="Only a random sample without a filter speaks for the whole run.",
    )
    n = forms.IntegerField(label="Size of the sample", min_value=1, max_value=100_000, initial=50)
    labels = forms.MultipleChoiceField(
        label="Filed by the machine as",
        required=False,
        choices=[(str(label), str(label).replace("_", " ")) for label in SUGGESTION_LABELS],
        widget=forms.CheckboxSelectMultiple,
    )
    near = forms.BooleanField(label="Near a threshold", required=False)
    disagree = forms.BooleanField(label="Judges disagree on a claim", required=False)
    challenged = forms.BooleanField(label="Its gold is challenged", required=False)
    text = forms.CharField(label="Words of question or answer", required=False, max_length=200)
    of_slice = forms.ChoiceField(label="Slice", required=False)
    overlap = forms.IntegerField(label="People per item", min_value=1, max_value=10, initial=1)
    blind_percent = forms.IntegerField(
        label="Read blind, in percent",
        min_value=0,
        max_value=100,
        initial=100,
        help_text="Only blind verdicts calibrate a judge.",
    )
    in_file_order = forms.BooleanField(label="In file order (all of them only)", required=False)
    reviewers = forms.MultipleChoiceField(
        label="For", required=False, widget=forms.CheckboxSelectMultiple, help_text="Nobody ticked: every reviewer."
    )
    due_at = forms.DateField(
        label="Due", required=False, widget=forms.DateInput(attrs={"type": "date"}), help_text="End of that day, UTC."
    )
    guidelines = forms.CharField(
        label="Guidelines", required=False, max_length=20_000, widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"})
    )

    def __init__(self, run: Run, data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        slices = [("", "any"), *((f"{name}={value}", f"{name}: {value}") for name, value in slices_of(run))]
        self.fields["of_slice"].choices = slices  # type: ignore[attr-defined]
        people = reviewers_of(run.project)
        self.fields["reviewers"].choices = [(str(one.pk), one.get_username()) for one in people]  # type: ignore[attr-defined]

    def wish(self) -> Wish:
        """Return what the verb takes."""
        data = self.cleaned_data
        name, _, value = data["of_slice"].partition("=")
        return Wish(
            name=data["name"],
            population=data["population"],
            how=data["how"],
            n=data["n"],
            filter=Filter(
                labels=tuple(data["labels"]),
                near=data["near"],
                disagree=data["disagree"],
                challenged=data["challenged"],
                text=data["text"],
                slice_name=name,
                slice_value=value,
            ),
            overlap=data["overlap"],
            blind_share=data["blind_percent"] / 100,
            in_file_order=data["in_file_order"],
            guidelines=data["guidelines"],
            due_at=datetime.combine(data["due_at"], time.max, tzinfo=UTC) if data["due_at"] else None,
            reviewers=tuple(int(one) for one in data["reviewers"]),
        )
