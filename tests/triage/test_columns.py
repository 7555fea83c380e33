"""A table with columns of its own: people say which is which, once."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import make_member, make_project
from triage import intake
from triage.columns import NOTE, SCORE, SLICE, mapping_of
from triage.formats.table import FIELDS
from triage.ingest import ingest
from triage.models import Project, Query, Role, Run, Upload

pytestmark = pytest.mark.django_db

TABLE = b"Nr;was;Antwort;Thema;note\n7;How long?;Two weeks.;billing;x\n8;How much?;Ten.;prices;y\n"
OTHER = TABLE + b"9;Where?;Here.;prices;z\n"
KINDS = {"column_0": "id", "column_1": "question", "column_2": "answer", "column_3": SLICE, "column_4": NOTE}


def _sent(client: Client, project: Project, table: bytes = TABLE, file_format: str = "table") -> Upload:
    file = io.BytesIO(table)
    file.name = "mine.csv"
    client.post(f"/p/{project.slug}/import/", {"run_files": file, "file_format": file_format})
    return Upload.objects.latest("pk")


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def lead(project: Project, client: Client) -> Client:
    client.force_login(make_member(project, Role.LEAD))
    return client


def test_a_table_waits_until_its_columns_are_chosen(lead: Client, project: Project) -> None:
    upload = _sent(lead, project)
    assert upload.state == Upload.State.CHOOSING
    assert ingest(upload.pk).state == Upload.State.CHOOSING
    page = lead.get(f"/uploads/{upload.key}/columns/").content.decode()
    for shown in ("Antwort", "How long?", "billing", "semicolons"):
        assert shown in page
    answer = lead.post(f"/uploads/{upload.key}/columns/", KINDS)
    assert answer["Location"] == f"/uploads/{upload.key}/"
    run = ingest(upload.pk).run
    assert run is not None
    assert run.name == "mine"
    first = Query.objects.get(run=run, key="7")
    assert (first.question, first.answer, first.slices) == ("How long?", "Two weeks.", {"Thema": "billing"})
    assert first.meta == {"note": "x"}


def test_what_was_chosen_is_remembered_for_the_same_columns(lead: Client, project: Project) -> None:
    lead.post(f"/uploads/{_sent(lead, project).key}/columns/", KINDS)
    upload = _sent(lead, project, OTHER, "")
    assert (upload.state, upload.mapping["answer"]) == (Upload.State.WAITING, "Antwort")
    run = ingest(upload.pk).run
    assert run is not None
    assert run.counts["queries"] == 3
    assert _sent(lead, make_project(), OTHER).pk == upload.pk, "a foreign project takes nothing"
    foreign = intake.store(make_project(), None, "mine.csv", [OTHER], "", ask=True)
    assert foreign.mapping == {}


def test_a_nul_in_a_column_name_is_marked_and_the_column_chosen(lead: Client, project: Project) -> None:
    damaged = TABLE.replace(b"Thema", b"The\0ma")
    upload = _sent(lead, project, damaged)
    assert upload.state == Upload.State.CHOOSING
    lead.post(f"/uploads/{upload.key}/columns/", KINDS)
    run = ingest(upload.pk).run
    assert run is not None
    assert Query.objects.get(run=run, key="7").slices == {"The\ufffdma": "billing"}
    assert _sent(lead, project, damaged.replace(b"Two", b"Four"), "").mapping["slice.The\ufffdma"] == "The\ufffdma"


def test_a_table_without_a_known_question_asks_instead_of_failing(lead: Client, project: Project) -> None:
    upload = ingest(_sent(lead, project, file_format="").pk)
    assert upload.state == Upload.State.CHOOSING
    assert "which column holds the question" in upload.reason
    assert "Choose the columns" in lead.get(f"/uploads/{upload.key}/").content.decode()
    lead.post(f"/uploads/{upload.key}/columns/", KINDS)
    assert ingest(upload.pk).state == Upload.State.DONE


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ({"column_1": "question", "column_2": "question"}, "cannot both be the question"),
        ({"column_2": "answer"}, "which column holds the question"),
        ({"column_1": "unheard of"}, "Select a valid choice"),
    ],
)
def test_a_choice_that_cannot_be_is_said_and_nothing_starts(
    lead: Client, project: Project, kinds: dict[str, str], words: str
) -> None:
    upload = _sent(lead, project)
    answer = lead.post(f"/uploads/{upload.key}/columns/", kinds)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert Upload.objects.get(pk=upload.pk).state == Upload.State.CHOOSING


def test_a_second_answer_changes_nothing(lead: Client, project: Project) -> None:
    upload = _sent(lead, project)
    lead.post(f"/uploads/{upload.key}/columns/", KINDS)
    again = lead.post(f"/uploads/{upload.key}/columns/", {**KINDS, "column_0": NOTE}, follow=True)
    assert "moved on" in again.content.decode()
    assert Upload.objects.get(pk=upload.pk).mapping["id"] == "Nr"


def test_a_file_that_waits_for_a_choice_can_be_cancelled(lead: Client, project: Project) -> None:
    upload = _sent(lead, project)
    lead.post(f"/uploads/{upload.key}/cancel/")
    upload.refresh_from_db()
    assert (upload.state, upload.stored_as) == (Upload.State.CANCELLED, "")


@pytest.mark.parametrize("body", [b"PAR1....", b"%PDF-1.7", b"", b"\xff\xfe\x00\x00"])
def test_what_is_no_text_table_is_left_to_its_reader(lead: Client, project: Project, body: bytes) -> None:
    upload = _sent(lead, project, body)
    assert ingest(upload.pk).state == Upload.State.FAILED


def test_the_command_takes_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(TABLE)
    columns = ["--map", "question=was", "--map", "slice.Thema=Thema"]
    call_command("ingest", str(path), "--project", "p1", *columns, "--wait")
    found = Query.objects.filter(run=Run.objects.get()).first()
    assert found is not None
    assert (found.question, found.slices) == ("How long?", {"Thema": "billing"})


@pytest.mark.parametrize("pair", ["question", "queston=was", "=was"])
def test_the_command_refuses_an_unknown_field(tmp_path: Path, pair: str) -> None:
    with pytest.raises(CommandError, match="FIELD=COLUMN"):
        call_command("ingest", str(tmp_path / "mine.csv"), "--map", pair)


def test_the_same_bytes_read_in_another_way_are_another_run(project: Project) -> None:
    line = json.dumps({"question": "How?", "answer": "So."}).encode()
    first = ingest(intake.store(project, None, "a.jsonl", [line], "run_file").pk)
    second = ingest(intake.store(project, None, "a.jsonl", [line], "table", mapping={"question": "answer"}).pk)
    again = ingest(intake.store(project, None, "a.jsonl", [line], "table", mapping={"question": "answer"}).pk)
    assert first.run_id != second.run_id == again.run_id
    assert again.created_run is False


@given(st.lists(st.tuples(st.text(min_size=1), st.sampled_from([*FIELDS, SCORE, SLICE, NOTE])), max_size=8))
def test_every_column_is_what_was_said_or_the_choice_is_refused(chosen: list[tuple[str, str]]) -> None:
    columns, kinds = [name for name, _ in chosen], [kind for _, kind in chosen]
    fields = [kind for kind in kinds if kind in FIELDS]
    if "question" not in fields or len(set(fields)) < len(fields):
        with pytest.raises(ValueError, match=r"question|cannot both be"):
            mapping_of(columns, kinds)
        return
    mapping = mapping_of(columns, kinds)
    assert set(FIELDS) <= set(mapping)
    for column, kind in chosen:
        if kind in FIELDS:
            assert mapping[kind] == column
