"""A run to be read, written by the database itself: so many failing queries, judged and filed, of 20 chunks each."""

from __future__ import annotations

from hashlib import sha256

from django.contrib.auth.models import User
from django.db import connection

from labeling.models import ReviewSession
from labeling.worklist import Wish, make_session
from triage.invite import default_project
from triage.models import Judge, Member, Project, Role, Run

CORPUS, SLOTS, CLAIMS, JUDGED = 5_000, 20, 4, 5
#: About 130 tokens of text a chunk, an answer of four sentences.
WORDS = "'word' || (({n} * 7919 + word * 104729) %% 4000)"
TEXT = f"(SELECT string_agg({WORDS}, ' ') FROM generate_series(1, {{length}}) AS word)"
SENTENCE = "'Sentence ' || claim || ' of answer ' || q.position || ' says that the limit is ' || claim || ' days.'"

CHUNKS = f"""
WITH made AS (
    INSERT INTO triage_chunk (project_id, key, content_hash, text_hash, text, document, section, title, url, tokens,
        superseded_by, summary_of, meta)
    SELECT %(project)s, %(name)s || '-chunk-' || n, sha256((%(name)s || n)::bytea), sha256(n::text::bytea),
        {TEXT.format(n="n", length=128)}, 'document-' || n / 10, 'Section ' || n, 'Title ' || n / 10, '', 130, '',
        '{{}}', '{{}}'
    FROM generate_series(1, {CORPUS}) AS n RETURNING id, key)
INSERT INTO triage_runchunk (run_id, chunk_id, key_hash) SELECT %(run)s, id, sha256(key::bytea) FROM made
"""
QUERIES = f"""
INSERT INTO triage_query (run_id, position, key, key_hash, question, answer, reference, answerable, correct,
    correct_in_file, correct_by, abstained, retrieval_known, gold, gold_from, conversation, slices, scores,
    human_scores, human, challenges, flags, reranker, trace_id, url, meta)
SELECT %(run)s, n, 'q' || n, sha256(n::text::bytea), {TEXT.format(n="n", length=14)} || '?',
    (SELECT string_agg(says, ' ') FROM (SELECT {SENTENCE.replace("q.position", "n")} AS says
        FROM generate_series(1, {CLAIMS}) AS claim) AS each),
    {TEXT.format(n="n + 1", length=40)}, true, false, false, 'file', false, true,
    ARRAY[%(name)s || '-chunk-' || 1 + (n * 31) %% {CORPUS}], '{{}}', '[]',
    jsonb_build_object('topic', (ARRAY['billing', 'login', 'export'])[1 + n %% 3]), '[]', '[]', '[]', '[]', '{{}}', '',
    '', '', '{{}}'
FROM generate_series(1, %(queries)s) AS n
"""
RETRIEVED = f"""
INSERT INTO triage_retrieved (query_id, rank, chunk_id, score, in_context, meta)
SELECT q.id, rank, %(first)s + (q.position * 31 + rank * 97) %% {CORPUS}, 1 - rank / 30.0, true, '{{}}'
FROM triage_query AS q CROSS JOIN generate_series(1, {SLOTS}) AS rank WHERE q.run_id = %(run)s
"""
CLAIMED = f"""
INSERT INTO triage_claim (query_id, position, text, text_hash, span_start, span_end, source, is_current, recorded,
    human, meta)
SELECT q.id, claim, says, sha256(says::bytea), at - 1, at - 1 + length(says), 'split', true, '[]', '[]', '{{}}'
FROM triage_query AS q CROSS JOIN generate_series(1, {CLAIMS}) AS claim
CROSS JOIN LATERAL (SELECT {SENTENCE} AS says) AS spoken
CROSS JOIN LATERAL (SELECT strpos(q.answer, says) AS at) AS place WHERE q.run_id = %(run)s
"""
SCORED = f"""
INSERT INTO triage_score (judge_id, query_id, claim_id, chunk_id, value, label, error, raw, evidence_start,
    evidence_end)
SELECT %(judge)s, claim.query_id, claim.id, slot.chunk_id, 0.05 + ((claim.id * 13 + slot.rank * 7) %% 90) / 100.0, '',
    '', '', 10, 60
FROM triage_claim AS claim JOIN triage_query AS q ON q.id = claim.query_id
JOIN triage_retrieved AS slot ON slot.query_id = claim.query_id AND slot.rank <= {JUDGED} WHERE q.run_id = %(run)s
"""
MEASURED = """
INSERT INTO triage_querymetrics (query_id, context_precision, context_recall, faithfulness, answer_relevance, reasons)
SELECT id, 0.2, 0.3, 0.6, 0.8, '{}' FROM triage_query WHERE run_id = %(run)s
"""
FILED = """
INSERT INTO triage_suggestion (query_id, label, would_be, test, value, threshold, margins, near, missing, reasons,
    proposed_sub_cause, policy_fingerprint, judges, gold_version, basis, is_current, created_at)
SELECT id, 'retrieval_miss', '', 'context_recall', 0.3, 0.5, '{}', false, '',
    '["context recall 0.30 < 0.50", "not reached", "not reached"]', '', 'feedbeef', jsonb_build_array(%(print)s), 1,
    'basis', true, clock_timestamp()
FROM triage_query WHERE run_id = %(run)s
"""


def make_read_run(queries: int) -> Run:
    """Return a run of this many failing queries: 20 chunks, 4 claims, 5 chunks judged a claim, all filed."""
    project, name = default_project(), f"{queries} queries"
    run = Run.objects.create(
        project=project, name=name, content_hash=sha256(name.encode()).digest(), evaluation_set="set", state="done"
    )
    judge, _ = Judge.objects.get_or_create(
        fingerprint="benchmark000", defaults={"name": "benchmark", "task": "grounding", "threshold": 0.5}
    )
    values = {"run": run.pk, "project": project.pk, "name": name, "queries": queries, "judge": judge.pk}
    with connection.cursor() as cursor:
        cursor.execute(CHUNKS, values)
        cursor.execute("SELECT min(chunk_id) FROM triage_runchunk WHERE run_id = %(run)s", values)
        values |= {"first": cursor.fetchone()[0], "print": judge.fingerprint}
        for rows in (QUERIES, RETRIEVED, CLAIMED, SCORED, MEASURED, FILED):
            cursor.execute(rows, values)
        cursor.execute("VACUUM ANALYZE")
    return run


def make_sessions(run: Run, overlap: int, *blind_shares: float) -> list[ReviewSession]:
    """Return one session a share, each over all queries of the run."""
    shares = [Wish(name=f"blind {share}", how="all", overlap=overlap, blind_share=share) for share in blind_shares]
    return [make_session(run, None, wish) for wish in shares]


def make_reviewers(project: Project, count: int) -> list[User]:
    """Return new reviewers of the project."""
    people = [User.objects.create_user(f"reviewer-{project.pk}-{User.objects.count()}") for _ in range(count)]
    Member.objects.bulk_create(Member(project=project, user=person, role=Role.REVIEWER) for person in people)
    return people
