"""The verb `audit`: what it counts from the rows, its command and its page."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.audit import audit
from labeling.core.audit import AuditCheck, Health
from tests.factories import PASSWORD, make_chunk, make_member, make_project, make_query, make_run
from triage.models import GoldRevision, Project, QueryMetrics, Role, Run

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, tzinfo=UTC)


def audited(run: Run) -> dict[str, AuditCheck]:
    return {check.check: check for check in audit(run, NOW).checks}


def run_with_gold(project: Project | None = None) -> Run:
    run = make_run(
        project,
        config={"k": 5},
        evaluation_set_facts={"questions_from": "logs", "serving_k": 5, "built_at": "2026-10-01"},
    )
    a, b, _far = make_chunk(run, "a"), make_chunk(run, "b"), make_chunk(run, "far")
    make_chunk(run, "named only", text=None)
    make_query(run, [a, b], key="one", gold=["a", "far"], correct=True)
    make_query(run, [a], key="two", gold=["a", "named only", "nowhere"])
    make_query(run, [a], key="three", gold=[], answerable=False, correct=True)
    make_query(run, [], key="four", gold=["a"], retrieval_known=False, correct=None)
    return run


def test_gold_is_counted_against_candidates_and_corpus() -> None:
    found = audited(run_with_gold())
    outside = found["gold_outside_candidates"]
    assert (outside.n, outside.value) == (5, pytest.approx(3 / 5))
    assert found["gold_absent_from_corpus"].ids == ("named only", "nowhere")
    assert found["gold_absent_from_corpus"].n == 6
    assert found["evaluation_k_is_serving_k"].state is Health.OK
    assert found["evaluation_set_age_days"].value == 60
    assert "1 of 3 decided questions (33.3%) are unanswerable" in found["unanswerable_share"].detail


def test_a_measured_run_counts_the_same_without_reading_every_slot() -> None:
    run = run_with_gold()
    recalls = {"one": 1 / 2, "two": 1 / 3}
    for query in run.queries.all():
        QueryMetrics.objects.create(query=query, candidate_recall=recalls.get(query.key))
    with CaptureQueriesContext(connection) as captured:
        outside = audited(run)["gold_outside_candidates"]
    assert (outside.n, outside.value) == (5, pytest.approx(3 / 5))
    assert not any("triage_retrieved" in statement["sql"] for statement in captured)
    GoldRevision.objects.create(
        project=run.project, evaluation_set=run.evaluation_set, query_key="two", version=2, gold=["a"]
    )
    assert audited(run)["gold_outside_candidates"].value == pytest.approx(1 / 3)


def test_accepted_gold_counts_instead_of_the_files() -> None:
    run = run_with_gold()
    GoldRevision.objects.create(
        project=run.project, evaluation_set=run.evaluation_set, query_key="two", version=2, gold=["a"]
    )
    found = audited(run)
    assert found["gold_outside_candidates"].n == 3
    assert found["gold_absent_from_corpus"].ids == ()


def test_what_the_file_does_not_say_is_not_known() -> None:
    found = audited(make_run())
    assert {check.state for check in found.values()} == {Health.UNKNOWN}


def test_the_command_and_the_page_say_the_same() -> None:
    project, out = make_project(), StringIO()
    run = run_with_gold(project)
    call_command("audit", run.key, json=True, stdout=out)
    body = json.loads(out.getvalue())
    assert [check["check"] for check in body["checks"]][:2] == ["gold_outside_candidates", "questions_from"]
    call_command("audit", run.key, stdout=out)
    client = Client()
    assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
    text = client.get(f"/runs/{run.key}/audit/").content.decode()
    assert "nowhere" in text
    assert "look before you rely on it" in text
    stranger = Client()
    assert stranger.login(username=make_member(make_project()).username, password=PASSWORD)
    assert stranger.get(f"/runs/{run.key}/audit/").status_code == 404
