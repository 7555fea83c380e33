"""The verb `due`, its command and its page: chores derived from the rows."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from labeling.due import due
from labeling.models import Calibration, Outcome, ReviewSession
from tests.factories import PASSWORD, make_claim, make_judge, make_member, make_project, make_query, make_run
from triage.models import Judge, Project, Role, Run, Score

pytestmark = pytest.mark.django_db


def whats(project: Project) -> list[tuple[str, str]]:
    return [(item.what, item.subject) for item in due(project, timezone.now())]


def healthy(project: Project) -> Run:
    built = timezone.now().date().isoformat()
    return make_run(project, summary={"metrics": {}}, evaluation_set_facts={"built_at": built})


def scored(run: Run, name: str, threshold: float = 0.5) -> Judge:
    query, judge = make_query(run), make_judge(name, threshold=threshold)
    Score.objects.create(judge=judge, query=query, claim=make_claim(query), value=0.9)
    return judge


def compared(run: Run, judge: Judge, days: int = 0, n: int = 100) -> Calibration:
    row = Calibration.objects.create(
        project=run.project, judge=judge, kind="claim_support", n=n, figures={"positives": n // 2}
    )
    Calibration.objects.filter(pk=row.pk).update(computed_at=timezone.now() - timedelta(days=days))
    return row


def test_nothing_is_due_in_a_healthy_project() -> None:
    project = make_project()
    run = healthy(project)
    compared(run, scored(run, "judge"))
    assert whats(project) == []


def test_a_run_without_classes_is_due() -> None:
    project = make_project()
    run = healthy(project)
    Run.objects.filter(pk=run.pk).update(summary={}, release="2026.11")
    assert whats(project) == [("classify", "2026.11")]


def test_judges_uncalibrated_stale_or_too_little_labelled_are_due() -> None:
    project = make_project()
    run = healthy(project)
    scored(run, "fresh")
    compared(run, scored(run, "old"), days=120)
    compared(run, scored(run, "few"), n=12)
    compared(run, scored(run, "good"))
    assert whats(project) == [
        ("calibrate", "few (grounding)"),
        ("calibrate", "fresh (grounding)"),
        ("calibrate", "old (grounding)"),
    ]


def test_a_new_identity_of_a_calibrated_judge_is_due() -> None:
    project = make_project()
    run = healthy(project)
    compared(run, scored(run, "judge"))
    scored(run, "judge", threshold=0.7)
    assert whats(project) == [("calibrate", "judge (grounding)")]


def test_an_old_evaluation_set_is_due_once() -> None:
    project = make_project()
    for _ in range(2):
        make_run(project, summary={"metrics": {}}, evaluation_set_facts={"built_at": "2020-01-01"})
    assert whats(project) == [("resample", "set")]


def test_late_sessions_and_disagreements_are_due() -> None:
    project = make_project()
    run = healthy(project)
    Outcome.objects.create(query=make_query(run), state="needs_adjudication", verdicts=2)
    yesterday = timezone.now() - timedelta(days=1)
    ReviewSession.objects.create(run=run, name="late", drawn="random", due_at=yesterday)
    ReviewSession.objects.create(run=run, name="closed", drawn="random", due_at=yesterday, closed_at=timezone.now())
    assert whats(project) == [("review", "late"), ("adjudicate", run.name)]


def test_the_command_and_the_page_list_the_same() -> None:
    project, out = make_project(), StringIO()
    run = healthy(project)
    scored(run, "fresh")
    call_command("due", project=project.slug, json=True, stdout=out)
    (item,) = json.loads(out.getvalue())["due"]
    assert item["what"] == "calibrate"
    call_command("due", project=project.slug, stdout=out)
    assert "is uncalibrated" in out.getvalue()
    client, stranger = Client(), Client()
    assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
    assert stranger.login(username=make_member(make_project()).username, password=PASSWORD)
    assert item["url"] in client.get(f"/p/{project.slug}/due/").content.decode()
    assert stranger.get(f"/p/{project.slug}/due/").status_code == 404
    with pytest.raises(CommandError, match="no project"):
        call_command("due", project="nowhere")
    empty = make_project()
    call_command("due", project=empty.slug, stdout=out)
    assert out.getvalue().endswith("Nothing is due.\n")
