"""The checker of invariants: clean on honest rows, and each promise that a constraint does not keep can be broken."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction

from labeling.challenge import decide, raise_challenge
from labeling.codebook import add_sub_cause
from labeling.models import Outcome
from labeling.settle import settle_queries
from labeling.verify import INVARIANTS, findings
from labeling.worklist import default_session
from tests.factories import make_member, make_project
from tests.labeling.rows import say
from triage import verify
from triage.ingest import ingest
from triage.intake import store
from triage.models import Role, Run
from triage.tasks.inprocess import run_to_end

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    """The demo's newest release, scored, classified and partly reviewed."""
    project = make_project()
    lead, other = make_member(project, Role.OWNER), make_member(project, Role.LEAD)
    content = (Path(settings.BASE_DIR) / "triage" / "demo" / "tallyrook_2026_11.jsonl").read_bytes()
    upload = ingest(store(project, lead, "demo.jsonl", [content]).pk)
    assert upload.run_id is not None
    run = run_to_end(upload.run_id)
    session = default_session(run, lead)
    item = session.items.select_related("query").get(position=1)
    say(item.query, "still_wrong", item=item, reviewer=lead, imported_reviewer="", stage="first")
    item.leases.update(state="done", reviewer=lead)
    second = session.items.select_related("query").get(position=2).query
    say(second, "still_wrong", reviewer=lead, imported_reviewer="", stage="adjudicated")
    challenge = raise_challenge(second, lead, "wrong_reference", reference="Another one.")
    decide(challenge, other, accept=True, reason="Right.")
    add_sub_cause(project, lead, "still_wrong", "too_new", "Newer than the corpus.")
    return run


#: invariant -> what breaks it behind the product's back.
BREAKS: dict[str, str] = {
    "journal_is_append_only": "ALTER TABLE triage_change DISABLE TRIGGER triage_change_append_only",
    "failing_queries_are_filed": "UPDATE triage_suggestion SET is_current = false",
    "progress_is_complete": "UPDATE triage_scoring SET done_at = NULL",
    "outcomes_close": "UPDATE triage_query SET correct = NULL WHERE position = 1",
    "classes_close": "UPDATE triage_suggestion SET label = 'still_wrong' WHERE label = 'retrieval_miss'",
    "positions_are_whole": "UPDATE triage_query SET position = 5000 WHERE position = 3",
    "imports_are_whole": """UPDATE triage_run SET counts = counts || '{"queries": 1}'""",
    "query_keys_match": "UPDATE triage_query SET key = key || 'x' WHERE position = 1",
    "claim_texts_match": "UPDATE triage_claim SET text = text || '.'",
    "chunk_texts_match": "UPDATE triage_chunk SET text = text || '.'",
    "scores_belong": """UPDATE triage_score SET query_id = (SELECT min(id) FROM triage_query)
        WHERE id = (SELECT max(id) FROM triage_score WHERE claim_id IS NOT NULL)""",
    "projects_stay_apart": """WITH other AS (INSERT INTO triage_project (slug, name, created_at, judge_order, targets,
        gates, owners) VALUES ('other', 'o', now(), '[]', '{}', '{}', '{}') RETURNING id)
        UPDATE triage_chunk SET project_id = other.id FROM other""",
    "projects_have_owners": "UPDATE triage_member SET role = 'viewer'",
    "uploads_end_well": "UPDATE triage_upload SET run_id = NULL, reason = ''",
    "gold_versions_are_known": "UPDATE triage_run SET gold_version = 99",
    "withdrawn_is_not_current": "UPDATE labeling_verdict SET withdrawn = true",
    "done_seats_have_verdicts": "DELETE FROM labeling_verdict",
    "seats_are_the_overlap": "UPDATE labeling_reviewsession SET overlap = 2",
    "seats_know_their_item": "UPDATE labeling_lease SET position = position + 1",
    "draws_are_whole": """UPDATE labeling_reviewsession SET frame = frame || '{"items": 1}'""",
    "outcomes_are_settled": "DELETE FROM labeling_outcome",
    "outcomes_are_recounted": "UPDATE labeling_outcome SET verdicts = verdicts + 1",
    "final_words_stand": "UPDATE labeling_outcome SET label = 'retrieval_miss'",
    "decisions_are_signed": "UPDATE labeling_goldchallenge SET decided_at = NULL",
    "codebooks_follow": """INSERT INTO labeling_codebookversion (project_id, version, sub_causes, change, created_at)
        SELECT project_id, version + 7, '{}', 'x', now() FROM labeling_codebookversion""",
}  # fmt: skip
#: invariant -> the constraint that keeps anybody from breaking it here; a restored file is checked all the same.
KEPT: dict[str, str] = {
    "constraints_are_valid": "the tables as migrated",
    "one_current_suggestion": "one_current_suggestion",
    "one_word_per_judge": "one_score_per_claim_and_chunk",
    "one_current_verdict": "one_current_verdict_per_reviewer",
    "one_adjudication": "one_current_adjudication",
    "saves_are_unique": "labeling_verdict_idempotency_key_key",
    "items_are_of_the_run": "written in one statement",
    "marks_are_on_their_query": "written in one statement",
}
NAMES = [each.name for each in (*verify.INVARIANTS, *INVARIANTS)]


def test_every_invariant_is_broken_here_or_kept_by_a_constraint() -> None:
    assert sorted(NAMES) == sorted([*BREAKS, *KEPT])


def test_the_rows_of_a_reviewed_run_keep_every_promise(run: Run) -> None:
    found = {finding.name: finding for finding in findings()}
    assert {name: finding for name, finding in found.items() if not finding.holds} == {}
    looked_at_nothing = {name for name, finding in found.items() if finding.n == 0}
    assert looked_at_nothing <= {"withdrawn_is_not_current", "marks_are_on_their_query", "uploads_have_files"}


def test_a_broken_promise_is_found_and_named(run: Run) -> None:
    missed = {}
    for name, statement in BREAKS.items():
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
                cursor.execute(statement)
            found = {finding.name: finding for finding in findings()}
            transaction.set_rollback(True)
        if found[name].holds or not found[name].examples or found[name].broken > found[name].n:
            missed[name] = found[name]
    assert missed == {}


#: What people say of one query, (label, sub-cause) each, how many it wants, and wrong outcomes of it.
SAID: dict[str, tuple[list[tuple[str, str]], int, list[tuple[str, str, str]]]] = {
    "alone": ([("still_wrong", "too_new")], 1, [("final", "still_wrong", ""), ("incomplete", "", "")]),
    "half": ([("still_wrong", "")], 2, [("final", "still_wrong", ""), ("needs_adjudication", "", "")]),
    "unlike": (
        [("still_wrong", ""), ("retrieval_miss", "")],
        2,
        [("final", "still_wrong", ""), ("final", "retrieval_miss", ""), ("incomplete", "", "")],
    ),
    "most": (
        [("still_wrong", "too_new"), ("still_wrong", "too_new"), ("retrieval_miss", "")],
        3,
        [("needs_adjudication", "", ""), ("final", "retrieval_miss", ""), ("final", "still_wrong", "")],
    ),
    "sub-causes apart": (
        [("still_wrong", "too_new"), ("still_wrong", "too_old")],
        2,
        [("final", "still_wrong", "too_new"), ("needs_adjudication", "", "")],
    ),
}


@pytest.mark.parametrize("said", SAID)
def test_the_consensus_is_recounted_by_other_means(said: str, run: Run) -> None:
    words, overlap, wrong = SAID[said]
    session = default_session(run)
    type(session).objects.filter(pk=session.pk).update(overlap=overlap)
    settle_queries(Outcome.objects.values_list("query", flat=True))
    item = session.items.select_related("query").get(position=3)
    for number, (label, sub_cause) in enumerate(words):
        say(item.query, label, sub_cause, item=item, imported_reviewer=f"person {number}", stage="first")

    def holds() -> bool:
        return next(finding for finding in findings() if finding.name == "outcomes_are_recounted").holds

    assert holds()
    for state, label, sub_cause in wrong:
        told = (item.query.outcome.state, item.query.outcome.label, item.query.outcome.sub_cause)
        assert told != (state, label, sub_cause)
        with transaction.atomic():
            Outcome.objects.filter(query=item.query).update(state=state, label=label, sub_cause=sub_cause)
            assert not holds(), (state, label, sub_cause)
            transaction.set_rollback(True)


def test_a_lost_file_of_a_waiting_upload_is_found(run: Run) -> None:
    upload = store(run.project, None, "a.jsonl", [b"{}\n"])
    assert verify.uploads_have_files().holds
    upload.path.unlink()
    assert verify.uploads_have_files().examples == (upload.key,)


def test_the_command_prints_each_check_with_its_n_and_exits_by_them(run: Run) -> None:
    out = io.StringIO()
    call_command("verify", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert told["holds"]
    assert len(told["checks"]) == len(NAMES) + 1
    with connection.cursor() as cursor:
        cursor.execute(BREAKS["projects_have_owners"])
    out = io.StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("verify", stdout=out)
    assert end.value.code == 1
    assert f"BROKEN         1  a project with members has an owner: 1 broken, e.g. {run.project.slug}" in out.getvalue()
