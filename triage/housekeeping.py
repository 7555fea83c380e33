"""Verb: rename a run, or delete it with everything that is only its own.

Deleting is two steps: `delete` hides the run at once, `erase` removes its rows piece by piece in a worker. Each piece
is a transaction, whoever does it: a worker that dies in the middle leaves less to do for the next one.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from triage import journal
from triage.models import (
    Chunk,
    Citation,
    JudgeTrial,
    Message,
    Query,
    QueryMetrics,
    Retrieved,
    Run,
    RunChunk,
    Score,
    Scoring,
    Suggestion,
    Upload,
)
from triage.models.locks import held


@transaction.atomic
def rename(run: Run, name: str) -> None:
    """Give the run another name. Names may repeat; the newest run of a name is meant where a name is used."""
    Run.objects.filter(pk=run.pk).update(name=name)
    journal.changed("run.renamed", run.project_id, run.key, {"name": run.name}, {"name": name})


@transaction.atomic
def delete(run: Run) -> bool:
    """Hide the run for good; `erase` removes what it holds. False = somebody deleted it before.

    Its content hash is given up, so that the same file may be imported anew meanwhile. Trials quote claims of the
    project's newest run, so they go too.
    """
    fields = {"state": Run.State.DELETING, "content_hash": secrets.token_bytes(32), "state_reason": ""}
    if not Run.objects.filter(pk=run.pk).update(**fields):
        return False
    for upload in Upload.objects.filter(run=run):
        transaction.on_commit(upload.drop_file)
    Upload.objects.filter(run=run).delete()
    Message.objects.filter(run_key=run.key).delete()
    JudgeTrial.objects.filter(project=run.project_id).delete()
    old = {"state": run.state, "queries": run.queries.count()}
    journal.note("run.deleted", run.project_id, run.key, old=old)
    return True


def erase(run_id: int, seconds: float) -> bool:
    """Remove the rows of a deleted run for at most so many seconds. True = more is left for this caller to do."""
    until = time.monotonic() + seconds
    with held(f"erase:{run_id}") as is_mine:
        while is_mine and _erase_a_piece(run_id):
            if time.monotonic() > until:
                return True
    return False


@transaction.atomic
def _erase_a_piece(run_id: int) -> bool:
    """Remove the next piece; False = nothing is left. The run's own row goes last: until then it is remembered."""
    run = Run.every.filter(pk=run_id, state=Run.State.DELETING).first()
    if run is None:
        return False
    size = settings.ERASE_BATCH_QUERIES
    queries = list(Query.objects.filter(run=run_id).order_by("pk").values_list("pk", flat=True)[:size])
    corpus = (
        [] if queries else list(RunChunk.objects.filter(run=run_id).order_by("pk").values_list("pk", "chunk")[:size])
    )
    if queries:
        _erase_queries(queries)
    elif corpus:
        RunChunk.objects.filter(pk__in=[pk for pk, _ in corpus]).delete()
        Chunk.objects.filter(pk__in=[chunk for _, chunk in corpus]).unused().delete()
    else:
        run.delete()
    return True


def _erase_queries(queries: Sequence[int]) -> None:
    for leaves in (Score, Suggestion, Scoring, QueryMetrics, Retrieved):
        leaves.objects.filter(query__in=queries).delete()  # one statement each: nothing hangs on these rows
    Citation.objects.filter(claim__query__in=queries).delete()
    Query.objects.filter(pk__in=queries).delete()


def expire() -> list[int]:
    """Delete the runs older than KEEP_RUNS_DAYS (0 = kept for ever); return the ids of all whose rows are to go."""
    days: int = settings.KEEP_RUNS_DAYS
    old = Run.objects.filter(created_at__lt=Now() - timedelta(days=days)) if days else Run.objects.none()
    for run in old:
        delete(run)
    return list(Run.every.being_deleted().values_list("pk", flat=True))
