"""Labels of claims that people gave elsewhere, read from CSV or JSON Lines. Pure: text in, rows and errors out.

One row a word: which query, which claim, what label, by whom; a chunk where the word is about one chunk alone.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from triage.core.labels import Support
from triage.core.records.faults import RowError

#: Field -> names it goes by, ours first.
NAMES = {
    "query": ("query", "query_id"),
    "claim": ("claim", "claim_text", "statement"),
    "chunk": ("chunk", "chunk_id"),
    "label": ("label", "human_label", "verdict"),
    "rater": ("rater", "reviewer", "annotator"),
}
NEEDED = ("query", "claim", "label", "rater")
#: Words that other tools write for ours.
WORDS = {
    "1": Support.SUPPORTED,
    "true": Support.SUPPORTED,
    "yes": Support.SUPPORTED,
    "entailment": Support.SUPPORTED,
    "0": Support.UNSUPPORTED,
    "false": Support.UNSUPPORTED,
    "no": Support.UNSUPPORTED,
    "neutral": Support.UNSUPPORTED,
    "contradiction": Support.CONTRADICTED,
    **{label.value: label for label in Support},
}
LABELS = ", ".join(Support)
MOST_CHARACTERS = {"query": 500, "chunk": 500, "rater": 200}


@dataclass(frozen=True, slots=True)
class HumanLabel:
    """One person's word on one claim; `chunk` blank = against the whole context."""

    line: int
    query: str
    claim: str
    chunk: str
    label: Support
    rater: str


def read_labels(text: str) -> tuple[list[HumanLabel], list[RowError]]:
    """Return the labels of a CSV (with a line of names) or JSON Lines text, and the rows that could not be read."""
    rows: list[HumanLabel] = []
    errors: list[RowError] = []
    for line, told in _rows(text.removeprefix("\ufeff")):
        found = told if isinstance(told, RowError) else _label(line, told)
        if isinstance(found, RowError):
            errors.append(found)
        else:
            rows.append(found)
    return rows, errors


def _rows(text: str) -> Iterator[tuple[int, Mapping[str, Any] | RowError]]:
    return _json_rows(text) if text.lstrip().startswith("{") else _csv_rows(text)


def _json_rows(text: str) -> Iterator[tuple[int, Mapping[str, Any] | RowError]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            told = None
        if isinstance(told, dict):
            yield number, told
        else:
            yield number, RowError(number, "line", _short(line), "one JSON object", "Write one object on each line.")


def _csv_rows(text: str) -> Iterator[tuple[int, Mapping[str, Any] | RowError]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        heads = set(reader.fieldnames or ())
        for field in NEEDED:
            if not heads & set(NAMES[field]):
                found, wanted = _short(", ".join(sorted(heads))), " or ".join(NAMES[field])
                yield 1, RowError(1, field, found, f"a column {wanted}", "Name the columns on the first line.")
                return
        for row in reader:
            yield reader.line_num, row
    except csv.Error as fault:
        at = reader.line_num + 1
        yield at, RowError(at, "line", str(fault), "a row of a CSV", "Put texts with quotes or commas in quotes.")


def _label(line: int, told: Mapping[str, Any]) -> HumanLabel | RowError:
    values = {field: _value(told, names) for field, names in NAMES.items()}
    for field in NEEDED:
        if not values[field]:
            return RowError(line, field, "nothing", "a text", f"Fill in {field}, or leave the row out.")
    for field, most in MOST_CHARACTERS.items():
        if len(values[field]) > most or "\x00" in values[field]:
            return RowError(line, field, _short(values[field]), f"at most {most} characters, no NUL", "Shorten it.")
    label = WORDS.get(values["label"].casefold())
    if label is None:
        return RowError(line, "label", _short(values["label"]), LABELS, "Write one of these words.")
    return HumanLabel(line, values["query"], values["claim"], values["chunk"], label, values["rater"])


def _value(told: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Return the first of the names that is filled, as text; numbers and yes or no as JSON writes them."""
    for name in names:
        value = told.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int | float):
            return json.dumps(value)
    return ""


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"
