"""Runs of 100,000 queries in seconds: written by the database itself, narrow in chunks and claims, mixed in classes."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django.db import connection

from benchmarks.review_rows import CHUNKS, CORPUS, FILED, MEASURED, QUERIES
from triage.invite import default_project
from triage.models import Judge, Run

SLOTS, CLAIMS, JUDGED = 4, 2, 2
SENTENCE = "'Sentence ' || claim || ' of answer ' || q.position || ' says that the limit is ' || claim || ' days.'"
RETRIEVED = f"""
INSERT INTO triage_retrieved (query_id, rank, chunk_id, score, in_context, meta)
SELECT q.id, rank, %(first)s + (q.position * 31 + rank * 97) %% {CORPUS}, 1 - rank / 30.0, true, '{{}}'
FROM triage_query AS q CROSS JOIN generate_series(1, {SLOTS}) AS rank WHERE q.run_id = %(run)s
"""
CLAIMED = f"""
INSERT INTO triage_claim (query_id, position, text, text_hash, span_start, span_end, source, is_current, recorded,
    human, meta)
SELECT q.id, claim, says, sha256(says::bytea), null, null, 'split', true, '[]', '[]', '{{}}'
FROM triage_query AS q CROSS JOIN generate_series(1, {CLAIMS}) AS claim
CROSS JOIN LATERAL (SELECT {SENTENCE} AS says) AS spoken WHERE q.run_id = %(run)s
"""
SCORED = f"""
INSERT INTO triage_score (judge_id, query_id, claim_id, chunk_id, value, label, error, raw)
SELECT %(judge)s, claim.query_id, claim.id, slot.chunk_id, 0.05 + ((claim.id * 13 + slot.rank * 7) %% 90) / 100.0, '',
    '', ''
FROM triage_claim AS claim JOIN triage_query AS q ON q.id = claim.query_id
JOIN triage_retrieved AS slot ON slot.query_id = claim.query_id AND slot.rank <= {JUDGED} WHERE q.run_id = %(run)s
"""
RATED = """
INSERT INTO triage_score (judge_id, query_id, value, label, error, raw)
SELECT %(rater)s, id, 0.9, '', '', '' FROM triage_query WHERE run_id = %(run)s
"""
#: Two of five queries fail; the failing ones spread over the classes.
MIXED = """
UPDATE triage_suggestion SET label = (ARRAY['retrieval_miss', 'unsupported_claims', 'still_wrong'])[1 + id %% 3]
WHERE query_id IN (SELECT id FROM triage_query WHERE run_id = %(run)s)
"""
MENDED = """
UPDATE triage_query SET correct = true, correct_in_file = true WHERE run_id = %(run)s AND position %% 5 > 1
"""
UNFILED = """
DELETE FROM triage_suggestion WHERE query_id IN (
    SELECT id FROM triage_query WHERE run_id = %(run)s AND correct)
"""


def judge(name: str, task: str) -> Judge:
    """Return the judge of this name, made where it is new."""
    told = {"name": name, "task": task, "threshold": 0.5}
    return Judge.objects.get_or_create(fingerprint=sha256(name.encode()).hexdigest()[:12], defaults=told)[0]


def make_large_run(queries: int, release: str, *, is_filed: bool = True) -> Run:
    """Return a scored run of this many queries: 4 chunks, 2 claims, 5 scores each; `is_filed`: classified as well.

    The embedded server's own user may leave foreign keys unchecked, which the made rows keep by construction.
    """
    project, name = default_project(), f"{queries} queries {release}"
    run = Run.objects.create(
        project=project, name=name, release=release, content_hash=sha256(name.encode()).digest(), evaluation_set="set",
        state="done" if is_filed else "classifying", counts={"queries": queries, "run_lines": 1, "named": 1},
    )  # fmt: skip
    grounding, rater = judge("benchmark", "grounding"), judge("benchmark rater", "relevance")
    values: dict[str, Any] = {"run": run.pk, "project": project.pk, "name": name, "queries": queries}
    values |= {"judge": grounding.pk, "rater": rater.pk, "print": grounding.fingerprint}
    steps = [QUERIES, RETRIEVED, CLAIMED, SCORED, RATED]
    steps += [MEASURED, FILED, MIXED, MENDED, UNFILED] if is_filed else [MENDED]
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(CHUNKS, values)
        cursor.execute("SELECT min(chunk_id) FROM triage_runchunk WHERE run_id = %(run)s", values)
        values["first"] = cursor.fetchone()[0]
        for step in steps:
            cursor.execute(step, values)
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute("VACUUM ANALYZE")
    return run
