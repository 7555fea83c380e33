"""A judge whose faults become words: used on the last attempt, so that the judges after it are still asked."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from celery.exceptions import SoftTimeLimitExceeded

from triage.core.judging import (
    GroundingItem,
    GroundingJudge,
    JudgeIdentity,
    PairScore,
    RelevanceItem,
    RelevanceJudge,
    RelevanceScore,
    SkimmingJudge,
)

log = logging.getLogger(__name__)
_LONGEST = 500


def _told(fault: Exception) -> str:
    return f"{type(fault).__name__}: {fault}"[:_LONGEST]


@dataclass(frozen=True, slots=True)
class Guarded:
    """A grounding judge that answers with an error word for every pair where it would raise."""

    judge: GroundingJudge
    faults: list[str]

    @property
    def identity(self) -> JudgeIdentity:
        """Return the identity of the judge behind."""
        return self.judge.identity

    def skim(self, item: GroundingItem) -> list[PairScore]:
        """Return what the judge behind skims, if it does."""
        return self.judge.skim(item) if isinstance(self.judge, SkimmingJudge) else []

    def read(self, items: Sequence[GroundingItem]) -> list[list[PairScore]]:
        """Return the judge's words on what it has not skimmed, or its fault as the word on every pair."""
        return self._guarded(self.judge.read if isinstance(self.judge, SkimmingJudge) else self.judge.ground, items)

    def ground(self, items: Sequence[GroundingItem]) -> list[list[PairScore]]:
        """Return the judge's words, or its fault as the word on every pair."""
        return self._guarded(self.judge.ground, items)

    def _guarded(
        self, ask: Callable[[Sequence[GroundingItem]], list[list[PairScore]]], items: Sequence[GroundingItem]
    ) -> list[list[PairScore]]:
        try:
            return ask(items)
        except SoftTimeLimitExceeded:
            raise
        except Exception as fault:
            log.exception("judge %s failed for good", self.identity.name)
            self.faults.append(_told(fault))
            return [
                [PairScore(claim.key, chunk.key, error=_told(fault)) for claim in item.claims for chunk in item.chunks]
                for item in items
            ]


@dataclass(frozen=True, slots=True)
class GuardedRelevance:
    """A relevance judge that answers with an error word where it would raise."""

    judge: RelevanceJudge
    faults: list[str]

    @property
    def identity(self) -> JudgeIdentity:
        """Return the identity of the judge behind."""
        return self.judge.identity

    def rate(self, items: Sequence[RelevanceItem]) -> list[RelevanceScore | None]:
        """Return the judge's words, or its fault as the word on every answer."""
        try:
            return self.judge.rate(items)
        except SoftTimeLimitExceeded:
            raise
        except Exception as fault:
            log.exception("judge %s failed for good", self.identity.name)
            self.faults.append(_told(fault))
            return [RelevanceScore(item.key, error=_told(fault)) for item in items]
