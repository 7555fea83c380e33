"""The release note in every format, word for word; and what hostile names may not do to it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.core.csv_text import to_csv
from labeling.core.html_page import to_html
from labeling.core.markdown import markdown_code, markdown_text, to_markdown
from labeling.core.note_document import document
from labeling.core.note_export import as_json, to_json, to_table
from labeling.core.tables import Column, Missing, Number, Table, Text, spelled
from tests.labeling.note_example import HOSTILE, note
from triage.core.formula import harmless

GOLDEN = Path(__file__).parent / "golden"
RENDERED: dict[str, Callable[[], str]] = {
    "release_note.md": lambda: to_markdown(document(note())),
    "release_note.csv": lambda: to_csv(to_table(note())),
    "release_note.json": lambda: to_json(note()),
    "release_note.html": lambda: to_html(document(note())),
    "release_note_bare.md": lambda: to_markdown(document(note(bare=True))),
    "release_note_bare.csv": lambda: to_csv(to_table(note(bare=True))),
    "release_note_hostile.md": lambda: to_markdown(document(note(release=HOSTILE))),
    "release_note_hostile.csv": lambda: to_csv(to_table(note(release=HOSTILE))),
    "release_note_hostile.html": lambda: to_html(document(note(release=HOSTILE))),
}


@pytest.mark.parametrize("name", RENDERED)
def test_the_text_is_word_for_word_the_golden_one(name: str) -> None:
    assert RENDERED[name]() == (GOLDEN / name).read_bytes().decode("utf-8")


@pytest.mark.parametrize("name", RENDERED)
def test_no_format_ever_prints_nan_none_or_a_negative_zero(name: str) -> None:
    assert not re.search(r"\b(?:nan|None|inf)\b|(?<![\d.])-0(\.0+)?(?![\d.])", RENDERED[name]())


def test_json_keys_are_the_contract() -> None:
    body = as_json(note())
    assert {
        "run", "release", "population", "policy", "judges", "gold_version", "rows", "agreement", "closure", "metrics",
    } <= body.keys()  # fmt: skip
    for row in body["rows"]:
        assert {
            "class", "automatic", "reviewed", "confirmed", "corrected", "low", "high", "share", "previous", "change",
        } <= row.keys()  # fmt: skip
    assert [row["class"] for row in body["rows"]] == [
        "retrieval_miss",
        "unsupported_claims",
        "grounded_wrong_question",
        "still_wrong",
        "unscored",
        "not_a_failure",
        "total",
        "missed_failure",
    ]
    assert json.loads(to_json(note())) == json.loads(json.dumps(body))


def test_a_value_that_does_not_exist_has_a_named_state() -> None:
    for row in as_json(note(bare=True))["rows"]:
        for key in ("corrected", "previous"):
            if row[key] is None and row["class"] != "unscored":
                assert row["states"][key] in ("no draw", "no previous", "not audited")


def test_SEC20_csv_cells_never_start_a_formula_and_numbers_stay_numbers() -> None:
    table = Table(
        (Column("text"), Column("number", is_number=True)),
        ((Text("=1+1"), Number(-2.5, "-2.5")), (Text("fine"), Number(-3, "-3")), (Missing("n/a"), Number(0.1, ""))),
    )
    rows = list(csv.reader(io.StringIO(to_csv(table))))
    assert rows == [["text", "number"], ["'=1+1", "-2.5"], ["fine", "-3"], ["n/a", "0.1"]]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
@pytest.mark.parametrize("before", ["", " ", '"', "'", "\ufeff", ' " '])
def test_SEC20_every_dangerous_start_is_neutralised(start: str, before: str) -> None:
    assert harmless(f"{before}{start}cmd").startswith("'")


@given(st.text())
def test_SEC20_a_csv_row_is_read_back_as_one_row(words: str) -> None:
    rows = list(csv.reader(io.StringIO(to_csv(Table((Column("a"),), ((Text(words.replace("\0", "")),),))), newline="")))
    assert len(rows) == 2 or not words.strip()


@given(st.text(alphabet="ab@#|`<>[]()!\n\r\\*_~$&:/.w1 ", max_size=40))
def test_SEC20_markdown_text_breaks_no_table_and_pings_nobody(words: str) -> None:
    text = markdown_text(words)
    assert "\n" not in text
    assert not re.search(r"[@#][\w\"]", text)
    assert "<" not in text
    assert not re.search(r"(?<!\\)(\\\\)*[|`\[\]*_~$]", text)
    assert "://" not in text or "http" not in text


@given(st.text(alphabet="a`|\n ", min_size=1, max_size=20))
def test_SEC20_a_code_span_is_not_ended_by_its_own_backticks(words: str) -> None:
    code = markdown_code(words)
    if not code:
        assert not words.split()
        return
    fence = re.match("`+", code)
    assert fence is not None
    inner = code[len(fence[0]) : -len(fence[0])]
    assert code.endswith(fence[0])
    assert fence[0] not in re.findall("`+", inner)


class Tags(HTMLParser):
    """Collects the tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)


def test_a_hostile_name_adds_no_tag_to_the_html() -> None:
    plain, hostile = Tags(), Tags()
    plain.feed(to_html(document(note())))
    hostile.feed(to_html(document(note(release=HOSTILE))))
    assert plain.seen == hostile.seen
    assert "a" not in hostile.seen
    assert "script" not in hostile.seen


def test_the_lines_of_a_markdown_table_all_have_the_same_columns() -> None:
    for line in RENDERED["release_note_hostile.md"]().splitlines():
        assert len(re.split(r"(?<!\\)\|", line)) in (1, 12, 8, 7)


@pytest.mark.parametrize(
    ("value", "places", "shown"),
    [(-0.0001, 1, "0.0"), (-0.0, 0, "0"), (-4.14, 1, "−4.1"), (22400, 0, "22,400"), (0.5, 3, "0.500")],
)
def test_numbers_are_spelled_one_way(value: float, places: int, shown: str) -> None:
    assert spelled(value, places) == shown


def test_a_signed_number_says_its_sign_and_zero_has_none() -> None:
    assert [spelled(value, 1, signed=True) for value in (1.5, -1.5, 0.0, -0.01)] == ["+1.5", "−1.5", "0.0", "0.0"]
