"""Each promise about safety and faults stands in the docs with the tests that keep it, and those tests exist."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.house.tree import ROOT, parse, tracked

#: Document -> the ids its table has to have, as (in the table, in the name of a test).
TABLES = {
    "docs/security.md": [(f"SEC-{number:02}", f"SEC{number:02}") for number in range(1, 25)],
    "docs/reliability.md": [(f"F-{number:02}", f"F{number:02}") for number in range(1, 55)],
}
IDS = [(document, *pair) for document, pairs in TABLES.items() for pair in pairs]


@cache
def names_of_tests() -> frozenset[str]:
    """Return the name of every test."""
    files = [path for path in tracked() if path.parts[0] == "tests" and path.suffix == ".py"]
    functions = [node for path in files for node in ast.walk(parse(path)) if isinstance(node, ast.FunctionDef)]
    return frozenset(node.name for node in functions if node.name.startswith("test_"))


@cache
def table(document: str) -> dict[str, list[str]]:
    """Return id -> the other cells of its row: promise, tests, limits."""
    rows = re.findall(r"^\| ((?:SEC|F)-\d\d) \|(.*)\|$", (ROOT / document).read_text(encoding="utf-8"), re.MULTILINE)
    return {key: [cell.strip() for cell in re.split(r"(?<!\\)\|", cells)] for key, cells in rows}


@pytest.mark.parametrize("document", TABLES)
def test_every_id_has_one_row_and_there_is_no_other(document: str) -> None:
    assert list(table(document)) == [key for key, _ in TABLES[document]]


@pytest.mark.parametrize(("document", "key", "word"), IDS, ids=[word for _, _, word in IDS])
def test_a_promise_is_kept_by_a_test_of_its_name_or_a_reason_is_written(document: str, key: str, word: str) -> None:
    promise, named, limits = table(document)[key]
    assert promise
    kept = [name for name in re.findall(r"`(test_\w+)`", named) if re.search(rf"_{word}(?=_)", name)]
    assert kept or limits, f"{key}: name a test with {word} in its name, or write why there is none"


@pytest.mark.parametrize("document", TABLES)
def test_every_test_that_is_named_exists(document: str) -> None:
    named = {name for cells in table(document).values() for name in re.findall(r"`(test_\w+)`", " ".join(cells))}
    assert not named - names_of_tests(), "renamed or gone: mend the table"


@pytest.mark.parametrize("document", TABLES)
def test_what_is_counted_as_more_is_there(document: str) -> None:
    words = dict(TABLES[document])
    for key, (_, named, _) in table(document).items():
        of_its_name = {name for name in names_of_tests() if re.search(rf"_{words[key]}(?=_)", name)}
        told = len(re.findall(r"`test_\w+`", named))
        more = re.search(r"and (\d+) more", named)
        assert not more or len(of_its_name) >= told + int(more[1]), f"{key}: {len(of_its_name)} tests"
