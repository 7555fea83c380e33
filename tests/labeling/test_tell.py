"""What the human's half tells webhooks: a failed gate, a finished session, what is due."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any

import jsonschema_rs
import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.db import connections
from pytest_django import Settings

from labeling.due import announce
from labeling.models import ReviewSession
from labeling.review import save, undo
from labeling.worklist.sessions import close
from tests.factories import make_member, make_project, make_run
from tests.labeling.test_gate import run_with
from tests.labeling.test_review import STILL, judged, session_of, taken, ticket
from triage.models import Message, Project, Role, Run
from triage.tasks import driver
from triage.webhooks import add

pytestmark = pytest.mark.django_db
SCHEMA = json.loads((django_settings.BASE_DIR / "docs" / "schema" / "webhook-1.json").read_text("utf-8"))
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _on(settings: Settings) -> None:
    settings.WEBHOOKS, settings.PUBLIC_URL = True, "https://triage.example.org"


@pytest.fixture
def project() -> Project:
    project = make_project()
    hook_to(project, "gate_failed", "session_done", "due")
    return project


def hook_to(project: Project, *kinds: str) -> None:
    add(project, make_member(project, Role.OWNER), "https://hooks.example/", kinds)


def bodies() -> list[dict[str, Any]]:
    """Return what is to be sent, oldest first, each as the schema says."""
    found = [json.loads(body) for body in Message.objects.order_by("pk").values_list("body", flat=True)]
    for body in found:
        jsonschema_rs.validator_for(SCHEMA).validate(body)
    return found


@pytest.mark.parametrize(
    ("faithfulness", "told"), [((0.95, 0.9, 0.99), 0), ((0.5, 0.4, 0.6), 1), ((0.86, 0.8, 0.9), 0)]
)
def test_a_finished_run_that_fails_a_gate_is_told(
    faithfulness: tuple[float, float, float], told: int, project: Project
) -> None:
    run = run_with(faithfulness, project)
    Run.objects.filter(pk=run.pk).update(state="classifying")
    driver.end_classifying(run.pk)
    assert Message.objects.count() == told
    for body in bodies():
        assert (body["type"], body["data"]["run"], body["data"]["result"]) == ("gate_failed", run.key, "fail")
        assert body["data"]["url"] == f"https://triage.example.org/runs/{run.key}/gate/"
        assert [gate["metric"] for gate in body["data"]["gates"] if gate["result"] == "fail"] == ["faithfulness"]


def test_the_last_verdict_of_a_session_tells_that_it_is_done(project: Project) -> None:
    session, anna = session_of(2, run=make_run(project)), make_member(project, Role.REVIEWER)
    judged(session, anna)
    assert bodies() == []
    judged(session, anna)
    (body,) = bodies()
    assert body["type"] == "session_done"
    assert body["data"] == {
        "project": project.slug, "session": session.key, "name": "Read all", "run": session.run.key, "how": "all_read",
        "verdicts_wanted": 2, "verdicts_given": 2, "url": f"https://triage.example.org/sessions/{session.key}/",
    }  # fmt: skip


def test_it_is_told_once_whatever_is_undone_revised_or_closed(project: Project) -> None:
    session, anna = session_of(1, run=make_run(project)), make_member(project, Role.REVIEWER)
    judged(session, anna)
    undo(session, anna)
    judged(session, anna)
    close(session)
    assert len(bodies()) == 1


def test_a_session_that_is_closed_early_says_how_far_it_came(project: Project) -> None:
    session, anna = session_of(3, run=make_run(project)), make_member(project, Role.REVIEWER)
    judged(session, anna)
    session = ReviewSession.objects.get(pk=session.pk)
    assert close(session) is False
    (body,) = bodies()
    data = body["data"]
    assert (data["how"], data["verdicts_given"], data["verdicts_wanted"]) == ("closed", 1, 3)
    assert close(session) is True, "open again"
    assert len(bodies()) == 1


@pytest.mark.django_db(transaction=True)
def test_two_who_give_the_last_two_verdicts_at_once_tell_it_once() -> None:
    project = make_project()
    hook_to(project, "session_done")
    session = session_of(2, run=make_run(project))
    both = [make_member(project, Role.REVIEWER) for _ in range(2)]
    seats, start = [taken(session, one) for one in both], Barrier(2)

    def submit(number: int) -> None:
        start.wait()
        try:
            save(session, both[number], seats[number].position, STILL, ticket(seats[number]))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(submit, range(2)))
    assert [body["data"]["verdicts_given"] for body in bodies()] == [2]


def test_what_is_newly_due_is_told_once_a_day(project: Project) -> None:
    facts = {"built_at": NOW.date().isoformat()}
    make_run(project, name="a", summary={}, evaluation_set_facts=facts)
    assert announce(project, NOW) == ["project"]
    make_run(project, name="b", summary={}, evaluation_set_facts=facts)
    assert announce(project, NOW + timedelta(hours=1)) == []
    assert announce(project, NOW + timedelta(days=1)) == ["project"]
    first, second = bodies()
    assert (first["data"]["due"], second["data"]["due"]) == (1, 2)
    assert [item["subject"] for item in second["data"]["new"]] == ["b"]


def test_nobody_is_told_what_they_did_not_ask_for() -> None:
    project = make_project()
    hook_to(project, "run_finished")
    make_run(project, name="a", summary={})
    assert announce(project, NOW) == []
    session = session_of(1, run=make_run(project))
    anna: User = make_member(project, Role.REVIEWER)
    judged(session, anna)
    assert bodies() == []
