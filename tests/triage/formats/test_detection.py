"""A file is told by its content, never by its name; a wrong one is named."""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import pytest
import zstandard

from tests.triage.formats.reading import FILES, read, refused
from tests.triage.formats.zips import packed
from triage.formats import FORMATS, READERS, detect, open_run

HEADS: dict[str, list[Any]] = {
    "run_file": [
        {"kind": "run", "name": "x"},
        {"id": "1", "question": "x", "retrieved": [], "answer": "y"},
        {"id": "1", "question": "x", "gold": ["a"]},
        {"id": "1", "question": "x", "answer": "y", "reference": "z"},
    ],
    "ragas": [
        {"user_input": "x"},
        {"question": "x", "contexts": ["a"], "answer": "y"},
        {"question": ["x"], "contexts": [["a"]]},
        {"samples": [{"user_input": "x"}]},
    ],
    "ragchecker": [{"results": [{"query_id": "1", "query": "x", "gt_answer": "y", "retrieved_context": []}]}],
    "deepeval": [{"testFile": "t", "testCases": [{"input": "x"}]}, [{"input": "x", "actual_output": "y"}]],
    "openinference": [
        {"name": "q", "context": {"trace_id": "1"}, "span_kind": "CHAIN", "parent_id": None, "attributes": {}},
        {"resourceSpans": [{"scopeSpans": []}]},
        {"data": [{"span_kind": "CHAIN", "attributes": {}}], "next_cursor": None},
    ],
    "langfuse": [
        {"id": "1", "timestamp": "t", "sessionId": "s", "input": "x", "output": "y"},
        {"id": "1", "traceId": "t", "type": "SPAN"},
        {"id": "1", "trace_id": "t", "name": "n", "value": 1, "data_type": "NUMERIC"},
        {"id": "1", "input": "x", "observations": [], "scores": []},
    ],
    "label_studio": [[{"id": 1, "data": {"question": "x"}, "annotations": []}]],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in HEADS.items() for value in values])
@pytest.mark.parametrize("indent", [None, 2])
def test_json_is_told_by_the_keys_of_its_first_record(name: str, value: Any, indent: int | None) -> None:
    assert detect(json.dumps(value, indent=indent).encode()) == name


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("user_input,response\n", "ragas"),
        ("context.span_id,name,span_kind\n", "openinference"),
        ("id,trace_id,type,input\n", "langfuse"),
        ("question;answer\n", "table"),
        ("1 Q0 d1 1 2.0 bm25\n", "trec"),
        ("1 0 d1 1\n", "trec"),
        ("PK\3\4", "beir"),
        ("%PDF-1.7", "run_file"),
        ("", "run_file"),
        ("<html>", "run_file"),
    ],
)
def test_other_files_are_told_by_their_header_or_first_line(head: str, name: str) -> None:
    assert detect(head.encode()) == name


def test_a_first_record_that_is_cut_off_is_still_told() -> None:
    assert detect(json.dumps({"user_input": "x", "retrieved_contexts": ["y" * 9000]}).encode()[:4000]) == "ragas"


def test_keys_that_stand_inside_texts_tell_nothing() -> None:
    assert (
        detect(json.dumps({"id": 1, "question": '{"user_input": "testCases"}', "retrieved": []}).encode()) == "run_file"
    )


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress, lambda data: data.decode().encode("utf-16")])
def test_compression_and_encoding_do_not_hide_the_format(pack: Any) -> None:
    data = (FILES / "ragas_0_4.csv").read_bytes()
    found = read(pack(data))
    assert (found.format, len(found.queries)) == ("ragas", 3)


class ForwardOnly:
    """A stream as a socket gives it: no way back."""

    def __init__(self, data: bytes) -> None:
        self._inner = io.BytesIO(data)

    def read(self, size: int, /) -> bytes:
        return self._inner.read(min(size, 1000))


def test_a_stream_without_a_way_back_is_told_and_read_whole() -> None:
    name, reader = open_run(ForwardOnly((FILES / "label_studio.json").read_bytes()))
    assert (name, len(list(reader))) == ("label_studio", 3)


def test_a_zip_needs_a_way_back_and_says_so() -> None:
    assert "file" in refused_stream(packed({"queries.jsonl": "{}"}))


def refused_stream(data: bytes) -> str:
    """Return the remedy of a refusal of a stream that cannot go back."""
    from triage.formats import FileError

    with pytest.raises(FileError) as caught:
        list(open_run(ForwardOnly(data))[1])
    return caught.value.remedy


def test_the_format_can_be_said_against_what_it_looks_like() -> None:
    rows = json.dumps({"user_input": "How?", "response": "So."}) + "\n"
    assert read(rows).format == "ragas"
    found = read(rows, "table")
    assert (found.format, found.query.question, found.query.answer) == ("table", "How?", "So.")


BY_FORMAT: dict[str, bytes] = {
    "run_file": b'{"kind":"run","name":"r"}\n{"id":"1","question":"How?","retrieved":[]}\n',
    "ragas": (FILES / "ragas_0_4.csv").read_bytes(),
    "ragchecker": json.dumps(HEADS["ragchecker"][0]).encode(),
    "deepeval": (FILES / "deepeval_test_run.json").read_bytes(),
    "trec": (FILES / "run.trec").read_bytes(),
    "beir": packed({"queries.jsonl": '{"_id": "1", "text": "How?"}\n', "qrels/test.tsv": "q\td\ts\n1\td\t1\n"}),
    "openinference": (FILES / "otel_spans.json").read_bytes(),
    "langfuse": json.dumps(HEADS["langfuse"][0]).encode(),
    "label_studio": (FILES / "label_studio.json").read_bytes(),
    "table": b"question;answer\nHow?;So.\n",
}
#: (file, asked for) that are read all the same: whoever says the format has the last word, and the names are there.
READ_ANYWAY = {
    *(("run_file", "ragas"), ("ragas", "table"), ("ragchecker", "table"), ("langfuse", "table")),
    *(("langfuse", "deepeval"), ("table", "ragas")),
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("file", BY_FORMAT)
def test_a_file_under_the_wrong_format_names_the_likely_tool_and_the_fix(file: str, name: str) -> None:
    assert read(BY_FORMAT[file]).format == file
    if name == file or (file, name) in READ_ANYWAY:
        assert read(BY_FORMAT[file], name).queries
        return
    error = refused(BY_FORMAT[file], name)
    assert f"It looks like “{FORMATS[file][0]}”: leave the format out" in error.remedy


def test_a_workbook_under_the_wrong_format_is_no_beir_zip() -> None:
    error = refused(packed({"[Content_Types].xml": "", "xl/workbook.xml": ""}), "ragas")
    assert ("Excel" in error.found, "BEIR" in error.remedy) == (True, False)


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"%PDF-1.7\n", "PDF"),
        (b"<!doctype html><html>", "web page"),
        (b"\x80\x04pickle", "pickle"),
        (b"\xd0\xcf\x11\xe0", "Excel"),
        (b"SQLite format 3\0", "SQLite"),
    ],
)
@pytest.mark.parametrize("name", [name for name in READERS if name not in {"beir", "trec"}])
def test_F43_other_kinds_of_file_are_named_under_every_format(data: bytes, word: str, name: str) -> None:
    assert word in refused(data, name).found


def test_every_format_has_one_reader() -> None:
    assert FORMATS.keys() == READERS.keys()
    assert len(set(READERS.values())) == len(READERS)


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    error = refused(b"{}", "ragas9")
    assert all(name in error.expected for name in FORMATS)
