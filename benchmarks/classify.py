"""Measure the classification of scored queries: queries a second and growth, in a database of its own.

Run from the root of the repository: `python -m benchmarks.classify [QUERIES ...]`; default 1,000, 10,000 and 100,000.
Every query has 8 chunks, 4 claims with a citation each, a judge's word on every claim and chunk (5 read, 3 skimmed)
and one on the answer; 40 % are failing. The target with one worker is 100,000 queries in under 20 s, linear, and under
3 s for a look at what another policy would make of them, which reads the failing ones.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import django

from benchmarks.ingest import peak_mb
from tests import throwaway

SIZES = (1_000, 10_000, 100_000)
_VALUES = {"chunks": 8, "claims": 4, "read": 5}
#: A run's rows, made by the database itself: {run} queries of {n}, over a corpus shared by all.
_CORPUS = """
    INSERT INTO triage_chunk (project_id, key, content_hash, text_hash, text, document, section, title, url,
                              superseded_by, summary_of, meta)
    SELECT %(project)s, 'chunk-' || i, sha256(('c' || i)::bytea), sha256(('t' || i)::bytea),
           repeat('word' || i || ' ', 100), '', '', '', '', '', '{}', '{}'
    FROM generate_series(1, 20000) i
"""
_QUERIES = """
    INSERT INTO triage_query (run_id, position, key, key_hash, question, answer, answerable, correct, correct_in_file,
                              correct_by, abstained, retrieval_known, gold, gold_from, conversation, slices, scores,
                              human_scores, human, challenges, flags, latency_ms, context_tokens, reranker, trace_id,
                              url, meta)
    SELECT %(run)s, i, 'q' || i, sha256(('q' || i)::bytea), 'What is word' || i || '?', repeat('An answer. ', 20),
           true, i %% 5 > 1, i %% 5 > 1, 'file', false, true,
           ARRAY['chunk-' || 1 + (i * 31 + 3) %% 20000], '{}', '[]', '{}', '[]', '[]', '[]', '[]', '{}',
           i %% 1000, 900, '', '', '', '{}'
    FROM generate_series(1, %(n)s) i
"""
_RETRIEVED = """
    INSERT INTO triage_retrieved (query_id, rank, chunk_id, score, in_context, meta)
    SELECT q.id, rank, first + (q.position * 31 + rank) %% 20000, 1.0 / rank, true, '{}'
    FROM triage_query q CROSS JOIN generate_series(1, %(chunks)s) rank
    CROSS JOIN (SELECT min(id) AS first FROM triage_chunk WHERE project_id = %(project)s) corpus
    WHERE q.run_id = %(run)s ORDER BY q.id, rank
"""
_CLAIMS = """
    INSERT INTO triage_claim (query_id, position, text, text_hash, source, is_current, recorded, human, meta)
    SELECT q.id, i, 'Claim ' || i || ' of ' || q.key, sha256((q.key || i)::bytea), 'split', true, '[]', '[]', '{}'
    FROM triage_query q CROSS JOIN generate_series(1, %(claims)s) i WHERE q.run_id = %(run)s ORDER BY q.id, i
"""
_CITATIONS = """
    INSERT INTO triage_citation (claim_id, position, cited, chunk_id, whole_document)
    SELECT c.id, 1, h.key, h.id, false FROM triage_claim c JOIN triage_query q ON q.id = c.query_id
    JOIN triage_retrieved r ON r.query_id = q.id AND r.rank = c.position JOIN triage_chunk h ON h.id = r.chunk_id
    WHERE q.run_id = %(run)s ORDER BY c.id
"""
_SCORES = """
    INSERT INTO triage_score (judge_id, query_id, claim_id, chunk_id, value, label, error, raw)
    SELECT %(grounding)s, q.id, c.id, r.chunk_id,
           CASE WHEN r.rank <= %(read)s THEN (c.id * 7 + r.rank * 13) %% 40 / 100.0 END,
           CASE WHEN r.rank <= %(read)s THEN '' ELSE 'unsupported' END, '', ''
    FROM triage_query q JOIN triage_claim c ON c.query_id = q.id JOIN triage_retrieved r ON r.query_id = q.id
    WHERE q.run_id = %(run)s ORDER BY c.id, r.rank
"""
_RATINGS = """
    INSERT INTO triage_score (judge_id, query_id, value, label, error, raw)
    SELECT %(relevance)s, id, position %% 100 / 100.0, '', '', '' FROM triage_query WHERE run_id = %(run)s
"""
_STEPS = (_QUERIES, _RETRIEVED, _CLAIMS, _CITATIONS, _SCORES, _RATINGS)


def scored_run(queries: int) -> int:
    """Make a run of this size, scored, and return its id."""
    from django.db import connection

    from tests.factories import make_judge, make_project, make_run

    run = make_run(make_project(judge_order=["embedded"]))
    values = {
        **_VALUES,
        "n": queries,
        "run": run.pk,
        "project": run.project_id,
        "grounding": make_judge("embedded", threshold=0.31).pk,
        "relevance": make_judge("embedded", task="relevance", threshold=0.7).pk,
    }
    with connection.cursor() as cursor:
        for step in (_CORPUS, *_STEPS):
            cursor.execute(step, values)
            cursor.execute("ANALYZE")
    return run.pk


def waited_s(work: Callable[[], object]) -> float:
    """Do it; return the seconds it took."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main(sizes: tuple[int, ...]) -> None:
    """Print one row of a table for each size: a first classification, and the same again."""
    from django.core.management import call_command

    from triage.classify import classify, what_if
    from triage.core.policy import Policy
    from triage.models import Run

    call_command("migrate", verbosity=0)
    print("| queries | first, s | queries/s | again, s | what if, s | peak MB |\n|---|---|---|---|---|---|")
    for size in sizes:
        pk = scored_run(size)
        first, again = (waited_s(lambda: classify(pk)) for _ in range(2))  # noqa: B023 - called at once
        run = Run.objects.select_related("project").get(pk=pk)
        looked = min(waited_s(lambda: what_if(run, Policy(faithfulness=0.4))) for _ in range(3))  # noqa: B023
        seconds = f"{first:.1f} | {size / first:,.0f} | {again:.1f} | {looked:.1f}"
        print(f"| {size:,} | {seconds} | {peak_mb():.0f} |", flush=True)


if __name__ == "__main__":
    var = throwaway.start()
    try:
        django.setup()
        main(tuple(map(int, sys.argv[1:])) or SIZES)
    finally:
        throwaway.stop(var)
