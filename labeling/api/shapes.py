"""What the human's half of the API answers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from labeling.core.gates import Gate
from labeling.export import pseudonym
from labeling.models import Calibration, Verdict
from triage.models import Judge


class VerdictShape(BaseModel):
    """One person's word on a query, as it stands now."""

    query: str
    position: int
    label: str | None = Field(description="Null: a note without a label.")
    sub_cause: str | None
    note: str | None
    reviewer: str = Field(description="The same key for the same person within a project; no name.")
    at: datetime
    stage: str
    blind: bool
    drawn: str | None
    codebook_version: int
    gold_version: int

    @classmethod
    def of(cls, verdict: Verdict, project_id: int) -> VerdictShape:
        """Return the shape of a verdict that has its query beside it."""
        return cls(
            query=verdict.query.key,
            position=verdict.query.position,
            label=verdict.label or None,
            sub_cause=verdict.sub_cause or None,
            note=verdict.note or None,
            reviewer=pseudonym(project_id, verdict.imported_reviewer or str(verdict.reviewer_id)),
            at=verdict.created_at,
            stage=verdict.stage,
            blind=verdict.blind,
            drawn=verdict.drawn or None,
            codebook_version=verdict.codebook_version,
            gold_version=verdict.gold_version,
        )


class VerdictsShape(BaseModel):
    """One page of the verdicts that stand, the oldest first. `next`: what to pass as `after` for the next page."""

    items: list[VerdictShape]
    next: int | None


class GateShape(BaseModel):
    """Whether a run passes the gates of its project."""

    run: str
    result: Literal["pass", "fail", "not_decided"]
    strict: bool
    gates: list[Gate]


class JudgeShape(BaseModel):
    """A judge that scored something in the project, with its newest comparison with people."""

    name: str
    task: str
    fingerprint: str
    threshold: float
    trust: str = Field(description="calibrated, too few to rely on, stale, or uncalibrated.")
    labels: int = Field(description="Human labels the comparison rests on.")
    compared_at: datetime | None
    figures: dict[str, Any] | None = Field(description="Over all labels: each with its interval and n.")

    @classmethod
    def of(cls, judge: Judge, newest: Calibration | None, now: datetime) -> JudgeShape:
        """Return the shape of a judge."""
        return cls(
            name=judge.name,
            task=judge.task,
            fingerprint=judge.fingerprint,
            threshold=judge.threshold,
            trust=str(newest.trust(now)) if newest else "uncalibrated",
            labels=newest.n if newest else 0,
            compared_at=newest.computed_at if newest else None,
            figures=newest.figures["all"] if newest else None,
        )
