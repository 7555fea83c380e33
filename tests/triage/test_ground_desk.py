"""Checks of answers for programs: the desk between the API and a worker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from celery import current_app
from django.db.models.functions import Now
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from labeling.core.trust import LEAST_LABELS
from labeling.models import Calibration
from tests.factories import make_member, make_project
from triage import mailbox
from triage.core.grounding import GroundingRequest
from triage.ground import Checker, NobodyError, ask, serve
from triage.ground.desk import _seats
from triage.models import Judge, Project, Role, Scope, WorkerHeartbeat
from triage.score.panels import judge_rows, panel_of
from triage.tokens import make

pytestmark = pytest.mark.django_db
PASSAGE = {"id": "p1", "text": "The parcel limit is 30 kilograms.", "score": 0.9}
GOOD = {"question": "What is the limit?", "answer": "The parcel limit is 30 kilograms.", "passages": [PASSAGE]}
BAD = {**GOOD, "answer": "Elephants never sleep in winter."}


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def worker() -> Iterator[None]:
    """A worker that is this process: tasks run as they are sent."""
    WorkerHeartbeat.objects.create(name="w", seen_at=Now())
    current_app.conf.task_always_eager = True
    yield
    current_app.conf.task_always_eager = False


def post(project: Project, path: str, body: object) -> HttpResponse:
    _, secret = make(project, make_member(project, Role.VIEWER), "tests", [Scope.GROUND], 1)
    return Client().post(
        f"/api/v1/projects/{project.slug}/check-grounding{path}",
        json.dumps(body),
        content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )


def without_time(told: dict[str, Any]) -> dict[str, Any]:
    assert told.pop("ms") >= 0
    return told


@pytest.mark.usefixtures("worker")
def test_the_api_says_what_the_command_says(project: Project) -> None:
    for body in (GOOD, BAD, {**GOOD, "claims": ["It weighs 30 kilograms."]}, {"answer": "I do not know."}):
        answer = post(project, "", body)
        assert answer.status_code == 200, answer.content
        own = json.loads(json.dumps(Checker(project).check(GroundingRequest.model_validate(body)).as_json()))
        assert without_time(answer.json()) == without_time(own)


@pytest.mark.usefixtures("worker")
def test_a_decision_a_confidence_and_what_to_know(project: Project) -> None:
    good, bad = post(project, "", GOOD).json(), post(project, "", BAD).json()
    assert (good["decision"], bad["decision"]) == ("allow", "block")
    assert good["retrieval_confidence"] == 0.9
    assert good["calibrated"] is False
    assert "not calibrated" in good["caveat"]


@pytest.mark.usefixtures("worker")
def test_several_answers_are_checked_in_order(project: Project) -> None:
    found = post(project, "/batch", {"items": [GOOD, BAD, GOOD]}).json()["items"]
    assert [one["decision"] for one in found] == ["allow", "block", "allow"]
    for wrong in ({"items": []}, {"items": [GOOD] * 21}, {}):
        assert post(project, "/batch", wrong).status_code == 422


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("body", [{"passages": [{"text": "no id"}]}, {"answer": 1}, {"claims": [1]}, [], None])
def test_a_wrong_body_names_its_field(project: Project, body: object) -> None:
    answer = post(project, "", body)
    assert answer.status_code == 422
    assert answer.json()["field"].startswith("body")


def test_numbers_json_does_not_have_are_no_body(project: Project) -> None:
    _, secret = make(project, make_member(project), "tests", [Scope.GROUND], 1)
    path = f"/api/v1/projects/{project.slug}/check-grounding"
    for raw in ('{"answer": "a", "passages": [{"id": "1", "score": NaN}]}', "{", "[" * 100_000, "\xff"):
        headers = {"Authorization": f"Bearer {secret}"}
        answer = Client().post(path, raw.encode("latin-1"), content_type="application/json", headers=headers)
        assert answer.status_code == 400, raw[:20]
        assert answer.json()["type"].endswith(":unreadable")


def test_a_judge_people_checked_is_called_calibrated(project: Project) -> None:
    mark = next(one for one in panel_of(project).identities if one.name == "lexical" and one.task == "grounding")
    judge = judge_rows([mark])[mark.fingerprint]
    request = GroundingRequest.model_validate(GOOD)
    assert not Checker(project).check(request).calibrated
    figures = {"positives": LEAST_LABELS // 2}
    Calibration.objects.create(project=project, judge=judge, kind="claim_support", n=LEAST_LABELS, figures=figures)
    checked = Checker(project).check(request)
    assert checked.calibrated
    assert "not calibrated" not in checked.caveat
    assert not Checker(make_project()).check(request).calibrated
    assert Judge.objects.count() == 1


def test_without_a_worker_nobody_waits(project: Project) -> None:
    answer = post(project, "", GOOD)
    assert answer.status_code == 503
    assert answer.json()["type"].endswith(":nobody")
    assert "not checked" in answer.json()["remedy"]
    assert int(answer.headers["Retry-After"]) > 0


def test_a_worker_that_is_too_busy_is_not_waited_for_longer(project: Project, settings: Settings) -> None:
    WorkerHeartbeat.objects.create(name="w", seen_at=Now())
    settings.GROUND_WAIT_S = 1
    with pytest.raises(NobodyError, match="within 1 s"):
        ask(project, [GroundingRequest()], lambda ticket: True)


def test_waiting_checks_leave_threads_for_pages(project: Project) -> None:
    WorkerHeartbeat.objects.create(name="w", seen_at=Now())
    taken = [_seats.acquire(blocking=False) for _ in range(10)]
    try:
        with pytest.raises(NobodyError, match="Too many checks"):
            ask(project, [GroundingRequest()], lambda ticket: True)
    finally:
        for _ in filter(None, taken):
            _seats.release()


def test_a_ticket_is_answered_once(project: Project) -> None:
    ticket = mailbox.put({"project": project.pk, "requests": [GOOD]}, 60)
    assert serve(ticket)
    assert not serve(ticket)
    told = mailbox.wait_for(ticket, 1)
    assert told is not None
    assert [one["decision"] for one in told["checked"]] == ["allow"]
    assert mailbox.wait_for(ticket, 1) is None


def test_a_judge_that_fails_is_told_and_not_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    WorkerHeartbeat.objects.create(name="w", seen_at=Now())
    broken = make_project(judge_order=["no such judge"])
    with pytest.raises(NobodyError, match="The judge failed: UnknownJudgeError"):
        ask(broken, [GroundingRequest.model_validate(GOOD)], serve)
    assert "a check failed" in caplog.text


def test_nothing_of_a_check_is_stored(project: Project) -> None:
    ticket = mailbox.put({"project": project.pk, "requests": [GOOD]}, 60)
    serve(ticket)
    mailbox.wait_for(ticket, 1)
    assert mailbox.take(ticket) is None
