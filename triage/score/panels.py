"""The panel of a project, and its judges' identities as rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from django.conf import settings

from triage.core.judging import JudgeIdentity
from triage.judges.panel import Panel
from triage.judges.roster import open_panel
from triage.judges.setups import read_setups
from triage.models import Judge, Project


def panel_of(project: Project) -> Panel:
    """Return the judges in the order the project asks them. Raises SetupError."""
    return open_panel(project.judge_order, read_setups(settings.JUDGES))


def judge_rows(identities: Iterable[JudgeIdentity]) -> dict[str, Judge]:
    """Return the row of each identity by fingerprint, made where it is new."""
    wanted = {identity.fingerprint: identity for identity in identities}
    known = {judge.fingerprint: judge for judge in Judge.objects.filter(fingerprint__in=wanted)}
    for fingerprint in wanted.keys() - known.keys():
        fields = asdict(wanted[fingerprint])
        known[fingerprint], _ = Judge.objects.get_or_create(fingerprint=fingerprint, defaults=fields)
    return known
