"""What the machine's rows promise. The names are stable: runbooks and tests refer to them."""

from __future__ import annotations

from triage.verify.check import Invariant


def _hash(name: str, table: str, column: str, text: str) -> Invariant:
    """Return the promise that a hash column is the sha256 of its text."""
    return Invariant(
        name,
        f"{table}.{column} is the sha256 of {text}",
        f"SELECT id::text, {column} = sha256(convert_to({text}, 'UTF8')) FROM {table} WHERE {text} IS NOT NULL",  # noqa: S608
    )


INVARIANTS: tuple[Invariant, ...] = (
    Invariant(
        "constraints_are_valid",
        "every constraint of the tables has been checked on every row",
        """SELECT conname::text, convalidated FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace""",
    ),
    Invariant(
        "journal_is_append_only",
        "the trigger that refuses to rewrite the journal is in place and on",
        """SELECT 'triage_change', EXISTS (SELECT 1 FROM pg_trigger
        WHERE tgrelid = 'triage_change'::regclass AND tgname = 'triage_change_append_only' AND tgenabled = 'O')""",
    ),
    Invariant(
        "one_current_suggestion",
        "no query has two current classes",
        """SELECT query_id::text, count(*) = 1 FROM triage_suggestion WHERE is_current GROUP BY query_id""",
    ),
    Invariant(
        "failing_queries_are_filed",
        "every failing query of a finished run is filed under exactly one class",
        """SELECT run.key || '/' || query.position, (SELECT count(*) FROM triage_suggestion AS filed
            WHERE filed.query_id = query.id AND filed.is_current) = 1
        FROM triage_query AS query JOIN triage_run AS run ON run.id = query.run_id
        WHERE query.correct IS FALSE AND run.state = 'done' AND run.summary <> '{}'""",
    ),
    Invariant(
        "progress_is_complete",
        "every query of a finished run has been scored or set aside with a reason",
        """SELECT run.key || '/' || query.position, EXISTS (SELECT 1 FROM triage_scoring AS scoring
            WHERE scoring.query_id = query.id AND (scoring.done_at IS NOT NULL OR scoring.quarantined > ''))
        FROM triage_query AS query JOIN triage_run AS run ON run.id = query.run_id
        WHERE run.state = 'done' AND run.summary <> '{}'""",
    ),
    Invariant(
        "outcomes_close",
        "failing, correct and undecided of a finished run add up to its queries",
        """SELECT run.key, (run.summary #>> '{outcomes,failing}')::int = count(*) FILTER (WHERE query.correct IS FALSE)
            AND (run.summary #>> '{outcomes,correct}')::int = count(*) FILTER (WHERE query.correct)
            AND (run.summary #>> '{outcomes,undecided}')::int
                = count(*) FILTER (WHERE query.id IS NOT NULL AND query.correct IS NULL)
        FROM triage_run AS run LEFT JOIN triage_query AS query ON query.run_id = run.id
        WHERE run.state = 'done' AND run.summary ? 'outcomes' GROUP BY run.id""",
    ),
    Invariant(
        "classes_close",
        "the class counts of a finished run are those of its queries, and add up to the failing ones",
        """SELECT run.key, (SELECT coalesce(sum(value::int), 0) FROM jsonb_each_text(run.summary -> 'classes'))
                = (SELECT count(*) FROM triage_query WHERE run_id = run.id AND correct IS FALSE)
            AND NOT EXISTS (SELECT 1 FROM jsonb_each_text(run.summary -> 'classes') AS told
                WHERE told.value::int <> (SELECT count(*) FROM triage_suggestion AS filed
                    JOIN triage_query AS query ON query.id = filed.query_id
                    WHERE query.run_id = run.id AND query.correct IS FALSE AND filed.is_current
                        AND filed.label = told.key))
        FROM triage_run AS run WHERE run.state = 'done' AND run.summary ? 'classes'""",
    ),
    Invariant(
        "positions_are_whole",
        "the queries of a run are numbered from 1 without a gap",
        """SELECT run.key, count(query.id) = coalesce(max(query.position), 0)
        FROM triage_run AS run LEFT JOIN triage_query AS query ON query.run_id = run.id
        WHERE run.counts ? 'queries' GROUP BY run.id""",
    ),
    Invariant(
        "imports_are_whole",
        "a run has as many queries as its import counted",
        """SELECT run.key, (run.counts ->> 'queries')::int = count(query.id)
        FROM triage_run AS run LEFT JOIN triage_query AS query ON query.run_id = run.id
        WHERE run.counts ? 'queries' GROUP BY run.id""",
    ),
    _hash("query_keys_match", "triage_query", "key_hash", "key"),
    _hash("claim_texts_match", "triage_claim", "text_hash", "text"),
    _hash("chunk_texts_match", "triage_chunk", "text_hash", "text"),
    Invariant(
        "scores_belong",
        "a judge's word on a claim hangs on the query of that claim",
        """SELECT score.id::text, claim.query_id = score.query_id
        FROM triage_score AS score JOIN triage_claim AS claim ON claim.id = score.claim_id""",
    ),
    Invariant(
        "one_word_per_judge",
        "a judge has one word on a claim and chunk, on a claim, or on an answer",
        """SELECT min(id)::text, count(*) = 1 FROM triage_score GROUP BY judge_id, query_id, claim_id, chunk_id""",
    ),
    Invariant(
        "projects_stay_apart",
        "what a query retrieved is a chunk of the same project",
        """SELECT retrieved.id::text, chunk.project_id = run.project_id
        FROM triage_retrieved AS retrieved JOIN triage_chunk AS chunk ON chunk.id = retrieved.chunk_id
        JOIN triage_query AS query ON query.id = retrieved.query_id JOIN triage_run AS run ON run.id = query.run_id""",
    ),
    Invariant(
        "projects_have_owners",
        "a project with members has an owner",
        """SELECT project.slug, bool_or(member.role = 'owner')
        FROM triage_project AS project JOIN triage_member AS member ON member.project_id = project.id
        GROUP BY project.id""",
    ),
    Invariant(
        "uploads_end_well",
        "an upload that is done has its run, or says what became of it",
        """SELECT key, run_id IS NOT NULL OR reason > '' FROM triage_upload WHERE state = 'done'""",
    ),
    Invariant(
        "gold_versions_are_known",
        "a run's gold version is the file's own or one that somebody accepted",
        """SELECT run.key, run.gold_version = 1 OR EXISTS (SELECT 1 FROM triage_goldrevision AS gold
            WHERE gold.project_id = run.project_id AND gold.evaluation_set = run.evaluation_set
                AND gold.version >= run.gold_version)
        FROM triage_run AS run""",
    ),
)
