"""The API's half of people: verdicts, judges, release notes, gates, files."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from labeling.calibrate import calibrate
from labeling.export import run_file
from labeling.models import Verdict
from labeling.report import render, report
from tests.factories import make_member, make_project, make_run
from tests.labeling.rows import say
from triage.demo import __file__ as demo
from triage.ingest import ingest
from triage.intake import store
from triage.models import Change, Judge, Role, Run, Scope
from triage.tasks.inprocess import run_to_end
from triage.tokens import make

pytestmark = pytest.mark.django_db
Call = Callable[[str], Any]


@pytest.fixture
def run() -> Run:
    """A classified run with a few verdicts."""
    project = make_project(name="Tallyrook help")
    content = (Path(demo).parent / "tallyrook_2026_11.jsonl").read_bytes()
    upload = ingest(store(project, None, "november.jsonl", [content]).pk)
    assert upload.run_id is not None
    done = run_to_end(upload.run_id)
    for query in done.queries.filter(correct=False).order_by("position")[:3]:
        say(query, "retrieval_miss", imported_reviewer="ann", note="as I see it")
    return done


@pytest.fixture
def call(run: Run) -> Call:
    _, secret = make(run.project, make_member(run.project, Role.LEAD), "tests", Scope.values, 1)
    client = Client(headers={"Authorization": f"Bearer {secret}"})
    return lambda path: client.get(f"/api/v1{path}")


def test_verdicts_come_page_by_page_without_names(call: Call, run: Run) -> None:
    seen: list[dict[str, Any]] = []
    after = 0
    while after is not None:
        page = call(f"/runs/{run.key}/verdicts?limit=2&after={after}").json()
        seen += page["items"]
        after = page["next"]
    assert len(seen) == Verdict.objects.filter(query__run=run, is_current=True).count() >= 3
    assert {one["label"] for one in seen} >= {"retrieval_miss"}
    assert "ann" not in {one["reviewer"] for one in seen}
    assert all(one["reviewer"].startswith("reviewer-") for one in seen)


def test_judges_come_with_their_newest_comparison(call: Call, run: Run) -> None:
    path = f"/projects/{run.project.slug}/judges"
    before = call(path).json()
    assert before
    assert {one["trust"] for one in before} == {"uncalibrated"}
    assert all(one["figures"] is None and one["labels"] == 0 for one in before)
    judge = Judge.objects.filter(scores__query__run=run).earliest("pk")
    rows = calibrate(run.project, judge)
    after = {one["fingerprint"]: one for one in call(path).json()}[judge.fingerprint]
    assert after["labels"] == rows[0].n
    assert after["figures"] == rows[0].figures["all"]


@pytest.mark.parametrize("to", ["md", "csv", "json", "html"])
def test_the_release_note_is_the_pages_own(to: str, call: Call, run: Run) -> None:
    answer = call(f"/runs/{run.key}/report?to={to}")
    assert answer.status_code == 200
    assert answer.content.decode() == render(report(run), to).text
    assert answer.headers["Content-Disposition"].startswith("attachment")


def test_the_note_against_another_run_and_not_against_a_foreign_one(call: Call, run: Run) -> None:
    assert call(f"/runs/{run.key}/report?against={run.key}").status_code == 200
    assert call(f"/runs/{run.key}/report?against={make_run().key}").status_code == 404


def test_the_gate_is_the_commands_own(call: Call, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    for strict in (False, True):
        words = ["gate", run.key, "--json", *(["--strict"] if strict else [])]
        with suppress(SystemExit):
            call_command(*words)
        assert call(f"/runs/{run.key}/gate?strict={str(strict).lower()}").json() == json.loads(capsys.readouterr().out)
    junit = call(f"/runs/{run.key}/gate?to=junit")
    assert junit.headers["Content-Type"] == "application/xml"
    assert junit.content.startswith(b"<")


@pytest.mark.parametrize("what", ["calibration", "verdicts", "gold-patch", "worklist", "run"])
def test_a_file_is_the_commands_own(what: str, call: Call, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("export", run.key, "--what", what)
    answer = call(f"/runs/{run.key}/export/{what}")
    assert b"".join(answer.streaming_content).decode() == capsys.readouterr().out
    assert f'filename="{what}-{run.key}.' in answer.headers["Content-Disposition"]


@pytest.mark.parametrize("what", ["calibration", "verdicts", "gold-patch", "worklist", "run"])
def test_a_file_that_leaves_by_the_api_leaves_a_row(what: str, call: Call, run: Run) -> None:
    assert call(f"/runs/{run.key}/export/{what}").status_code == 200
    row = Change.objects.get(action="run.exported")
    assert (row.via, row.key, row.project_id, row.new["what"]) == ("api", run.key, run.project_id, what)
    assert row.who
    assert call(f"/runs/{run.key}/export/run?to=docx").status_code == 422
    assert Change.objects.filter(action="run.exported").count() == 1, "what was refused has not left"


@pytest.mark.parametrize("to", ["ragas", "label_studio", "qrels"])
def test_a_run_comes_in_other_tools_forms_too(to: str, call: Call, run: Run) -> None:
    answer = call(f"/runs/{run.key}/export/run?to={to}")
    assert answer.status_code == 200
    assert b"".join(answer.streaming_content).decode() == "".join(run_file(run, to))


def test_a_form_a_file_does_not_come_in_is_named(call: Call, run: Run) -> None:
    answer = call(f"/runs/{run.key}/export/run?to=docx")
    assert answer.status_code == 422
    assert "run comes as" in answer.json()["detail"]
    assert call(f"/runs/{run.key}/export/everything").status_code == 422


def test_what_needs_classes_says_so_before(call: Call, run: Run) -> None:
    Run.objects.update(summary={})
    for path in ("report", "gate"):
        answer = call(f"/runs/{run.key}/{path}")
        assert answer.status_code == 409, answer.content
        assert answer.json()["type"].endswith(":not_classified")
