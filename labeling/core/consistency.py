"""Whether a reviewer's label and their own claim marks tell the same story (calibration.md section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from triage.core.labels import FailureLabel, Support
from triage.core.policy import Policy


@dataclass(frozen=True, slots=True)
class Conflict:
    """A label that the reviewer's own marks speak against, and the claims (their numbers) that do."""

    label: str
    claims: tuple[int, ...]

    @property
    def all_supported(self) -> bool:
        """Say whether the conflict is 'unsupported claims' with every claim marked supported."""
        return self.label == FailureLabel.UNSUPPORTED_CLAIMS


def conflict(label: str, marks: Mapping[int, str], claims: int, policy: Policy) -> Conflict | None:
    """Return the conflict between `label` and the marks (claim number -> support) on an answer of `claims` claims.

    `unsupported_claims` clashes with every claim marked supported; any other label with supported / marked below
    the policy's faithfulness. Claims nobody marked say nothing; a note without a label clashes with nothing.
    """
    if not label or not marks:
        return None
    unsupported = tuple(sorted(number for number, support in marks.items() if support != Support.SUPPORTED))
    if label == FailureLabel.UNSUPPORTED_CLAIMS:
        return Conflict(label, tuple(sorted(marks))) if not unsupported and len(marks) == claims else None
    supported = len(marks) - len(unsupported)
    return Conflict(label, unsupported) if supported / len(marks) < policy.faithfulness else None
