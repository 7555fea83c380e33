"""The gold audit as its page prints it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from labeling.audit.check import Audited, audit
from labeling.core.audit import AuditCheck, Health
from triage.models import Run

TONES = {Health.OK: ("ok", "Healthy"), Health.WARN: ("warn", "Look after"), Health.UNKNOWN: ("open", "Not known")}
SHOWN_IDS = 50


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One check with its tone, and the first ids to look at."""

    check: AuditCheck
    tone: str
    words: str
    ids: tuple[str, ...]

    @property
    def ids_left(self) -> int:
        """Return how many ids are not shown."""
        return len(self.check.ids) - len(self.ids)


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Everything the page prints."""

    run: Run
    found: Audited
    lines: tuple[AuditLine, ...]


def audit_page(run: Run, now: datetime) -> AuditPage:
    """Return the page of a run."""
    found = audit(run, now)
    return AuditPage(run, found, tuple(AuditLine(one, *TONES[one.state], one.ids[:SHOWN_IDS]) for one in found.checks))
