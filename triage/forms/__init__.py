"""What people may type. Fields are listed one by one; anything else in a request is ignored."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from triage.core.correctness import SaidBy
from triage.core.filters import Outcome, QueryFilter
from triage.core.labels import DEFAULT_OWNERS, FOUR_CLASSES, SUGGESTION_LABELS
from triage.core.policy import DEFAULT_GATES, DEFAULT_TARGETS
from triage.core.roster import Entry
from triage.formats import FORMATS
from triage.models import Project, Role
from triage.models.queries import NOWHERE
from triage.pages.words import FLAG_NAMES

#: What the position column holds.
LARGEST_POSITION = 2**31 - 1
LARGEST_ID = 2**63 - 1


class JoinForm(forms.Form):
    """The account an invitation makes."""

    username = forms.CharField(
        max_length=150,
        label="Name to log in with",
        validators=[User.username_validator],
        widget=forms.TextInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    password = forms.CharField(
        label="Password",
        help_text="At least 8 characters, not only digits, not a common one.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        strip=False,
    )
    password_again = forms.CharField(
        label="The same password again",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        strip=False,
    )

    def clean_username(self) -> str:
        """Refuse a name that is taken, whatever its case."""
        username: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=username).exists():
            raise ValidationError("This name is taken: choose another.")
        return username

    def clean(self) -> dict[str, Any]:
        """Check that both passwords are the same and good enough."""
        cleaned: dict[str, Any] = super().clean() or {}
        password = cleaned.get("password")
        if password and password != cleaned.get("password_again"):
            self.add_error("password_again", "The two passwords differ.")
        elif password:
            try:
                validate_password(password, User(username=cleaned.get("username", "")))
            except ValidationError as error:
                self.add_error("password", error)
        return cleaned


def _choices(nothing: str, words: Iterable[str]) -> list[tuple[str, str]]:
    """Return the choices of a filter: nothing asked, then each word as itself."""
    return [("", nothing), *((str(word), str(word)) for word in words)]


class PageForm(forms.Form):
    """Where a long list goes on."""

    older = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_ID)

    def before(self) -> int | None:
        """Return the id the page ends before; what cannot be read asks for the first page."""
        self.is_valid()
        older: int | None = self.cleaned_data.get("older")
        return older


class RunNameForm(forms.Form):
    """Another name for a run."""

    name = forms.CharField(max_length=300, label="Name of the run")


class QueryFilterForm(forms.Form):
    """Which queries of a run to list. Every field may be left empty."""

    outcome = forms.ChoiceField(required=False, choices=[("", "all"), *((o.value, o.value) for o in Outcome)])
    label = forms.ChoiceField(
        required=False, label="Class", choices=[("", "any"), *((str(label), str(label)) for label in SUGGESTION_LABELS)]
    )
    would_be = forms.ChoiceField(required=False, label="Would be", choices=_choices("any", [*FOUR_CLASSES, NOWHERE]))
    missing = forms.CharField(required=False, max_length=24, widget=forms.HiddenInput)
    sub_cause = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)
    near = forms.BooleanField(required=False, label="Near a threshold")
    flag = forms.ChoiceField(required=False, label="Flagged", choices=[("", "any"), *FLAG_NAMES.items()])
    correct_by = forms.ChoiceField(
        required=False,
        choices=[("", "anybody"), *((by.value, by.value) for by in SaidBy if by)],
        widget=forms.HiddenInput,
    )
    slice_key = forms.CharField(required=False, max_length=300, widget=forms.HiddenInput)
    slice_value = forms.CharField(required=False, max_length=1000, widget=forms.HiddenInput)
    slice_key_2 = forms.CharField(required=False, max_length=300, widget=forms.HiddenInput)
    slice_value_2 = forms.CharField(required=False, max_length=1000, widget=forms.HiddenInput)
    text = forms.CharField(required=False, max_length=200, label="Words in question, answer or id (or how they begin)")
    after = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_POSITION, widget=forms.HiddenInput)
    before = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_POSITION, widget=forms.HiddenInput)

    def wanted(self) -> QueryFilter:
        """Return what was asked for; a field that cannot be read asks nothing."""
        self.is_valid()
        names = {field.name for field in dataclasses.fields(QueryFilter)}
        return QueryFilter(**{name: value for name, value in self.cleaned_data.items() if name in names})

    @property
    def after_position(self) -> int:
        """Return the position the page starts after."""
        return self.cleaned_data.get("after") or 0

    @property
    def before_position(self) -> int | None:
        """Return the position the page ends before, if it was asked for backwards."""
        before: int | None = self.cleaned_data.get("before")
        return before


class ManyFilesInput(forms.ClearableFileInput):
    """A control that takes several files."""

    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """Several files under one name. Each is checked, not only the last."""

    widget = ManyFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[bytes]]:  # noqa: ANN401 - Django's own
        """Return the files."""
        return [super(ManyFilesField, self).clean(file, initial) for file in data or []]


class UploadForm(forms.Form):
    """Files to import."""

    run_files = ManyFilesField(
        label="Run files",
        allow_empty_file=True,
        max_length=1_000,
        help_text="JSON Lines, a JSON array, a table (CSV, Parquet) or another tool's export, also as gzip or zstd.",
    )
    file_format = forms.ChoiceField(
        required=False,
        label="Format",
        help_text="For a table whose columns have names of your own, choose the last one: you can say which is which.",
        choices=[("", "told by content"), *((name, title) for name, (title, _reader) in FORMATS.items())],
    )

    def __init__(self, *args: Any, stopped: Iterable[str] = (), **kwargs: Any) -> None:
        """Take in what was sent. `stopped`: names of files that were too large to be taken."""
        super().__init__(*args, **kwargs)
        self.refusals = [f"{name} is larger than the limit: nothing of it was kept." for name in stopped]

    def clean_run_files(self) -> list[UploadedFile[bytes]]:
        """Refuse a form without any file that can be read."""
        files: list[UploadedFile[bytes]] = self.cleaned_data["run_files"]
        if not files:
            raise ValidationError(self.refusals or ["Choose at least one file."])
        return files


class RoleForm(forms.Form):
    """A role, at most the caller's own."""

    role = forms.ChoiceField(label="Role", choices=Role.choices, initial=Role.REVIEWER)

    def __init__(self, *args: Any, most: Role, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["role"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(role.value, role.label) for role in Role if role.rank <= most.rank]


class ProjectForm(forms.Form):
    """Name, targets, gates and owners of a project: one field each, named `kind:key`."""

    name = forms.CharField(max_length=200, label="Name of the project")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for metric in DEFAULT_TARGETS:
            self.fields[f"target:{metric}"] = _share(f"Target for {metric}")
        for metric in DEFAULT_GATES:
            self.fields[f"gate:{metric}"] = _share(f"CI gate for {metric}")
        for label in DEFAULT_OWNERS:
            self.fields[f"owner:{label}"] = forms.CharField(max_length=100, label=f"Owner of {label}")

    @staticmethod
    def values_of(project: Project) -> dict[str, object]:
        """Return the fields' values as the project has them, defaults filled in."""
        return {
            "name": project.name,
            **{f"target:{key}": value for key, value in {**DEFAULT_TARGETS, **project.targets}.items()},
            **{f"gate:{key}": value for key, value in {**DEFAULT_GATES, **project.gates}.items()},
            **{f"owner:{key}": value for key, value in {**DEFAULT_OWNERS, **project.owners}.items()},
        }

    def changes(self) -> dict[str, Any]:
        """Return what was typed, as `people.configure` takes it."""
        groups: dict[str, dict[str, Any]] = {"target": {}, "gate": {}, "owner": {}}
        for field, value in self.cleaned_data.items():
            kind, _, key = field.partition(":")
            if key:
                groups[kind][key] = value
        return {
            "name": self.cleaned_data["name"],
            "targets": groups["target"],
            "gates": groups["gate"],
            "owners": groups["owner"],
        }


def _share(label: str) -> forms.FloatField:
    """Return a field for a number from 0 to 1."""
    widget = forms.NumberInput(attrs={"step": "0.01"})
    return forms.FloatField(label=label, min_value=0, max_value=1, widget=widget, help_text="At least, from 0 to 1.")


class PanelForm(forms.Form):
    """The place of every judge in a project's order; a blank place = it is not asked."""

    def __init__(self, *args: Any, entries: Sequence[Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.entries = entries
        for entry in entries:
            self.fields[entry.seen.name] = forms.IntegerField(
                required=False,
                min_value=1,
                max_value=99,
                initial=entry.place,
                label=f"Place of {entry.seen.name}",
                widget=forms.NumberInput(attrs={"class": "short"}),
            )

    def rows(self) -> list[tuple[Entry, forms.BoundField]]:
        """Return every judge with its field."""
        return [(entry, self[entry.seen.name]) for entry in self.entries]

    def names(self) -> list[str]:
        """Return the names with a place, in order; equals keep the order of the page."""
        placed = [entry.seen.name for entry in self.entries if self.cleaned_data[entry.seen.name] is not None]
        return sorted(placed, key=lambda name: self.cleaned_data[name])

    def clean(self) -> dict[str, Any]:
        """Refuse an order that asks nobody."""
        cleaned: dict[str, Any] = super().clean() or {}
        if not any(place is not None for place in cleaned.values()):
            raise ValidationError("At least one judge has to be asked: give one a place.")
        return cleaned


class TrialForm(forms.Form):
    """One judge to try, and perhaps another to read the same claims."""

    first = forms.ChoiceField(label="Judge")
    second = forms.ChoiceField(label="Beside", required=False)

    def __init__(self, *args: Any, entries: Sequence[Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = [(entry.seen.name, entry.seen.name) for entry in entries if not entry.seen.fault]
        for field, choices in (("first", names), ("second", [("", "nobody"), *names])):
            self.fields[field] = forms.ChoiceField(
                label=self.fields[field].label, required=field == "first", choices=choices
            )

    def names(self) -> list[str]:
        """Return the one or two names."""
        return [name for name in (self.cleaned_data["first"], self.cleaned_data["second"]) if name]
