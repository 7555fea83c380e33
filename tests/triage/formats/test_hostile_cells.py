"""Cells that hold code, bottomless lists or numbers beyond measure: a fault of their row under every reader.

What a table, a database or `repr` squeezed into one text is taken apart, never evaluated. Each reader is handed every
cell in every field where it takes such a text for a list, beside a sound row that must come through.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.triage.formats.reading import Read, read
from tests.triage.formats.zips import packed
from triage.formats import READERS
from triage.formats.names import plain as spelled_alike

Make = Callable[[str], str | bytes]

#: The file that would be there if a cell were run.
MARK = "ran"
CODE = f"__import__('pathlib').Path('{MARK}').touch()"
CELLS = {
    "a call": f"[{CODE}]",
    "a call in JSON": f'["a", {CODE}]',
    "a comprehension": f"[{CODE} for _ in (1,)]",
    "an f-string": f'[f"{{{CODE}}}"]',
    "a lambda": f"[(lambda: {CODE})()]",
    "a product": "['a' * 10**9]",
    "nesting": "[" * 10_000 + "]" * 10_000,
    "nesting in Python": "['a', " + "(" * 10_000 + ")" * 10_000 + "]",
    "a huge integer": "[" + "9" * 5_000 + "]",
    "a huge integer in Python": "['a', 1" + "0" * 5_000 + "]",
    "NaN as Python writes it": "[nan, 'a']",
    "cut off": "['a', 'b",
}
#: Numbers that JSON readers let through although JSON has none of them.
NUMBERS = {"NaN": "[NaN]", "infinity": "[Infinity]", "beyond a float": "[1e999]"}


def table(columns: list[str], hostile: list[str], sound: list[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([columns, hostile, sound])
    return text.getvalue()


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def ragas(column: str) -> Make:
    return lambda cell: table(["user_input", "response", column], ["How?", "So.", cell], ["Why?", "Because.", ""])


def old_ragas(column: str) -> Make:
    columns = ["question", "answer", *dict.fromkeys(["contexts", column])]
    rest = {"contexts": "['a']"}
    return lambda cell: table(
        columns,
        ["How?", "So.", *[cell if name == column else rest[name] for name in columns[2:]]],
        ["Why?", "Because.", *["" for _ in columns[2:]]],
    )


def plain(column: str) -> Make:
    return lambda cell: table(["question", "answer", column], ["How?", "So.", cell], ["Why?", "Because.", ""])


def task(name: str) -> Make:
    def make(cell: str) -> str:
        tasks = [{"question": "How?", "answer": "So.", name: cell}, {"question": "Why?"}]
        return json.dumps([{"id": n, "data": data, "annotations": []} for n, data in enumerate(tasks)])

    return make


def case(name: str) -> Make:
    return lambda cell: json.dumps({"testCases": [{"input": "How?", name: cell}, {"input": "Why?"}]})


def checked(name: str) -> Make:
    sound = {"query": "Why?", "response": "x", "gt_answer": "y", "retrieved_context": []}
    return lambda cell: json.dumps(
        {"results": [{**sound, "query_id": "1", "query": "How?", name: cell}, {**sound, "query_id": "2"}]}
    )


def query(name: str) -> Make:
    return lambda cell: lines(
        {"id": "1", "question": "How?", "retrieved": [], name: cell}, {"id": "2", "question": "Why?", "retrieved": []}
    )


def spans(cell: str) -> str:
    columns = ["span_kind", "parent_id", "context.trace_id", "attributes.input.value", "attributes.retrieval.documents"]
    return table(columns, ["RETRIEVER", "1", "t1", "How?", cell], ["CHAIN", "", "t2", "Why?", ""])


def observations(cell: str) -> str:
    columns = ["id", "trace_id", "type", "input", "output"]
    return table(columns, ["1", "t1", "RETRIEVER", "How?", cell], ["2", "t2", "SPAN", "Why?", "So."])


def exported_scores(cell: str) -> str:
    columns = ["id", "timestamp", "sessionId", "input", "output", "faithfulness"]
    return table(columns, ["1", "", "s", "How?", "So.", cell], ["2", "", "s", "Why?", "So.", "[0.5]"])


#: Reader -> the fields in which it takes a text for a list, each with a file whose first row holds the cell there.
FIELDS: dict[str, dict[str, Make]] = {
    "run_file": {name: query(name) for name in ("retrieved", "gold", "claims")},
    "ragas": {
        **{
            name: ragas(name)
            for name in ("retrieved_contexts", "retrieved_context_ids", "reference_contexts", "reference_context_ids")
        },
        **{name: old_ragas(name) for name in ("contexts", "ground_truths")},
    },
    "ragchecker": {name: checked(name) for name in ("retrieved_context", "response_claims")},
    "deepeval": {name: case(name) for name in ("retrievalContext", "context")},
    "openinference": {"retrieval.documents": spans},
    "langfuse": {"output": observations, "faithfulness": exported_scores},
    "label_studio": {name: task(name) for name in ("retrieved", "gold")},
    "table": {name: plain(name) for name in ("retrieved", "gold")},
}
PLACES = [(reader, name) for reader, fields in FIELDS.items() for name in fields]
#: Where a missing number is no fault: a score is missing then, and so is a reference.
MAY_BE_MISSING = {("langfuse", "faithfulness"), ("ragas", "ground_truths")}


def read_hostile(reader: str, name: str, cell: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Read the file in an empty folder; check that nothing was run and that the sound row came through."""
    monkeypatch.chdir(folder)
    found = read(FIELDS[reader][name](cell), reader)
    assert list(folder.iterdir()) == []
    assert "Why?" in [query.question for query in found.queries]
    return found


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS.keys())
@pytest.mark.parametrize(("reader", "name"), PLACES)
def test_a_hostile_cell_is_a_fault_of_its_row_and_never_evaluated(
    reader: str, name: str, cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = read_hostile(reader, name, cell, tmp_path, monkeypatch).error
    assert spelled_alike(error.field) == spelled_alike(name)
    assert len(error.found) < 300
    assert error.expected
    assert error.remedy


@pytest.mark.parametrize("cell", NUMBERS.values(), ids=NUMBERS.keys())
@pytest.mark.parametrize(("reader", "name"), PLACES)
def test_a_number_that_is_none_is_a_fault_or_missing_and_nobodys_text(
    reader: str, name: str, cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = read_hostile(reader, name, cell, tmp_path, monkeypatch)
    assert found.errors or (reader, name) in MAY_BE_MISSING
    assert {query.reference for query in found.queries} <= {None, "y"}
    assert {score.value for query in found.queries for score in query.scores} <= {None, 0.5}


def test_a_cell_without_brackets_is_the_text_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain table takes a bare text for one document: shown as it stands, run by nobody."""
    monkeypatch.chdir(tmp_path)
    assert list(read(plain("retrieved")(CODE), "table").chunks.values()) == [CODE]
    assert list(tmp_path.iterdir()) == []


def test_hostile_json_in_an_archive_is_a_fault_of_its_line() -> None:
    members = {
        "queries.jsonl": '{"_id": "1", "text": "Why?"}\n' + "[" * 10_000 + "\n" + f"{{'text': {CODE}}}\n",
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\n1\td\t1\n",
    }
    found = read(packed(members), "beir")
    assert ([query.question for query in found.queries], len(found.errors)) == (["Why?"], 2)


def test_hostile_columns_of_a_trec_run_are_faults_of_their_lines() -> None:
    found = read("1 Q0 a 1 2.5 t\n2 Q0 a 1 __import__('os') t\n3 Q0 a 1 nan t\n4 Q0 a 1 " + "9" * 5000 + " t\n", "trec")
    assert [query.id for query in found.queries] == ["1"]
    assert len(found.errors) == 3


def test_every_reader_is_in_the_table_above() -> None:
    assert FIELDS.keys() | {"beir", "trec"} == READERS.keys()
