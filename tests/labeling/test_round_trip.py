"""Must show: export a run, import it elsewhere, and it is the same: its content, its numbers, its release note, and
with people's labels its calibration."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from labeling.calibrate import calibrate, items_of
from labeling.export import attachment, run_file
from labeling.models import Calibration
from labeling.report import render, report
from tests.factories import make_project, make_user
from tests.long import long
from triage.ingest import ingest
from triage.intake import store
from triage.models import Judge, Project, Run
from triage.tasks.inprocess import run_to_end

pytestmark = pytest.mark.django_db

#: Runs of two kinds: claims in the file, and none there, so that ours are cut. Each takes seconds of processor time.
REAL = ["clapnq_arm_gold_only.jsonl.gz", "mtrag_gpt-4o.jsonl"]
#: The other runs of the shared data. tests/triage/test_export.py imports them all; the whole way is for the long tests.
OTHERS = [
    "clapnq_arm_k20.jsonl.gz",
    "clapnq_arm_k5.jsonl.gz",
    "clapnq_arm_rerank50to5.jsonl.gz",
    "factcheck_gpt.jsonl",
    "mtrag_llama-3_1-405b-instruct.jsonl",
]


def query(number: int, rng: random.Random) -> dict[str, Any]:
    """Return one failing answer with three claims, each with a recorded score and a mark of one person or two."""
    claims = []
    for place in range(3):
        human = rng.random() < 0.6
        score = round(min(1.0, max(0.0, rng.gauss(0.65 if human else 0.35, 0.2))), 4)
        people = [("ann", human), ("ben", human != (rng.random() < 0.2))][: 1 + place % 2]
        marks = [
            {"label": "supported" if yes else "unsupported", "chunk": "c1", "reviewer": name, "blind": True}
            for name, yes in people
        ]
        claims.append(
            {"text": f"Claim {number}.{place}.", "verdicts": [{"chunk": "c1", "score": score}], "human": marks}
        )
    return {
        "kind": "query",
        "id": f"q{number}",
        "question": f"What of {number}?",
        "answer": " ".join(claim["text"] for claim in claims),
        "retrieved": [{"id": "c1", "text": "What everything rests on."}],
        "gold": ["c1"],
        "correct": False,
        "claims": claims,
        "human": [{"label": "still_wrong", "reviewer": "ann", "blind": True}],
    }


def classified(text: str | bytes) -> Run:
    """Return the run of a file in a project of its own, scored without a model and classified."""
    project = make_project(name="Here and there")
    raw = text if isinstance(text, bytes) else text.encode()
    upload = ingest(store(project, make_user(), "a.jsonl", [raw]).pk)
    assert upload.run_id is not None
    with connection.cursor() as cursor:
        # What autovacuum does for rows that are committed; these never are, and it may have counted the table as empty.
        cursor.execute("ANALYZE")
    return run_to_end(upload.run_id)


def compared(project: Project) -> dict[str, dict[str, Any]]:
    """Return every figure of the recorded judge by kind; what names rows of this database left out."""
    judge = Judge.objects.get(name="recorded", task="grounding")
    rows: list[Calibration] = calibrate(project, judge)
    return {row.kind: {key: told for key, told in row.figures.items() if key not in {"basis", "rates"}} for row in rows}


def test_exported_and_imported_elsewhere_the_calibration_is_the_same_to_the_last_digit() -> None:
    rng = random.Random(3)
    text = "\n".join(json.dumps(query(number, rng)) for number in range(40))
    here = classified(text)
    there = classified("".join(run_file(here)))
    first, second = compared(here.project), compared(there.project)
    assert first["claim_support"]["n"] > 60
    assert set(first) == {"claim_support", "labels"}
    assert second == first
    judge = Judge.objects.get(name="recorded", task="grounding")
    for to in ("judgy", "openai", "csv", "jsonl"):
        sent = [attachment(run.project, judge, items_of(run.project, judge), to) for run in (here, here)]
        assert sent[0].content == sent[1].content


def notes(run: Run) -> list[str]:
    """Return the release note as Markdown and CSV; the run's key, another one everywhere, left out."""
    note = report(run)
    return [render(note, to).text.replace(run.key, "KEY") for to in ("md", "csv")]


@pytest.mark.parametrize("name", [*REAL, *(pytest.param(name, marks=long) for name in OTHERS)])
def test_a_real_run_exported_and_imported_elsewhere_is_the_same_run(shared: Path, name: str) -> None:
    here = classified((shared / "data" / "runs" / name).read_bytes())
    text = "".join(run_file(here))
    there = classified(text)
    assert bytes(there.content_hash) == bytes(here.content_hash)
    assert there.summary == here.summary
    assert notes(there) == notes(here)
    assert "".join(run_file(there)) == text
