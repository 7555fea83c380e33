"""The panel of a project, and its judges' identities as rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from triage.core.judging import JudgeIdentity
from triage.judges.panel import Panel, UnknownJudgeError, open_panel
from triage.models import Judge, Project

__all__ = ["UnknownJudgeError", "judge_rows", "panel_of"]


def panel_of(project: Project) -> Panel:
    """Return the judges in the order the project asks them. Raises UnknownJudgeError."""
    return open_panel(project.judge_order)


def judge_rows(identities: Iterable[JudgeIdentity]) -> dict[str, Judge]:
    """Return the row of each identity by fingerprint, made where it is new."""
    wanted = {identity.fingerprint: identity for identity in identities}
    known = {judge.fingerprint: judge for judge in Judge.objects.filter(fingerprint__in=wanted)}
    for fingerprint in wanted.keys() - known.keys():
        fields = asdict(wanted[fingerprint])
        known[fingerprint], _ = Judge.objects.get_or_create(fingerprint=fingerprint, defaults=fields)
    return known
