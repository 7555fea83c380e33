"""The policies a project adopted: who and when, what each one moved, and how far runs are filed under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count
from django.http import Http404

from triage.core.policy import DEFAULT_POLICY, Policy
from triage.models import Judge, PolicyVersion, Project, Run

#: The word that asks for the policy a project has before it adopts one.
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Change:
    """One number that a policy moved, before and after."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PolicyLine:
    """One adoption; `at` None = the defaults a project starts with."""

    version: str
    fingerprint: str
    at: datetime | None
    by: str
    changes: tuple[Change, ...]
    runs: int
    in_use: bool


@dataclass(frozen=True, slots=True)
class PoliciesPage:
    """Everything the page prints."""

    project: Project
    lines: tuple[PolicyLine, ...]
    filed: int
    classified: int
    under_way: tuple[Run, ...]


def policies_page(project: Project) -> PoliciesPage:
    """Return the project's policies, the newest first, and how many of its classified runs are filed under the last."""
    rows = list(project.policy_versions.select_related("adopted_by").order_by("pk"))
    runs = project.runs.exclude(summary={})
    counts = dict(runs.values_list("policy_fingerprint").annotate(Count("pk")))
    lines = _lines(rows, counts)
    under_way = project.runs.filter(state=Run.State.CLASSIFYING).only("key", "name").order_by("-pk")[:20]
    filed = counts.get(lines[0].fingerprint, 0)
    return PoliciesPage(project, lines, filed, sum(counts.values()), tuple(under_way))


def earlier_policy(project: Project, version: str) -> Policy:
    """Return the policy of an adoption of this project, or the defaults. Http404 for what is neither."""
    if version == DEFAULT:
        return DEFAULT_POLICY
    row = project.policy_versions.filter(pk=version).first() if version.isdecimal() and len(version) < 19 else None
    if row is None:
        raise Http404("no such policy")
    return Policy.model_validate(row.body)


def _lines(rows: Sequence[PolicyVersion], counts: Mapping[str, int]) -> tuple[PolicyLine, ...]:
    in_use = rows[-1].fingerprint if rows else DEFAULT_POLICY.fingerprint
    names = _judge_names(rows)
    before = DEFAULT_POLICY
    default = DEFAULT_POLICY.fingerprint
    lines = [PolicyLine(DEFAULT, default, None, "", (), counts.get(default, 0), in_use == default)]
    for row in rows:
        policy, by = Policy.model_validate(row.body), row.adopted_by.username if row.adopted_by else ""
        count, changes = counts.get(row.fingerprint, 0), _changes(before, policy, names)
        lines.append(
            PolicyLine(str(row.pk), row.fingerprint, row.adopted_at, by, changes, count, row.fingerprint == in_use)
        )
        before = policy
    return tuple(reversed(lines))


def _judge_names(rows: Sequence[PolicyVersion]) -> dict[str, tuple[str, float]]:
    """Return (name, own threshold) of every judge the policies moved, in one statement."""
    moved = {name for row in rows for name in row.body.get("judge_thresholds", {})}
    found = Judge.objects.filter(fingerprint__in=moved).values_list("fingerprint", "name", "threshold")
    return {fingerprint: (name, threshold) for fingerprint, name, threshold in found}


def _changes(before: Policy, after: Policy, names: Mapping[str, tuple[str, float]]) -> tuple[Change, ...]:
    """Return what one policy changed against the one before it, judges by name."""
    plain = [name for name in Policy.model_fields if name != "judge_thresholds"]
    found = [(name.replace("_", " "), getattr(before, name), getattr(after, name)) for name in plain]
    for base in sorted({*before.judge_thresholds, *after.judge_thresholds}):
        name, own = names.get(base, (base, None))
        old, new = before.judge_thresholds.get(base, own), after.judge_thresholds.get(base, own)
        found.append((f"threshold of judge {name}", old, new))
    return tuple(Change(name, _spelled(old), _spelled(new)) for name, old, new in found if old != new)


def _spelled(value: object) -> str:
    """Return a number as it was given, a switch as a word, a list by its length."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{len(value)} phrases" if isinstance(value, tuple) else "its own" if value is None else f"{value:g}"
