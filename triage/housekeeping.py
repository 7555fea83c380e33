"""Verb: rename a run, or delete it with everything that is only its own."""

from __future__ import annotations

from django.db import transaction

from triage.models import Chunk, Citation, QueryMetrics, Retrieved, Run, Score, Scoring, Suggestion, Upload


def rename(run: Run, name: str) -> None:
    """Give the run another name. Names may repeat; the newest run of a name is meant where a name is used."""
    Run.objects.filter(pk=run.pk).update(name=name)


@transaction.atomic
def delete(run: Run) -> dict[str, int]:
    """Delete the run, its uploads, what people said of it, and the chunks no other run uses.

    Returns how many queries and chunks went. A worker in the middle of it finds its rows gone and stops.
    """
    queries = run.queries.count()
    chunks = list(run.run_chunks.values_list("chunk_id", flat=True))
    Upload.objects.filter(run=run).delete()
    for leaves in (Score, Suggestion, Scoring, QueryMetrics, Retrieved):
        leaves.objects.filter(query__run=run).delete()  # one statement each: nothing hangs on these rows
    Citation.objects.filter(claim__query__run=run).delete()
    run.delete()
    unused = Chunk.objects.filter(pk__in=chunks).unused()
    gone = unused.count()
    unused.delete()
    return {"queries": queries, "chunks": gone}
