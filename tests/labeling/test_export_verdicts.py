"""The verdicts of a run as a file: in place, in time, and in pieces that do not grow with their number."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from labeling.export import lines, verdicts_file
from labeling.models import ClaimVerdict, Verdict
from tests.factories import make_project, make_user
from triage.ingest import ingest
from triage.intake import store
from triage.models import Run
from triage.tasks.inprocess import run_to_end

pytestmark = pytest.mark.django_db


def query(number: int) -> dict[str, Any]:
    """Return a failing answer with a verdict by two people, and two claims marked by two people."""
    marks = [{"label": "supported", "chunk": "c1", "reviewer": name, "blind": True} for name in ("ben", "ann")]
    return {
        "id": f"q{number}",
        "question": "What?",
        "answer": "One. Two.",
        "retrieved": [{"id": "c1", "text": "Text."}],
        "gold": ["c1"],
        "correct": False,
        "claims": [{"text": text, "human": marks} for text in ("One.", "=Two,\n.")],
        "human": [
            {"label": "still_wrong", "reviewer": name, "note": "a, b\nc", "blind": True} for name in ("ann", "ben")
        ],
    }


@pytest.fixture
def run() -> Run:
    text = "\n".join(json.dumps(query(number)) for number in range(7))
    upload = ingest(store(make_project(), make_user(), "a.jsonl", [text.encode()]).pk)
    assert upload.run_id is not None
    run = run_to_end(upload.run_id)
    Verdict.objects.filter(query__position=3).update(is_current=False)
    ClaimVerdict.objects.filter(claim__query__position=4).update(withdrawn=True)
    return run


def test_queries_come_in_file_order_each_before_its_claims(run: Run) -> None:
    rows = [json.loads(line) for line in "".join(verdicts_file(run, "jsonl", history=True)).splitlines()]
    assert len(rows) == 7 * (2 + 4) == Verdict.objects.count() + ClaimVerdict.objects.count()
    assert [row["query"] for row in rows] == [f"q{number}" for number in range(7) for _ in range(6)]
    assert [row["claim"] for row in rows[:6]] == [None, None, "One.", "One.", "=Two,\n.", "=Two,\n."]
    assert len({row["reviewer"] for row in rows}) == 2
    assert [row["current"] for row in rows if row["query"] == "q2"] == [False] * 2 + [True] * 4


def test_without_history_only_what_stands_comes(run: Run) -> None:
    rows = [json.loads(line) for line in "".join(verdicts_file(run, "jsonl")).splitlines()]
    assert [row["query"] for row in rows].count("q2") == 4
    assert [row["query"] for row in rows].count("q3") == 2
    assert all(row["current"] for row in rows)


def test_the_table_holds_the_same_rows_and_no_formula(run: Run) -> None:
    rows = [json.loads(line) for line in "".join(verdicts_file(run, "jsonl", history=True)).splitlines()]
    table = list(csv.DictReader(io.StringIO("".join(verdicts_file(run, "csv", history=True)), newline="")))
    assert [row["query"] for row in table] == [row["query"] for row in rows]
    assert [row["note"] for row in table if row["note"] != "none"] == ["a, b\nc"] * 14
    assert not [row for row in table if row["claim"].startswith("=")]


@pytest.mark.parametrize("to", ["jsonl", "csv"])
def test_the_server_hands_rows_over_bit_by_bit_in_pieces_of_bounded_size(
    to: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = "".join(verdicts_file(run, to, history=True))
    monkeypatch.setattr(lines, "ROWS_A_PIECE", 4)
    with CaptureQueriesContext(connection) as captured:
        pieces = list(verdicts_file(run, to, history=True))
    assert "".join(pieces) == whole
    assert len(pieces) == 11 + (to == "csv")
    assert len(captured) == 2, "one cursor for the queries' verdicts and one for the claims', whatever their number"
    assert all("DECLARE" in query["sql"] for query in captured.captured_queries)
