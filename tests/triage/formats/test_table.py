"""Plain tables: what people export, what spreadsheets make of it, and the mapping of columns."""

from __future__ import annotations

import json

import pytest

from tests.triage.formats.reading import ids, read, refused
from triage.core.limits import Limits
from triage.formats.identity import text_id
from triage.formats.table import preview


def test_a_table_of_questions_and_answers_is_read_by_its_column_names() -> None:
    found = read(
        "id,Question,Answer,Ground Truth,is_correct,latency_ms,trace id,channel\n"
        "01,How long?,Two years.,Two years.,yes,1250.5,t1,web\n"
    )
    query = found.query
    assert (found.format, found.errors) == ("table", [])
    assert (query.id, query.question, query.answer, query.reference) == ("01", "How long?", "Two years.", "Two years.")
    assert (query.correct, query.latency_ms, query.trace_id, query.meta) == (True, 1250.5, "t1", {"channel": "web"})


def test_a_mapping_says_which_column_is_which_field() -> None:
    mapping = {"question": "was gefragt", "answer": "antwort", "scores.faith": "f", "slice.topic": "thema", "id": ""}
    found = read("was gefragt,antwort,f,thema\nHow long?,Two.,0.5,billing\n", mapping=mapping)
    query = found.query
    assert (query.question, query.answer, query.slice) == ("How long?", "Two.", {"topic": "billing"})
    assert [(s.metric, s.value) for s in query.scores] == [("faith", 0.5)]
    assert (query.id.startswith("q-"), query.meta) == (True, {})


def test_a_mapping_wins_over_the_names() -> None:
    found = read("question,query\nnot this,this one\n", mapping={"question": "query"})
    assert found.query.question == "this one"


def test_a_mapping_to_a_column_that_is_not_there_is_refused() -> None:
    error = refused("question\nx\n", mapping={"answer": "reply"})
    assert (error.code, error.found) == ("no_column", "no column “reply”")


def test_a_table_without_a_question_says_which_columns_it_has() -> None:
    error = refused("city,population\nUlm,126000\n")
    assert (error.code, error.found) == ("no_question", "a table with the columns city, population")


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_F37_the_delimiter_is_found_whatever_the_line_ends(mark: str, end: str) -> None:
    data = end.join([f"id{mark}question{mark}answer", f'1{mark}"a, b; c\td|e"{mark}x', ""])
    found = read(data, "table")
    assert (found.query.question, found.query.answer, found.errors) == ("a, b; c\td|e", "x", [])


def test_F37_a_line_that_names_the_delimiter_is_believed() -> None:
    found = read("sep=;\r\nid;question, long\r\n1;How?\r\n", "table", mapping={"question": "question, long"})
    assert found.query.question == "How?"


def test_F37_cells_with_line_breaks_quotes_and_delimiters_are_whole() -> None:
    found = read('id,question,answer\n1,"How\nlong, ""really""?",x\n2,Why?,y\n')
    assert [query.question for query in found.queries] == ['How\nlong, "really"?', "Why?"]
    assert [item.line for item in found.items] == [2, 4]


def test_F37_a_cell_longer_than_pythons_own_limit_is_read() -> None:
    long = "x" * 200_000
    assert read(f"question,answer\nHow?,{long}\n").query.answer == long


@pytest.mark.parametrize(
    ("row", "found"), [("2,Why?", "2 cells"), ("2,Why?,b,c", "4 cells"), ("2", "1 cells"), ("2,Why?,b,,,z", "6 cells")]
)
def test_F37_a_ragged_row_is_a_row_error_and_the_rest_is_read(row: str, found: str) -> None:
    result = read(f"id,question,answer\n1,How?,a\n{row}\n3,When?,c\n")
    assert (result.error.line, result.error.found, result.error.expected) == (3, found, "3 cells, as in the header")
    assert [query.id for query in result.queries] == ["1", "3"]


def test_F37_empty_cells_behind_the_last_column_do_no_harm() -> None:
    assert len(read("id,question,answer\n1,How?,a,,\n").queries) == 1


def test_F37_a_column_name_twice_refuses_the_table() -> None:
    assert refused("question,answer,answer\nHow?,a,b\n").found == "the column “answer” twice"


def test_F37_columns_without_a_name_are_left_out() -> None:
    found = read(",question,,answer\n0,How?,x,a\n")
    assert (found.query.meta, found.query.answer) == ({}, "a")
    assert found.notices["unnamed_column"].examples == ("column 1",)


def test_F37_a_header_alone_is_refused() -> None:
    assert refused("question,answer\n").code == "empty"


@pytest.mark.parametrize("key", ["1E+05", "1.2E+10", "5-Mar", "Mar-05", "#NAME?", "######"])
def test_F37_ids_a_spreadsheet_may_have_changed_stay_and_are_named(key: str) -> None:
    found = read(f"id,question\n{key},How?\n")
    assert (found.query.id, found.notices["spreadsheet_id"].examples) == (key, (key,))


@pytest.mark.parametrize("key", ["01", "1", "1.0", "0x1", "2026-11-30", "E5"])
def test_F37_ids_stay_the_text_they_are(key: str) -> None:
    found = read(f"id,question\n{key},How?\n")
    assert found.query.id == key
    assert "spreadsheet_id" not in found.notices


@pytest.mark.parametrize("cell", ['"[""a"", ""b""]"', "\"['a', 'b']\"", "a|b", " a | b ", "\"('a', 'b')\""])
def test_F37_lists_of_ids_are_read_in_every_spelling(cell: str) -> None:
    assert read(f"question,gold\nHow?,{cell}\n").query.gold == ["a", "b"]


def test_retrieved_texts_ids_and_objects_are_told_apart() -> None:
    assert ids(read("question,retrieved_ids\nHow?,k1|k2\n").query.retrieved) == ["k1", "k2"]
    assert read("question,contexts,answer\nHow?,Two years.,x\n", "table").chunks == {
        text_id("Two years."): "Two years."
    }
    objects = json.dumps([{"id": "k1", "content": "Two years.", "score": 0.5}]).replace('"', '""')
    slot = (read(f'question,documents\nHow?,"{objects}"\n').query.retrieved or [])[0]
    assert (slot.id, slot.text, slot.score) == ("k1", "Two years.", 0.5)


@pytest.mark.parametrize(("cell", "retrieved"), [("", None), ("[]", [])])
def test_F39_an_empty_cell_is_unknown_and_an_empty_list_is_nothing(cell: str, retrieved: object) -> None:
    assert read(f"question,documents,answer\nHow?,{cell},x\n").query.retrieved == retrieved


@pytest.mark.parametrize("cell", ["[__import__('os')]", "[1, 2", "(lambda: 0)"])
def test_a_hostile_list_cell_is_a_row_error(cell: str) -> None:
    found = read(f'question,documents\nHow?,"{cell}"\nWhy?,a\n')
    assert (found.error.line, found.error.field) == (2, "documents")


@pytest.mark.parametrize("cell", ["maybe", "2", "ja?"])
def test_a_verdict_that_is_neither_yes_nor_no_is_a_row_error(cell: str) -> None:
    found = read(f"question,correct\nHow?,{cell}\nWhy?,no\n")
    assert (found.error.field, found.query.correct) == ("correct", False)


@pytest.mark.parametrize("cell", ["0,85", "85%"])
def test_F28_a_number_in_a_local_spelling_is_refused_with_a_hint(cell: str) -> None:
    error = read(f'question;scores.faith\nHow?;"{cell}"\nWhy?;1\n').error
    assert (error.field, "0.85" in error.remedy) == ("scores.faith", True)


def test_P30_json_with_bare_quotes_in_a_cell_names_line_and_column_and_how_to_quote() -> None:
    error = refused('id,meta\nr1,{"k":""}\n', mapping={"question": "id"}).errors[0]
    assert (error.line, error.field, error.found) == (2, "meta", "a quote inside a cell that is not quoted")
    assert '""k""' in error.remedy
    assert "JSON Lines" in error.remedy


def test_P30_text_after_a_closing_quote_is_a_row_error() -> None:
    found = read('question,answer\n"How" long?,x\nWhy?,y\n')
    assert (found.error.line, found.error.field, found.error.found) == (
        2,
        "question",
        "text after the closing quote of a cell",
    )


def test_P30_an_empty_first_cell_and_a_quoted_last_one_stay_where_they_are() -> None:
    found = read('id,question,answer\n,How?,"a, b"\n')
    assert (found.query.id.startswith("q-"), found.query.answer) == (True, "a, b")


def test_P30_a_quote_that_is_never_closed_imports_nothing_by_half() -> None:
    error = refused('question,answer\nHow?,a\nWhy?,"b\nWhen?,c\n')
    assert (error.code, "line 3" in error.found) == ("open_quote", True)


def test_an_open_quote_is_given_up_at_the_limit_of_a_line() -> None:
    data = 'question,answer\nHow?,"' + "x\n" * 5000 + '"\n'
    assert refused(data, limits=Limits(line_bytes=1000)).code == "open_quote"


def test_F26_a_table_in_utf16_with_a_mark_is_read() -> None:
    found = read("id;question\r\n1;Käse 🧀?\r\n".encode("utf-16"))
    assert (found.format, found.query.question, found.reader.encoding) == ("table", "Käse 🧀?", "UTF-16LE")


def test_F26_a_latin1_cell_is_a_row_error_and_never_mojibake() -> None:
    found = read("id,question\n1,ok\n2,K\xe4se\n".encode("latin-1"))
    assert (found.error.line, "WINDOWS-1252" in found.error.remedy, len(found.queries)) == (3, True, 1)


def test_F26_a_table_with_lone_carriage_returns_is_explained() -> None:
    assert refused("id,question\r1,How?\r").code == "carriage_returns"


def test_F24_a_nul_in_a_cell_is_replaced_and_counted() -> None:
    found = read("id,question\n1,a\0b\n")
    assert (found.query.question, found.notices["bad_characters"].count) == ("a�b", 1)


def test_P39_the_same_id_with_another_question_is_a_row_error() -> None:
    found = read("id,question\nq1,How?\nq1,Why?\n")
    assert (found.error.line, found.error.field) == (3, "id")


def test_P31_one_bad_row_of_a_thousand_is_one_error() -> None:
    rows = [f"{n},Question {n}?,{'x' if n == 400 else 'yes'}\n" for n in range(1, 1001)]
    found = read("id,question,correct\n" + "".join(rows))
    assert (len(found.queries), found.error.line) == (999, 401)


def test_a_json_list_of_objects_of_no_known_tool_is_read_with_its_names() -> None:
    found = read(json.dumps([{"query": "How?", "completion": "So."}]), "table")
    assert (found.query.question, found.query.answer) == ("How?", "So.")


def test_a_preview_shows_rows_faults_and_the_mapping_it_would_use() -> None:
    shown = preview(b'sep=;\nquestion;Answer;x\nHow?;So.;1\nWhy?;b\n"open;')
    assert (shown.columns, shown.delimiter) == (["question", "Answer", "x"], ";")
    assert shown.mapping == {"question": "question", "answer": "Answer"}
    assert shown.rows == [{"question": "How?", "Answer": "So.", "x": "1"}]
    assert len(shown.faults) == 1
    assert shown.faults[0].startswith("Line 4:")
