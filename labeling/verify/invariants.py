"""What people's rows promise. The names are stable: runbooks and tests refer to them."""

from __future__ import annotations

from triage.verify import Invariant

#: calibration.md section 1 in SQL: the newest adjudication, else unanimous, else a strict majority of at least two,
#: else open. A session drawn later wants more verdicts than an outcome was settled with: that one stands until the
#: next save. So an outcome may count as decided once the least overlap of its sessions is there, or a word from
#: outside of sessions, and as incomplete while the greatest is not.
RECOUNT = """
WITH given AS (
    SELECT * FROM labeling_verdict WHERE is_current AND NOT withdrawn AND label > '' AND stage <> 'round'
), told AS (
    SELECT query_id, count(*) AS n, bool_or(item_id IS NULL) AS elsewhere,
        (array_agg(label ORDER BY id DESC) FILTER (WHERE stage = 'adjudicated'))[1] AS last_word,
        (array_agg(sub_cause ORDER BY id DESC) FILTER (WHERE stage = 'adjudicated'))[1] AS last_sub_cause
    FROM given GROUP BY query_id
), votes AS (
    SELECT query_id, label, count(*) AS n FROM given GROUP BY query_id, label
), winner AS (
    SELECT votes.query_id, votes.label, (SELECT voices.sub_cause FROM given AS voices
        WHERE voices.query_id = votes.query_id AND voices.label = votes.label
        GROUP BY voices.sub_cause HAVING 2 * count(*) > votes.n) AS sub_cause
    FROM votes JOIN told USING (query_id)
    WHERE votes.n = told.n OR (votes.n >= 2 AND 2 * votes.n > told.n)
), wanted AS (
    SELECT item.query_id, min(session.overlap) AS fewest, max(session.overlap) AS most
    FROM labeling_sessionitem AS item JOIN labeling_reviewsession AS session ON session.id = item.session_id
    WHERE NOT session.frame @> '{"how": "round"}' GROUP BY item.query_id
)
SELECT outcome.query_id::text, outcome.verdicts = told.n AND CASE
    WHEN told.last_word IS NOT NULL THEN
        (outcome.state, outcome.label, outcome.sub_cause) = ('final', told.last_word, told.last_sub_cause)
    WHEN outcome.state = 'incomplete' THEN
        told.n < coalesce(wanted.most, 1) AND (outcome.label, outcome.sub_cause) = ('', '')
    WHEN told.n < coalesce(wanted.fewest, 1) AND NOT told.elsewhere THEN false
    WHEN winner.query_id IS NOT NULL THEN
        (outcome.state, outcome.label, outcome.sub_cause) = ('final', winner.label, coalesce(winner.sub_cause, ''))
    ELSE (outcome.state, outcome.label, outcome.sub_cause) = ('needs_adjudication', '', '') END
FROM labeling_outcome AS outcome JOIN told USING (query_id)
LEFT JOIN winner USING (query_id) LEFT JOIN wanted USING (query_id)
"""

INVARIANTS: tuple[Invariant, ...] = (
    Invariant(
        "one_current_verdict",
        "a person has one current verdict on a query",
        """SELECT min(id)::text, count(*) = 1 FROM labeling_verdict
        WHERE is_current AND stage <> 'adjudicated' AND (reviewer_id IS NOT NULL OR imported_reviewer > '')
        GROUP BY query_id, reviewer_id, imported_reviewer""",
    ),
    Invariant(
        "one_adjudication",
        "a query has at most one current final word",
        """SELECT query_id::text, count(*) = 1 FROM labeling_verdict
        WHERE is_current AND stage = 'adjudicated' GROUP BY query_id""",
    ),
    Invariant(
        "saves_are_unique",
        "the same save twice is one verdict",
        """SELECT idempotency_key::text, count(*) = 1 FROM labeling_verdict GROUP BY idempotency_key""",
    ),
    Invariant(
        "withdrawn_is_not_current",
        "a verdict that was taken back does not count",
        """SELECT id::text, NOT is_current FROM labeling_verdict WHERE withdrawn""",
    ),
    Invariant(
        "done_seats_have_verdicts",
        "a seat that is done holds a verdict of that reviewer on that query",
        """SELECT seat.id::text, seat.reviewer_id IS NULL OR EXISTS (SELECT 1 FROM labeling_verdict AS verdict
            WHERE verdict.query_id = item.query_id AND verdict.reviewer_id = seat.reviewer_id AND NOT verdict.withdrawn)
        FROM labeling_lease AS seat JOIN labeling_sessionitem AS item ON item.id = seat.item_id
        WHERE seat.state = 'done'""",
    ),
    Invariant(
        "seats_are_the_overlap",
        "an item has as many seats as its session wants people",
        """SELECT item.id::text, count(seat.id) = session.overlap
        FROM labeling_sessionitem AS item JOIN labeling_reviewsession AS session ON session.id = item.session_id
        LEFT JOIN labeling_lease AS seat ON seat.item_id = item.id GROUP BY item.id, session.overlap""",
    ),
    Invariant(
        "seats_know_their_item",
        "a seat carries its item's session and position",
        """SELECT seat.id::text, seat.session_id = item.session_id AND seat.position = item.position
        FROM labeling_lease AS seat JOIN labeling_sessionitem AS item ON item.id = seat.item_id""",
    ),
    Invariant(
        "items_are_of_the_run",
        "an item of a session is a query of the session's run",
        """SELECT item.id::text, query.run_id = session.run_id
        FROM labeling_sessionitem AS item JOIN labeling_reviewsession AS session ON session.id = item.session_id
        JOIN triage_query AS query ON query.id = item.query_id""",
    ),
    Invariant(
        "draws_are_whole",
        "a session has as many items as its draw says",
        """SELECT session.key, (session.frame ->> 'items')::int = count(item.id)
        FROM labeling_reviewsession AS session LEFT JOIN labeling_sessionitem AS item ON item.session_id = session.id
        WHERE session.frame ? 'items' GROUP BY session.id""",
    ),
    Invariant(
        "marks_are_on_their_query",
        "a mark on a claim came with a verdict on that claim's query",
        """SELECT mark.id::text, claim.query_id = verdict.query_id
        FROM labeling_claimverdict AS mark JOIN triage_claim AS claim ON claim.id = mark.claim_id
        JOIN labeling_verdict AS verdict ON verdict.id = mark.verdict_id""",
    ),
    Invariant(
        "outcomes_are_settled",
        "a query has an outcome exactly where somebody's label on it counts",
        """SELECT query_id::text, bool_and(told) AND bool_and(said) FROM (
            SELECT coalesce(outcome.query_id, given.query_id) AS query_id,
                outcome.query_id IS NOT NULL AS told, given.query_id IS NOT NULL AS said
            FROM labeling_outcome AS outcome FULL JOIN (SELECT DISTINCT query_id FROM labeling_verdict
                WHERE is_current AND NOT withdrawn AND label > '' AND stage <> 'round') AS given
                ON given.query_id = outcome.query_id) AS pairs GROUP BY query_id""",
    ),
    Invariant(
        "final_words_stand",
        "the outcome of an adjudicated query is the final word",
        """SELECT verdict.query_id::text, outcome.state = 'final' AND outcome.label = verdict.label
        FROM labeling_verdict AS verdict LEFT JOIN labeling_outcome AS outcome ON outcome.query_id = verdict.query_id
        WHERE verdict.is_current AND NOT verdict.withdrawn AND verdict.stage = 'adjudicated' AND verdict.label > ''""",
    ),
    Invariant(
        "outcomes_are_recounted",
        "the outcome of a query is what its verdicts come to, counted again without the code that counted first",
        RECOUNT,
    ),
    Invariant(
        "decisions_are_signed",
        "a decided challenge says when, and an accepted change of gold has its version",
        """SELECT challenge.id::text, (challenge.decided_at IS NOT NULL OR challenge.imported_reviewer > '')
            AND (challenge.gold_version IS NULL OR EXISTS (SELECT 1 FROM triage_goldrevision AS gold
                JOIN triage_query AS query ON query.id = challenge.query_id
                JOIN triage_run AS run ON run.id = query.run_id
                WHERE gold.project_id = run.project_id AND gold.version = challenge.gold_version))
        FROM labeling_goldchallenge AS challenge WHERE challenge.state <> 'open'""",
    ),
    Invariant(
        "codebooks_follow",
        "the versions of a project's codebook follow each other without a gap",
        """SELECT project_id::text, max(version) - min(version) + 1 = count(*)
        FROM labeling_codebookversion GROUP BY project_id""",
    ),
)
