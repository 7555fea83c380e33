"""Labels from elsewhere: read with errors that help, previewed, kept once, and enough to calibrate a judge."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from labeling.calibrate import calibrate, items_of
from labeling.core.human_labels import read_labels
from labeling.models import ClaimVerdict
from labeling.receive import receive_labels
from tests.factories import PASSWORD, make_chunk, make_claim, make_judge, make_member, make_query, make_run
from triage.core.labels import Support
from triage.models import Judge, Role, Run, Score

HEAD = "query,claim,chunk,label,rater\n"


def scored_run(claims: int = 40) -> tuple[Run, Judge]:
    run, judge = make_run(), make_judge("entail")
    chunk = make_chunk(run, "c1")
    make_chunk(run, "c2", "Other text.")
    for number in range(claims):
        query = make_query(run, [chunk], key=f"q{number}")
        score = number / claims
        Score.objects.create(judge=judge, query=query, claim=make_claim(query, f"Claim {number}."), value=score)
    return run, judge


@pytest.mark.django_db
def test_labels_from_elsewhere_calibrate_a_judge_and_name_their_raters() -> None:
    run, judge = scored_run()
    rows = [f"q{n},Claim  {n}.,,{'supported' if n >= 16 else 'unsupported'},ann" for n in range(40)]
    found = receive_labels(run, HEAD + "\n".join(rows), store=True)
    assert (found.new, found.known, found.claims, found.errors) == (40, 0, 40, ())
    assert found.raters == {"ann": 40}
    row = calibrate(run.project, judge)[0]
    assert (row.n, row.figures["all"]["confusion"]) == (40, {"tp": 20, "fp": 0, "fn": 4, "tn": 16})
    assert {item.labels for item in items_of(run.project, judge)} == {
        (("ann", "supported"),),
        (("ann", "unsupported"),),
    }


@pytest.mark.django_db
def test_a_preview_keeps_nothing_and_twice_is_once() -> None:
    run, _ = scored_run(3)
    text = HEAD + "q0,Claim 0.,c1,supported,ann\nq0,Claim 0.,c2,0,ann\nq1,Claim 1.,,contradiction,ben\n"
    assert receive_labels(run, text, store=False).new == 3
    assert not ClaimVerdict.objects.exists()
    assert receive_labels(run, text, store=True).new == 3
    again = receive_labels(run, text, store=True)
    assert (again.new, again.known) == (0, 3)
    assert ClaimVerdict.objects.count() == 3
    kept = ClaimVerdict.objects.order_by("pk").values_list("label", "chunk__key", "imported_reviewer", "blind", "stage")
    assert list(kept) == [
        ("supported", "c1", "ann", True, "imported"),
        ("unsupported", "c2", "ann", True, "imported"),
        ("contradicted", None, "ben", True, "imported"),
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("row", "field", "remedy"),
    [
        ("zz,Claim 0.,,supported,ann", "query", "ids of its file"),
        ("q0,Another claim.,,supported,ann", "claim", "Copy the claim"),
        ("q0,Claim 0.,zz,supported,ann", "chunk", "ids of its file"),
        ("q0,Claim 0.,,perhaps,ann", "label", "one of these words"),
        ("q0,Claim 0.,,supported,", "rater", "Fill in rater"),
        ("q1,Claim 1.,,unsupported,ann", "label", "never overwritten"),
    ],
)
def test_a_row_that_cannot_be_used_says_why_and_the_others_are_kept(row: str, field: str, remedy: str) -> None:
    run, _ = scored_run(2)
    found = receive_labels(run, f"{HEAD}q1,Claim 1.,,supported,ann\n{row}\n", store=True)
    assert found.new == 1
    (error,) = found.errors
    assert (error.line, error.field) == (3, field)
    assert remedy in error.remedy


@pytest.mark.django_db
def test_the_claims_of_another_run_are_not_touched() -> None:
    run, _ = scored_run(1)
    other, _ = scored_run(1)
    receive_labels(run, f"{HEAD}q0,Claim 0.,,supported,ann\n", store=True)
    assert not ClaimVerdict.objects.filter(claim__query__run=other).exists()


def test_json_lines_and_other_tools_names_are_read() -> None:
    told = [
        {"query_id": 7, "claim_text": "A.", "human_label": True, "annotator": "ann"},
        {"query": "q", "statement": 'B, "b".', "verdict": "neutral", "reviewer": "ben", "chunk_id": 3},
    ]
    rows, errors = read_labels("\n".join([json.dumps(row) for row in told] + ["[1]", "{", ""]))
    assert [(row.query, row.claim, row.chunk, row.label, row.rater) for row in rows] == [
        ("7", "A.", "", Support.SUPPORTED, "ann"),
        ("q", 'B, "b".', "3", Support.UNSUPPORTED, "ben"),
    ]
    assert [error.line for error in errors] == [3, 4]


def test_a_table_without_a_needed_column_is_refused_by_name() -> None:
    rows, (error,) = read_labels("query,claim,label\nq,c,supported\n")
    assert rows == []
    assert (error.line, error.field) == (1, "rater")
    assert "rater or reviewer or annotator" in error.expected


@given(st.text(max_size=200) | st.text(max_size=60).map(lambda text: HEAD + text))
def test_no_text_breaks_the_reader(text: str) -> None:
    rows, errors = read_labels(text)
    assert all(row.rater and row.claim and row.query for row in rows)
    assert all(error.field and error.remedy for error in errors)


@pytest.mark.django_db
def test_the_command_previews_keeps_and_explains(tmp_path: Path) -> None:
    run, _ = scored_run(2)
    path, out = tmp_path / "labels.csv", StringIO()
    path.write_text(f"{HEAD}q0,Claim 0.,,supported,ann\nq9,x,,supported,ann\n", encoding="utf-8")
    options = {"project": run.project.slug, "stdout": out}
    call_command("receive_labels", run.key, str(path), preview=True, **options)
    call_command("receive_labels", run.key, str(path), **options)
    call_command("receive_labels", run.key, str(path), json=True, **options)
    preview, fault, kept, _, told = out.getvalue().splitlines()
    assert preview.startswith("1 labels of 1 claims would be kept, by ann 1")
    assert fault.startswith("line 3, query: found q9, expected a query of this run")
    assert kept.startswith("1 labels of 1 claims kept")
    assert (json.loads(told)["new"], json.loads(told)["known"]) == (0, 1)
    with pytest.raises(CommandError) as refused:
        call_command("receive_labels", run.key, str(tmp_path / "none.csv"), **options)
    assert refused.value.returncode == 2


@pytest.mark.django_db
def test_the_page_previews_then_keeps_what_was_previewed() -> None:
    run, _ = scored_run(2)
    client = Client()
    assert client.login(username=make_member(run.project, Role.LEAD).username, password=PASSWORD)
    path = f"/runs/{run.key}/labels/"
    sent = f"{HEAD}q0,Claim 0.,,supported,ann <b>\nq9,x,,supported,ann\n"
    shown = client.post(path, {"file": SimpleUploadedFile("labels.csv", sent.encode())}).content.decode()
    for words in ("Keep 1 label", "By ann &lt;b&gt;", "a query of this run with claims", "nothing is kept yet"):
        assert words in shown
    assert not ClaimVerdict.objects.exists()
    answer = client.post(path, {"text": sent.replace("\n", "\r\n"), "keep": "1"})
    assert answer.headers["Location"] == f"/p/{run.project.slug}/judges/"
    assert ClaimVerdict.objects.get().imported_reviewer == "ann <b>"
    again = client.post(path, {"file": SimpleUploadedFile("labels.csv", sent.encode())}).content.decode()
    assert "nothing new to keep" in again


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, "Choose a file"),
        ({"file": SimpleUploadedFile("a.csv", b"\xff\xfe\x00")}, "not UTF-8"),
        ({"file": SimpleUploadedFile("a.csv", b"a" * 1_000_001)}, "larger than 1 MB"),
    ],
    ids=["none", "bytes", "large"],
)
def test_a_file_that_cannot_be_read_is_refused_with_what_to_do(sent: dict[str, SimpleUploadedFile], words: str) -> None:
    run, _ = scored_run(1)
    client = Client()
    assert client.login(username=make_member(run.project, Role.LEAD).username, password=PASSWORD)
    answer = client.post(f"/runs/{run.key}/labels/", sent)
    assert answer.status_code == 422
    assert words in answer.content.decode()


@pytest.mark.django_db
def test_more_labels_ask_the_database_no_more() -> None:
    run, _ = scored_run(20)
    counts = []
    for rows in (1, 20):
        text = HEAD + "\n".join(f"q{n},Claim {n}.,,supported,ann" for n in range(rows))
        with CaptureQueriesContext(connection) as asked:
            receive_labels(run, text, store=False)
        counts.append(len(asked))
    assert counts[0] == counts[1]
