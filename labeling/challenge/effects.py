"""What an accepted challenge changed: the label of each touched query before and after."""

from __future__ import annotations

from dataclasses import dataclass

from labeling.models import GoldChallenge
from triage.models import Query, Suggestion


@dataclass(frozen=True, slots=True)
class Effect:
    """One run's query: filed where before the new gold version, and where now. None = not filed (yet)."""

    query: Query
    before: str | None
    after: str | None
    #: The classification under the new gold has not come through yet.
    is_pending: bool


def effects(challenge: GoldChallenge) -> list[Effect]:
    """Return the queries an accepted challenge touches, newest run first; empty for one that changed no gold."""
    if challenge.gold_version is None:
        return []
    query = challenge.query
    touched = Query.objects.filter(
        run__project=query.run.project_id, run__evaluation_set=query.run.evaluation_set, key_hash=query.key_hash
    )
    return [_effect(one, challenge.gold_version) for one in touched.select_related("run").order_by("-run_id")]


def _effect(query: Query, version: int) -> Effect:
    filed = list(Suggestion.objects.filter(query=query).order_by("gold_version", "pk"))
    before = [one.label for one in filed if one.gold_version < version]
    after = [one.label for one in filed if one.gold_version >= version]
    return Effect(
        query=query,
        before=before[-1] if before else None,
        after=after[-1] if after else None,
        is_pending=not after and query.run.gold_version < version,
    )
