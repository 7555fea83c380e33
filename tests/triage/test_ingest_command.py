"""The command `ingest`."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from tests.factories import make_project
from triage.models import Project, Run, Upload

pytestmark = pytest.mark.django_db

CHUNK = {"kind": "chunk", "id": "a", "text": "Refunds take 14 days."}
QUERY = {
    "id": "q1",
    "question": "How long do refunds take?",
    "answer": "Refunds take 14 days.",
    "retrieved": ["a"],
    "gold": ["a"],
    "correct": False,
}


@pytest.fixture(autouse=True)
def _uploads(db: None, settings: Settings, tmp_path: Path) -> None:
    settings.UPLOAD_DIR = tmp_path / "uploads"
    # The judges are not what these tests are about: the quick one will do.
    make_project(slug="default", judge_order=["recorded", "lexical"])


def write(folder: Path, *objects: object, name: str = "nightly.jsonl") -> Path:
    lines = (item if isinstance(item, str) else json.dumps(item) for item in objects)
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def run_command(*arguments: object) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("ingest", *map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def refused(*arguments: object) -> tuple[CommandError, str]:
    out = io.StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("ingest", *map(str, arguments), stdout=out, stderr=io.StringIO())
    return caught.value, out.getvalue()


def answer(*arguments: object) -> dict[str, Any]:
    told = json.loads(run_command(*arguments, "--wait", "--json")[0])
    assert isinstance(told, dict)
    return told


def test_a_file_goes_all_the_way_to_its_classes_in_one_process(tmp_path: Path) -> None:
    told = answer(write(tmp_path, CHUNK, QUERY))
    run = Run.objects.get()
    assert (told["run"], told["created"], told["state"]) == (run.key, True, "done")
    assert (told["queries"], told["failing"], told["correct"], told["undecided"], told["chunks"]) == (1, 1, 0, 0, 1)
    assert sum(told["classes"].values()) == 1
    assert list(told["classes"])[-1] == "unscored"
    assert told["metrics"]["context_recall"] == {"value": 1.0, "n": 1, "left_out": {}}
    assert {check["check"] for check in told["closure"]}
    assert run.project.slug == "default"


def test_the_same_file_again_prints_the_same_run_and_its_first_errors(tmp_path: Path) -> None:
    path = write(tmp_path, CHUNK, QUERY, '{"id": 2}')
    first, second = answer(path), answer(path)
    assert (first["created"], second["created"]) == (True, False)
    assert first["run"] == second["run"]
    assert second["errors"] == first["errors"]
    assert first["errors"][0].keys() == {"line", "field", "found", "expected", "remedy"}


def test_row_errors_and_warnings_are_printed_for_people(tmp_path: Path) -> None:
    out, _ = run_command(write(tmp_path, QUERY, '{"id": 2, "question": "?", "gold": "a"}'), "--wait")
    assert "1 line was left out" in out
    assert 'line 2, gold: found “a”, a string; expected a list of chunk ids, or null. Write ["a"].' in out
    assert "text_not_supplied, 1: " in out


def test_only_the_first_errors_are_printed_and_the_rest_counted(tmp_path: Path) -> None:
    bad = [json.dumps({"id": f"x{number}"}) for number in range(22)]
    out, _ = run_command(
        write(tmp_path, *({**QUERY, "id": number, "answer": None} for number in range(450)), *bad), "--wait"
    )
    assert "22 lines were left out" in out
    assert "and 2 more (--json lists them)" in out


def test_projects_are_made_on_demand_and_odd_slugs_refused(tmp_path: Path) -> None:
    path = write(tmp_path, QUERY)
    run_command(path, "--project", "docs-bot", "--wait")
    assert Project.objects.get(slug="docs-bot").runs.count() == 1
    assert refused(path, "--project", "../x")[0].returncode == 2


def test_a_file_of_which_nothing_is_imported_exits_2_and_tells_why_in_json(tmp_path: Path) -> None:
    error, out = refused(write(tmp_path, "%PDF-1.7", name="a.jsonl"), "--wait", "--json")
    told = json.loads(out)
    assert error.returncode == 2
    assert (told["run"], told["created"], told["state"]) == (None, False, "failed")
    assert "PDF" in told["reason"]
    assert not Run.objects.exists()


def test_a_cut_gzip_exits_2_with_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(QUERY).encode())[:-12])
    error, _ = refused(path, "--wait")
    assert error.returncode == 2
    assert "ends in the middle" in str(error)
    assert list((tmp_path / "uploads").iterdir()) == []


def test_a_file_that_is_not_there_exits_2(tmp_path: Path) -> None:
    error, _ = refused(tmp_path / "nothing.jsonl", "--wait")
    assert error.returncode == 2
    assert not Upload.objects.exists()


def test_P34_several_files_are_all_imported_and_each_is_listed(tmp_path: Path) -> None:
    paths = [write(tmp_path, {**QUERY, "answer": name}, name=f"{name}.jsonl") for name in ("a", "b")]
    told = answer(*paths)
    assert [(each["file"], each["name"], each["queries"]) for each in told["imports"]] == [
        ("a.jsonl", "a", 1),
        ("b.jsonl", "b", 1),
    ]


def test_one_refused_file_of_several_does_not_stop_the_others_and_exits_2(tmp_path: Path) -> None:
    bad, good = write(tmp_path, "<html>", name="bad.jsonl"), write(tmp_path, QUERY)
    error, out = refused(bad, good, "--wait")
    assert error.returncode == 2
    assert "bad.jsonl: not imported" in out
    assert Run.objects.count() == 1


def test_without_wait_the_file_waits_for_a_worker_and_the_queue_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []
    monkeypatch.setattr("triage.management.commands.ingest.ingest_soon", lambda upload: sent.append(upload) or True)
    told = json.loads(run_command(write(tmp_path, QUERY), "--json")[0])
    upload = Upload.objects.get()
    assert (told["queued"], told["uploads"][0]["upload"], sent) == (True, upload.key, [upload.pk])


def test_without_wait_and_without_a_queue_the_file_is_kept_and_the_way_out_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.management.commands.ingest.ingest_soon", lambda _upload: False)
    out, err = run_command(write(tmp_path, QUERY))
    assert "waits for a worker" in out
    assert "--wait" in err
    assert Upload.objects.get().state == Upload.State.WAITING


def test_a_real_run_counts_what_an_independent_recount_counts(shared: Path) -> None:
    path = shared / "data" / "runs" / "factcheck_gpt.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n")
    queries = [row for line in lines if line and (row := json.loads(line)).get("kind") == "query"]
    told = answer(path)
    assert (told["queries"], told["errors"]) == (len(queries), [])
    assert told["failing"] == sum(query["correct"] is False for query in queries) == 68
    assert told["undecided"] == sum(query["correct"] is None for query in queries) == 2
    assert told["classes"]["unscored"] == 68
    assert {warning["code"] for warning in told["warnings"]} >= {"no_gold", "retrieved_nothing", "correct_by_match"}


@pytest.mark.parametrize(
    ("name", "queries", "failing"), [("mtrag_gpt-4o", 159, 35), ("mtrag_llama-3_1-405b-instruct", 159, 33)]
)
def test_a_real_run_without_gold_or_claims_is_imported_whole(
    shared: Path, name: str, queries: int, failing: int
) -> None:
    told = answer(shared / "data" / "runs" / f"{name}.jsonl")
    assert (told["queries"], told["failing"], told["errors"]) == (queries, failing, [])
    assert any(warning["code"] == "no_gold" for warning in told["warnings"])
