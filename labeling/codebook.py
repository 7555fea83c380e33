"""The codebook as a project has it: our labels and sub-causes, and the project's own beside them, by version."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from labeling.models import CodebookVersion
from triage import journal
from triage.core.labels import CODEBOOK_VERSION, SUB_CAUSES, VERDICT_LABELS
from triage.models import Project

_NAME = re.compile(r"[a-z][a-z0-9_]{1,39}$")


class CodebookError(Exception):
    """The change makes no sense; the text says why."""


@dataclass(frozen=True, slots=True)
class SubCauseEntry:
    """One sub-cause: its name in files and rows, and what it means (blank for our own)."""

    name: str
    definition: str = ""
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class Codebook:
    """What may be said in a project now."""

    version: int
    sub_causes: dict[str, tuple[SubCauseEntry, ...]] = field(default_factory=dict)

    def has(self, label: str, sub_cause: str) -> bool:
        """Say whether the sub-cause belongs to the label; none at all always does."""
        return not sub_cause or any(entry.name == sub_cause for entry in self.sub_causes.get(label, ()))

    def names(self, label: str) -> tuple[str, ...]:
        """Return the names of the label's sub-causes, `other` last."""
        return tuple(entry.name for entry in self.sub_causes.get(label, ()))


def codebook_of(project: Project) -> Codebook:
    """Return the project's codebook as it is now."""
    newest = CodebookVersion.objects.filter(project=project).order_by("-version")
    return codebook_from(newest.values("version", "sub_causes").first())


def codebook_from(newest: Mapping[str, Any] | None) -> Codebook:
    """Return the codebook of a version as its row holds it (`version`, `sub_causes`); None = nothing was added."""
    own = newest["sub_causes"] if newest else {}
    return Codebook(
        version=newest["version"] if newest else CODEBOOK_VERSION,
        sub_causes={str(label): _entries(str(label), own.get(str(label), [])) for label in VERDICT_LABELS},
    )


def _entries(label: str, own: list[dict[str, str]]) -> tuple[SubCauseEntry, ...]:
    """Return our sub-causes of a label with the project's before `other`."""
    ours = [SubCauseEntry(name) for name in SUB_CAUSES.get(label, ())]
    added = [SubCauseEntry(each["name"], each["definition"], is_own=True) for each in own]
    last = [entry for entry in ours if entry.name == "other"]
    return (*(entry for entry in ours if entry.name != "other"), *added, *last)


@transaction.atomic
def add_sub_cause(project: Project, user: User | None, label: str, name: str, definition: str) -> CodebookVersion:
    """Offer a sub-cause of the project's own from now on: a new version. Raises CodebookError."""
    current = _locked(project)
    if label not in VERDICT_LABELS or not _NAME.match(name):
        raise CodebookError("A name is 2 to 40 lower-case letters, digits and underscores, under one of the labels.")
    if name in current.names(label):
        raise CodebookError(f"“{name}” is a sub-cause of this label already.")
    own = _own(current)
    own.setdefault(label, []).append({"name": name, "definition": definition.strip()})
    return _publish(project, user, current, own, f"added {name} to {label}")


@transaction.atomic
def retire_sub_cause(project: Project, user: User | None, label: str, name: str) -> CodebookVersion:
    """Offer a sub-cause of the project's own no more: a new version. Verdicts that name it keep it."""
    current = _locked(project)
    own = _own(current)
    kept = [each for each in own.get(label, []) if each["name"] != name]
    if len(kept) == len(own.get(label, [])):
        raise CodebookError(f"“{name}” is not one of the project's own sub-causes.")
    return _publish(project, user, current, {**own, label: kept}, f"retired {name} of {label}")


def _locked(project: Project) -> Codebook:
    """Return the codebook with the project locked: versions follow each other."""
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    return codebook_of(project)


def _own(codebook: Codebook) -> dict[str, list[dict[str, str]]]:
    return {
        label: [{"name": entry.name, "definition": entry.definition} for entry in entries if entry.is_own]
        for label, entries in codebook.sub_causes.items()
    }


def _publish(
    project: Project, user: User | None, current: Codebook, own: dict[str, list[dict[str, str]]], change: str
) -> CodebookVersion:
    made = CodebookVersion.objects.create(
        project=project, version=current.version + 1, sub_causes=own, change=change, created_by=user
    )
    old, new = {"version": current.version}, {"version": made.version, "change": change}
    journal.note("codebook.changed", project, made.version, old=old, new=new, by=user)
    return made
