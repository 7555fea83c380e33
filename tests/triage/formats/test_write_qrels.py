"""Gold as TREC judgements, and back."""

from __future__ import annotations

import pytest

from tests.triage.formats.reading import read
from triage.core.records import QueryRecord, Remarks, parse
from triage.formats.write_qrels import qrels_lines


def query_of(key: str, gold: list[str] | None) -> QueryRecord:
    record = parse({"id": key, "question": "x", "gold": gold}, Remarks())
    assert isinstance(record, QueryRecord)
    return record


def test_gold_goes_out_one_line_each_and_comes_back() -> None:
    text = "".join(qrels_lines([query_of("1", ["a", "b#2"]), query_of("2", None), query_of("3", ["c"])]))
    assert text == "1 0 a 1\n1 0 b#2 1\n3 0 c 1\n"
    assert {query.id: query.gold for query in read(text).queries} == {"1": ["a", "b#2"], "3": ["c"]}


@pytest.mark.parametrize(("key", "gold"), [("a b", "c"), ("a", "b c"), ("a", "b\nc")])
def test_an_id_with_white_space_cannot_be_written(key: str, gold: str) -> None:
    with pytest.raises(ValueError, match="white space"):
        list(qrels_lines([query_of(key, [gold])]))
