"""What the API answers: each shape once, as it is documented."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints

from triage.core.grounding import Checked, GroundingRequest
from triage.core.labels import SUGGESTION_LABELS
from triage.models import Project, Query, Run, Upload
from triage.pages.progress import progress_of

Key = Annotated[str, StringConstraints(pattern=r"^[0-9a-z]{1,20}$")]
Slug = Annotated[str, StringConstraints(pattern=r"^[-a-zA-Z0-9_]{1,60}$")]
Words = Annotated[str, StringConstraints(max_length=300, pattern=r"^[^\x00]*$")]
FormWord = Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,20}$")]
Limit = Annotated[int, Field(ge=1, le=200)]
Position = Annotated[int, Field(ge=0, le=2_147_483_647)]
OutcomeWord = Literal["failing", "correct", "undecided"]
LabelWord = Literal["retrieval_miss", "unsupported_claims", "grounded_wrong_question", "still_wrong", "unscored"]
assert set(LabelWord.__args__) == set(SUGGESTION_LABELS)  # type: ignore[attr-defined]
#: Answers checked at once.
MOST_CHECKS = 20


class TokenShape(BaseModel):
    """What a token may do."""

    prefix: str
    name: str
    project: str
    scopes: list[str]
    expires_at: datetime


class ProjectShape(BaseModel):
    """A project with its newest run."""

    slug: str
    name: str
    judge_order: list[str]
    newest_run: str | None

    @classmethod
    def of(cls, project: Project) -> ProjectShape:
        """Return the shape of a project."""
        newest = project.runs.order_by("-pk").values_list("key", flat=True).first()
        return cls(slug=project.slug, name=project.name, judge_order=project.judge_order, newest_run=newest)


class ProgressShape(BaseModel):
    """How far scoring is."""

    done: int
    total: int
    set_aside: int
    left_s: float | None


class RunShape(BaseModel):
    """A run. `classes` and `metrics` are null before it is classified."""

    key: str
    name: str
    project: str
    state: Literal["scoring", "classifying", "done", "paused", "failed", "cancelled"]
    state_reason: str
    release: str
    pipeline: str
    evaluation_set: str
    gold_version: int
    policy: str
    created_at: datetime
    finished_at: datetime | None
    counts: dict[str, Any]
    lines_left_out: int
    classes: dict[str, int] | None
    metrics: dict[str, Any] | None
    progress: ProgressShape | None = Field(default=None, description="Only where one run is asked for.")

    @classmethod
    def of(cls, run: Run, *, with_progress: bool = False) -> RunShape:
        """Return the shape of a run."""
        return cls(
            key=run.key,
            name=run.name,
            project=run.project.slug,
            state=run.state,  # type: ignore[arg-type]  # constrained by the model
            state_reason=run.state_reason,
            release=run.release,
            pipeline=run.pipeline,
            evaluation_set=run.evaluation_set,
            gold_version=run.gold_version,
            policy=run.policy_fingerprint,
            created_at=run.created_at,
            finished_at=run.finished_at,
            counts=run.counts,
            lines_left_out=run.error_count,
            classes=run.summary.get("classes"),
            metrics=run.summary.get("metrics"),
            progress=_progress(run) if with_progress else None,
        )


def _progress(run: Run) -> ProgressShape | None:
    found = progress_of(run)
    if found is None:
        return None
    left_s = None if found.left_ms is None else found.left_ms / 1000
    return ProgressShape(done=found.done, total=found.total, set_aside=found.set_aside, left_s=left_s)


class RunsShape(BaseModel):
    """One page of runs, the newest first. `next`: what to pass as `after` for the next page."""

    items: list[RunShape]
    next: str | None


class UploadShape(BaseModel):
    """A file on its way in. `run` is there once all of it has been read."""

    key: str
    project: str
    file_name: str
    size_bytes: int
    sha256: str
    state: Literal["waiting", "reading", "done", "failed", "cancelled"]
    reason: str
    bytes_read: int
    lines_read: int
    error_count: int
    errors: list[dict[str, Any]] = Field(description="The first 100 lines left out.")
    run: str | None
    created_run: bool | None = Field(description="False: the same content was there as this run.")

    @classmethod
    def of(cls, upload: Upload) -> UploadShape:
        """Return the shape of an upload."""
        return cls(
            key=upload.key,
            project=upload.project.slug,
            file_name=upload.file_name,
            size_bytes=upload.size_bytes,
            sha256=upload.sha256,
            state=upload.state,  # type: ignore[arg-type]  # constrained by the model
            reason=upload.reason,
            bytes_read=upload.bytes_read,
            lines_read=upload.lines_read,
            error_count=upload.error_count,
            errors=upload.errors[:100],
            run=upload.run.key if upload.run else None,
            created_run=upload.created_run,
        )


class NumberShape(BaseModel):
    """A number, or the named reason why there is none."""

    value: float | None
    undefined: str | None = None


class QueryShape(BaseModel):
    """One query with what the machine says of it."""

    position: int
    id: str
    question: str
    outcome: OutcomeWord
    label: LabelWord | None = Field(description="Null where the query does not fail, or nothing was classified yet.")
    near: bool = Field(description="A threshold is near: a small change of a score would move it.")
    context_recall: NumberShape
    faithfulness: NumberShape
    answer_relevance: NumberShape

    @classmethod
    def of(cls, query: Query) -> QueryShape:
        """Return the shape of a query that carries the columns of a list."""
        metrics = getattr(query, "metrics", None)
        reasons = metrics.reasons if metrics else {}
        names = ("context_recall", "faithfulness", "answer_relevance")
        numbers = {name: _number(getattr(metrics, name, None), reasons.get(name, "not_scored")) for name in names}
        outcome = {True: "correct", False: "failing", None: "undecided"}[query.correct]
        return cls(
            position=query.position,
            id=query.key,
            question=query.question,
            outcome=outcome,  # type: ignore[arg-type]
            label=getattr(query, "label", None) or None,
            near=bool(getattr(query, "near", False)),
            **numbers,
        )


def _number(value: float | None, reason: str) -> NumberShape:
    return NumberShape(value=value, undefined=reason if value is None else None)


class QueriesShape(BaseModel):
    """One page of queries in file order. `next`: what to pass as `after` for the next page."""

    items: list[QueryShape]
    next: int | None


class QueryRecordShape(BaseModel):
    """One query whole."""

    position: int
    record: dict[str, Any] = Field(description="A query line of the run file, as in docs/schema.")
    chunks: list[dict[str, Any]] = Field(description="The chunks retrieved for it, as chunk lines of the run file.")


class ChecksRequest(BaseModel):
    """Several answers to check."""

    items: list[GroundingRequest] = Field(min_length=1, max_length=MOST_CHECKS)


class ChecksShape(BaseModel):
    """One word for each answer, in order."""

    items: list[Checked]
