"""The commands `runs` and `classify`."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.factories import make_chunk, make_project, make_query, make_run
from triage.core.policy import Policy
from triage.models import Run

pytestmark = pytest.mark.django_db


def said(*arguments: object) -> str:
    """Return what a command prints."""
    out = StringIO()
    call_command(*[str(argument) for argument in arguments], stdout=out)
    return out.getvalue()


@pytest.fixture
def run() -> Run:
    """Return a run with one retrieval miss in the default project."""
    run = make_run(make_project(slug="default"), name="the run", counts={"queries": 1})
    make_query(run, [make_chunk(run)], gold=["nowhere"])
    return run


def test_runs_lists_the_newest_first(run: Run) -> None:
    newer = make_run(run.project, name="newer")
    told = json.loads(said("runs", "--json"))
    assert [each["run"] for each in told["runs"]] == [newer.key, run.key]
    assert told["runs"][1]["queries"] == 1
    assert "the run" in said("runs")
    assert said("runs", "--project", "empty").strip() == "No runs yet: ingest a file."


def test_runs_renames_by_name_or_id(run: Run) -> None:
    assert json.loads(said("runs", "--json", "--rename", "the run", "first")) == {"run": run.key, "name": "first"}
    said("runs", "--rename", run.key, "second")
    run.refresh_from_db()
    assert run.name == "second"


def test_runs_deletes_and_says_what_went(run: Run) -> None:
    told = json.loads(said("runs", "--delete", run.key, "--json"))
    assert told["deleted"] == {"queries": 1}
    assert not Run.objects.exists()


def test_runs_asks_before_it_deletes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda _: "n")
    with pytest.raises(CommandError, match="Nothing was deleted") as refusal:
        said("runs", "--delete", run.key)
    assert refusal.value.returncode == 1
    assert "is deleted: 1 queries" in said("runs", "--delete", run.key, "--yes")


@pytest.mark.parametrize(
    "arguments",
    [("runs", "--delete", "nobody", "--yes"), ("runs", "--rename", "nobody", "x"), ("classify", "nobody")],
)
def test_a_run_that_is_not_there_is_bad_input(run: Run, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match="There is no run 'nobody' in project 'default'") as refusal:
        said(*arguments)
    assert refusal.value.returncode == 2


def test_classify_prints_classes_metrics_and_closure(run: Run) -> None:
    told = json.loads(said("classify", "the run", "--json"))
    assert told["classes"] == {
        "retrieval_miss": 1,
        "unsupported_claims": 0,
        "grounded_wrong_question": 0,
        "still_wrong": 0,
        "unscored": 0,
    }
    assert told["metrics"]["context_recall"]["value"] == 0.0
    assert [check["ok"] for check in told["closure"]] == [True] * 5
    assert "1 retrieval_miss" in said("classify", run.key)


def test_classify_adopts_a_policy_from_a_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_text('{"context_recall": 0.0}', encoding="utf-8")
    told = json.loads(said("classify", run.key, "--policy", path, "--json"))
    assert told["policy"] == Policy(context_recall=0.0).fingerprint == run.project.policy().fingerprint
    assert told["classes"]["unscored"] == 1


@pytest.mark.parametrize("body", ['{"context_recall": 2}', '{"unheard_of": 1}', "not json"])
def test_classify_refuses_what_is_no_policy(run: Run, tmp_path: Path, body: str) -> None:
    path = tmp_path / "policy.json"
    path.write_text(body, encoding="utf-8")
    with pytest.raises(CommandError, match="is no policy") as refusal:
        said("classify", run.key, "--policy", path)
    assert refusal.value.returncode == 2
    with pytest.raises(CommandError, match="cannot be read"):
        said("classify", run.key, "--policy", tmp_path / "nowhere.json")


def test_classify_exits_1_when_a_closure_check_fails(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(counts={"queries": 7})
    with pytest.raises(CommandError, match="but the run has 7 queries") as refusal:
        said("classify", run.key)
    assert refusal.value.returncode == 1
