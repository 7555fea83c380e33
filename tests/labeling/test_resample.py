"""The next evaluation set: the plan from rows, what is carried and why not, the file that imports again."""

from __future__ import annotations

import json
from datetime import date
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.core.resampling import Carry
from labeling.resample import Planned, Wanted, plan_set, set_lines
from tests.factories import PASSWORD, make_chunk, make_member, make_project, make_query, make_run
from triage.ingest import ingest
from triage.intake import store
from triage.models import GoldRevision, Project, Query, Role, Run

pytestmark = pytest.mark.django_db
DAY = date(2026, 11, 30)


def logs_of(project: Project, size: int = 30) -> Run:
    """Return logs: questions of two topics, nothing decided, a corpus of three chunks."""
    logs = make_run(project, name="logs", evaluation_set="")
    make_chunk(logs, "a", text="Text a.", document="A")
    make_chunk(logs, "old", superseded_by="a")
    make_chunk(logs, "named only", text=None)
    for number in range(size):
        topic = "billing" if number % 3 else "login"
        make_query(logs, key=f"log{number}", slices={"topic": topic}, correct=None)
    Query.objects.filter(run=logs).update(question="")
    for query in logs.queries.all():
        Query.objects.filter(pk=query.pk).update(question=f"Logged {query.key}?")
    return logs


def last_of(project: Project) -> Run:
    """Return the last set: five questions, one of each fate."""
    last = make_run(project, evaluation_set="set", evaluation_set_facts={"built_at": "2026-10-01"})
    golds: dict[str, Any] = {"fine": ["a"], "superseded": ["old"], "textless": ["named only"], "none": None}
    for key, gold in golds.items():
        make_query(last, key=key, gold=gold, slices={"topic": "billing"}, correct=key == "fine")
    make_query(last, key="unanswerable", gold=[], answerable=False, slices={"topic": "login"}, correct=True)
    return last


def plan(**asked: Any) -> Planned:
    project = make_project()
    return plan_set(logs_of(project), last_of(project), Wanted(DAY, **{"slice_key": "topic", "size": 12, **asked}))


def test_what_is_carried_and_why_the_rest_is_not() -> None:
    planned = plan(minimum=3)
    fates = {item.key: item.fate for item in planned.items}
    assert fates == {
        "fine": Carry.CARRIED, "superseded": Carry.GONE, "textless": Carry.GONE, "none": Carry.NO_GOLD,
        "unanswerable": Carry.CARRIED,
    }  # fmt: skip
    assert {item.age_days for item in planned.items} == {60}
    assert [(one.name, one.logged, one.wanted, one.carried, one.drawn) for one in planned.slices] == [
        ("billing", 20, 8, 1, 7),
        ("login", 10, 4, 1, 3),
    ]
    assert (planned.size, len(planned.drawn)) == (12, 10)


def test_accepted_gold_is_carried_with_its_own_age() -> None:
    project = make_project()
    logs, last = logs_of(project), last_of(project)
    revision = GoldRevision.objects.create(
        project=project, evaluation_set="set", query_key="superseded", version=2, gold=["a"], reference="Now so."
    )
    GoldRevision.objects.filter(pk=revision.pk).update(created_at="2026-11-20T00:00:00Z")
    planned = plan_set(logs, last, Wanted(DAY, slice_key="topic", size=12))
    item = next(item for item in planned.carried if item.key == "superseded")
    assert (item.gold, item.reference, item.gold_version, item.age_days) == (("a",), "Now so.", 2, 10)
    aged = plan_set(logs, last, Wanted(DAY, slice_key="topic", size=12, oldest_days=30))
    assert [item.key for item in aged.carried] == ["superseded"]
    assert {item.key: item.fate for item in aged.items}["fine"] is Carry.TOO_OLD


def test_the_same_seed_gives_the_same_bytes_and_another_another_draw() -> None:
    project = make_project()
    logs, last = logs_of(project), last_of(project)

    def made(seed: str) -> str:
        return "".join(set_lines(plan_set(logs, last, Wanted(DAY, slice_key="topic", size=12, seed=seed))))

    assert made("1") == made("1")
    assert made("1") != made("2")


@pytest.mark.django_db(transaction=True)
def test_the_file_imports_as_an_evaluation_set_with_its_gold() -> None:
    project = make_project()
    logs, last = logs_of(project), last_of(project)
    Query.objects.filter(run=last, key="fine").update(key="log1")
    planned = plan_set(logs, last, Wanted(DAY, slice_key="topic", size=30, carry_share=1.0))
    content = "".join(set_lines(planned))
    elsewhere = make_project()
    upload = ingest(store(elsewhere, make_member(elsewhere), "set.jsonl", [content.encode()]).pk)
    assert (upload.reason, upload.run_id is not None) == ("", True)
    run = Run.objects.get(pk=upload.run_id)
    assert run.error_count == 0
    assert run.evaluation_set == "set"
    assert run.evaluation_set_facts["built_at"].startswith("2026-11-30")
    assert run.queries.count() == planned.size == 30
    carried = run.queries.get(key="log1")
    assert (carried.gold, carried.meta["carried"], carried.meta["gold_age_days"]) == (["a"], True, 60)
    assert run.queries.filter(key__startswith=f"{logs.key}/").count() <= 1
    assert run.queries.filter(meta__carried=False, gold=None).count() == len(planned.drawn)


def test_the_exported_set_is_every_question_with_the_gold_accepted_since() -> None:
    project = make_project()
    run = last_of(project)
    make_chunk(run, "a")
    GoldRevision.objects.create(project=project, evaluation_set="set", query_key="superseded", version=2, gold=["a"])
    out = StringIO()
    call_command("export", run.key, what="evaluation-set", stdout=out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    told = {line["id"]: line for line in lines if line.get("kind", "query") == "query"}
    assert set(told) == {"fine", "superseded", "textless", "none", "unanswerable"}
    assert (told["superseded"]["gold"], told["superseded"]["slice"]) == (["a"], {"topic": "billing"})
    assert not told["textless"].get("gold")
    assert told["unanswerable"]["answerable"] is False


def test_a_carried_question_is_not_drawn_again() -> None:
    project = make_project()
    logs, last = logs_of(project, 6), last_of(project)
    Query.objects.filter(run=last, key="fine").update(question="Logged log1?")
    planned = plan_set(logs, last, Wanted(DAY, slice_key="topic", size=6, minimum=0))
    assert "fine" in {item.key for item in planned.carried}
    assert "log1" not in planned.drawn


def test_without_slices_and_without_a_last_set_the_logs_are_one() -> None:
    planned = plan_set(logs_of(make_project()), None, Wanted(DAY, size=5, minimum=0))
    assert [(one.name, one.wanted, one.drawn) for one in planned.slices] == [("all", 5, 5)]


def test_command_page_and_file_give_the_same_set() -> None:
    project = make_project()
    logs, last = logs_of(project), last_of(project)
    out, told = StringIO(), StringIO()
    asked: dict[str, Any] = {
        "last": last.key,
        "slice": "topic",
        "size": 12,
        "minimum": 0,
        "day": DAY,
        "project": project.slug,
    }
    call_command("resample", logs.key, **asked, stdout=out)
    call_command("resample", logs.key, **asked, json=True, stdout=told)
    assert json.loads(told.getvalue())["size"] == 12
    client = Client()
    assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
    query = f"logs={logs.key}&last={last.key}&slice=topic&size=12&minimum=0&day=2026-11-30"
    answer = client.get(f"/p/{project.slug}/resample.jsonl?{query}")
    assert b"".join(answer).decode() == out.getvalue()  # type: ignore[arg-type, call-overload]
    words = client.get(f"/p/{project.slug}/resample/?{query}").content.decode()
    assert "12 questions: 2 carried over, 10 drawn" in words
    assert "gold is gone" in words
    assert client.get(f"/p/{project.slug}/resample/?logs={make_run().key}").status_code == 404
    assert client.get(f"/p/{project.slug}/resample.jsonl").status_code == 404
    with pytest.raises(CommandError, match="no run"):
        call_command("resample", "nowhere")


def test_the_page_without_logs_leads_to_an_import() -> None:
    project = make_project()
    client = Client()
    assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
    assert "No logs yet" in client.get(f"/p/{project.slug}/resample/").content.decode()


def test_the_number_of_statements_is_constant() -> None:
    def statements(size: int) -> int:
        project = make_project()
        logs, last = logs_of(project, size), last_of(project)
        client = Client()
        assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
        with CaptureQueriesContext(connection) as captured:
            client.get(f"/p/{project.slug}/resample/?logs={logs.key}&last={last.key}&slice=topic")
        return len(captured)

    assert statements(4) == statements(25)
