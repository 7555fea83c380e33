"""A run file with everything people added, and the same run when it is imported again."""

from __future__ import annotations

import io
import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from labeling.export import run_file
from labeling.export.lines import pseudonym
from labeling.models import ClaimVerdict, GoldChallenge, Verdict
from tests.factories import make_member, make_project
from triage import intake
from triage.ingest import ingest
from triage.models import Chunk, Claim, Project, Query, Role, Run

pytestmark = pytest.mark.django_db

QUERY = {
    "id": "q1",
    "question": "How long?",
    "answer": "14 days.",
    "retrieved": [{"id": "a", "text": "Refunds take 14 days."}],
    "gold": ["a"],
    "correct": False,
    "claims": ["It takes 14 days."],
    "human": [{"label": "still_wrong", "reviewer": "annotator_1"}],
}


@pytest.fixture(autouse=True)
def _uploads(settings: Settings, tmp_path: Path) -> None:
    settings.UPLOAD_DIR = tmp_path / "uploads"


def imported(project: Project, data: str) -> Run:
    run = ingest(intake.store(project, None, "run.jsonl", [data.encode()]).pk).run
    assert run is not None
    return run


@pytest.fixture
def reviewed() -> Run:
    """A run that a member judged, marked and challenged."""
    run = imported(make_project(), json.dumps(QUERY))
    lena = make_member(run.project, Role.REVIEWER, "lena")
    query, claim, chunk = Query.objects.get(), Claim.objects.get(), Chunk.objects.get()
    old = {"query": query, "reviewer": lena, "blind": True}
    Verdict.objects.create(**old, label="not_a_failure", idempotency_key=uuid.uuid4(), is_current=False)
    Verdict.objects.create(**old, label="retrieval_miss", note="n", idempotency_key=uuid.uuid4(), drawn="random")
    marked = {"claim": claim, "reviewer": lena, "blind": True, "chunk": chunk}
    ClaimVerdict.objects.create(**marked, label="supported", evidence_start=0, evidence_end=7)
    challenge = {"kind": "wrong_chunk", "proposal": {"remove": ["a"]}, "raised_by": lena}
    GoldChallenge.objects.create(query=query, **challenge)
    return run


def written(run: Run) -> dict[str, Any]:
    lines = [json.loads(line) for line in "".join(run_file(run)).split("\n") if line]
    return next(line for line in lines if line["kind"] == "query")


def test_the_current_words_of_members_stand_beside_those_of_the_file(reviewed: Run) -> None:
    first, second = written(reviewed)["human"]
    assert first == {"label": "still_wrong", "reviewer": "annotator_1"}
    assert (second["label"], second["note"], second["blind"], second["drawn"]) == (
        "retrieval_miss",
        "n",
        True,
        "random",
    )
    (mark,) = written(reviewed)["claims"][0]["human"]
    assert (mark["label"], mark["chunk"], mark["span"]) == ("supported", "a", [0, 7])
    (challenge,) = written(reviewed)["challenges"]
    assert (challenge["kind"], challenge["remove"]) == ("wrong_chunk", ["a"])


def test_SEC24_members_go_by_keys_that_tell_no_names(reviewed: Run) -> None:
    verdict = Verdict.objects.get(is_current=True, imported_reviewer="")
    assert written(reviewed)["human"][1]["reviewer"] == pseudonym(reviewed.project_id, str(verdict.reviewer_id))
    assert "lena" not in "".join(run_file(reviewed))


def test_imported_again_in_its_project_it_is_the_same_run_and_nothing_is_added(reviewed: Run) -> None:
    before = Verdict.objects.count()
    assert imported(reviewed.project, "".join(run_file(reviewed))) == reviewed
    assert Verdict.objects.count() == before


def test_imported_elsewhere_everything_people_added_comes_along(reviewed: Run) -> None:
    again = imported(make_project(), "".join(run_file(reviewed)))
    assert bytes(again.content_hash) == bytes(reviewed.content_hash)
    labels = Verdict.objects.filter(query__run=again, is_current=True).values_list("label", flat=True)
    assert sorted(labels) == ["retrieval_miss", "still_wrong"]
    assert ClaimVerdict.objects.get(claim__query__run=again).label == "supported"


def test_the_command_writes_it_line_by_line(reviewed: Run) -> None:
    out = io.StringIO()
    call_command("export", reviewed.key, "--what", "run", stdout=out)
    assert out.getvalue() == "".join(run_file(reviewed))


@pytest.mark.parametrize("to", ["ragas", "label_studio"])
def test_a_run_goes_to_another_tool_and_comes_back(reviewed: Run, to: str) -> None:
    out = io.StringIO()
    call_command("export", reviewed.key, "--what", "run", "--format", to, stdout=out)
    upload = ingest(intake.store(make_project(), None, "back.json", [out.getvalue().encode()]).pk)
    assert (upload.file_format, upload.error_count) == (to, 0)
    back = Query.objects.get(run=upload.run_id)
    assert (back.key, back.question, back.answer, back.gold) == ("q1", "How long?", "14 days.", ["a"])
    assert [slot.chunk.text for slot in back.retrieved.select_related("chunk")] == ["Refunds take 14 days."]
    if to == "label_studio":
        assert [said["label"] for said in back.human] == ["still_wrong", "retrieval_miss"]


def test_the_gold_of_a_run_goes_out_as_trec_judgements(reviewed: Run) -> None:
    assert list(run_file(reviewed, "qrels")) == ["q1 0 a 1\n"]


def test_an_id_that_qrels_cannot_hold_is_named(reviewed: Run) -> None:
    Query.objects.update(gold=["two words"])
    with pytest.raises(CommandError, match="“two words” has white space"):
        call_command("export", reviewed.key, "--what", "run", "--format", "qrels", stdout=io.StringIO())
