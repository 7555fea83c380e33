"""The main job with nothing running: commands alone, in a folder where no service was ever started."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config import embedded
from tests.conftest import ROOT
from tests.faults.test_up import enterable
from tests.long import LONG

pytestmark = pytest.mark.faults
Run = Callable[..., subprocess.CompletedProcess[str]]
#: The judge that comes with the product reads here, so a part of each run will do; LONG_TESTS=1 takes whole runs.
QUERIES = 1_000_000 if LONG else 40


@pytest.fixture
def manage(tmp_path: Path) -> Iterator[Run]:
    """Return a caller of manage.py in a new folder, without DATABASE_URL and REDIS_URL."""
    var = enterable(tmp_path) / "var"
    environment = {key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "REDIS_URL"}}
    environment["RAG_TRIAGE_VAR"] = str(var)

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    yield call
    embedded.stop(var)


def lines_of(shared: Path, name: str) -> list[str]:
    """Return a real run's lines: everything that is no query, and its first queries."""
    path = shared / "data" / "runs" / name
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        kinds = [(json.loads(line).get("kind"), line) for line in lines]
    queries = [line for kind, line in kinds if kind == "query"][:QUERIES]
    return [line for kind, line in kinds if kind != "query"] + queries


def test_ingest_and_report_work_with_nothing_running(shared: Path, manage: Run, tmp_path: Path) -> None:
    file, lines = tmp_path / "k20.jsonl.gz", lines_of(shared, "clapnq_arm_k20.jsonl.gz")
    file.write_bytes(gzip.compress("".join(lines).encode()))
    queries = [row for row in map(json.loads, lines) if row["kind"] == "query"]
    failing = sum(row["correct"] is False for row in queries)
    first = manage("ingest", str(file), "--wait", "--json")
    assert first.returncode == 0, first.stderr
    told = json.loads(first.stdout)
    assert (told["created"], told["queries"], told["failing"], told["errors"]) == (True, len(queries), failing, [])
    assert sum(told["classes"].values()) == failing > 0

    again = json.loads(manage("ingest", str(file), "--wait", "--json").stdout)
    assert (again["run"], again["created"]) == (told["run"], False)

    note = json.loads(manage("report", "k20", "--format", "json").stdout)
    assert note["run"] == told["run"]
    table = manage("report", told["run"], "--format", "md").stdout
    assert "| `retrieval_miss` |" in table
    assert table == manage("report", told["run"], "--format", "md").stdout


def test_a_damaged_file_imports_the_rest_and_names_each_damaged_line(shared: Path, manage: Run, tmp_path: Path) -> None:
    whole = lines_of(shared, "clapnq_arm_k20.jsonl.gz")
    damaged = list(range(40, len(whole) + 1, 40))
    for number in damaged:
        whole[number - 1] = whole[number - 1][:50] + "\n"
    (tmp_path / "damaged.jsonl").write_text("".join(whole), encoding="utf-8")
    result = manage("ingest", str(tmp_path / "damaged.jsonl"), "--wait", "--json")
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert [error["line"] for error in told["errors"]] == damaged
    assert all(error["remedy"] and error["expected"] for error in told["errors"])


def test_a_cut_gzip_is_refused_and_leaves_nothing_behind(shared: Path, manage: Run, tmp_path: Path) -> None:
    whole = (shared / "data" / "runs" / "clapnq_arm_k20.jsonl.gz").read_bytes()
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    result = manage("ingest", str(tmp_path / "cut.jsonl.gz"), "--wait")
    assert result.returncode == 2
    assert "cut off" in (result.stdout + result.stderr) or "truncated" in (result.stdout + result.stderr)
    assert json.loads(manage("runs", "--json").stdout)["runs"] == []


@pytest.mark.parametrize("name", ["factcheck_gpt", "mtrag_gpt-4o", "mtrag_llama-3_1-405b-instruct"])
def test_real_runs_without_gold_or_claims_import_without_errors(
    shared: Path, manage: Run, tmp_path: Path, name: str
) -> None:
    file, lines = tmp_path / f"{name}.jsonl", lines_of(shared, f"{name}.jsonl")
    file.write_text("".join(lines), encoding="utf-8")
    told = json.loads(manage("ingest", str(file), "--wait", "--json").stdout)
    assert told["errors"] == []
    assert told["queries"] == sum(json.loads(line).get("kind") == "query" for line in lines)
    assert sum(told["classes"].values()) == told["failing"] > 0
    assert any(warning["code"] == "no_gold" for warning in told["warnings"])
    if name == "factcheck_gpt":
        assert told["classes"]["unscored"] == told["failing"]
