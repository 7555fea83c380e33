"""The rows of the machine's half. Each box of the path can be recomputed from the boxes to its left."""

from __future__ import annotations

from triage.models.changes import Change
from triage.models.projects import Invitation, Member, PolicyVersion, Project, Role
from triage.models.queries import Citation, Claim, Query, Retrieved
from triage.models.replays import Replay
from triage.models.runs import Chunk, GoldRevision, Run, RunChunk
from triage.models.scores import Judge, QueryMetrics, Score, Scoring, Suggestion
from triage.models.tokens import ApiToken, Scope
from triage.models.trials import JudgeTrial
from triage.models.uploads import Upload, WorkerHeartbeat, import_limits
from triage.models.webhooks import Event, Message, Webhook

__all__ = [
    "ApiToken",
    "Change",
    "Chunk",
    "Citation",
    "Claim",
    "Event",
    "GoldRevision",
    "Invitation",
    "Judge",
    "JudgeTrial",
    "Member",
    "Message",
    "PolicyVersion",
    "Project",
    "Query",
    "QueryMetrics",
    "Replay",
    "Retrieved",
    "Role",
    "Run",
    "RunChunk",
    "Scope",
    "Score",
    "Scoring",
    "Suggestion",
    "Upload",
    "Webhook",
    "WorkerHeartbeat",
    "import_limits",
]
