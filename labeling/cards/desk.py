"""What stands around a card, whichever it is: the reviewer's progress and keys, and the project's policy."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from labeling.models import ReviewSession
from labeling.worklist import PROGRESS, Progress, items_of
from triage.core.policy import Policy
from triage.models.prepared import prepared
from triage.models.projects import policy_from

DESK = f"""{PROGRESS},
    (SELECT body::text FROM triage_policyversion WHERE project_id = %(project)s ORDER BY id DESC LIMIT 1),
    (SELECT to_json(own)::text FROM (
        SELECT keys, letters_on, with_alt FROM labeling_preference WHERE user_id = %(user)s) AS own)
"""  # noqa: S608 - our own statement, the values are bound


@dataclass(frozen=True, slots=True)
class Desk:
    """One reviewer at one session, apart from the item."""

    progress: Progress
    policy: Policy
    #: The reviewer's own keys as their row holds them; None = they changed nothing.
    own_keys: dict[str, Any] | None


def desk_of(session: ReviewSession, user_id: int) -> Desk:
    """Read the desk in one statement. The session's run must be loaded with it."""
    with prepared() as cursor:
        cursor.execute(DESK, {"session": session.pk, "user": user_id, "project": session.run.project_id})
        done, median_s, policy, keys = cursor.fetchone()
    return Desk(
        progress=Progress(done=done, items=items_of(session), median_s=median_s),
        policy=policy_from(json.loads(policy) if policy else None),
        own_keys=json.loads(keys) if keys else None,
    )
