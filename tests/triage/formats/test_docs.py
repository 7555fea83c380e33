"""Every reader is documented with the very table its module opens with, and is offered by name."""

from __future__ import annotations

import re
import sys

import pytest

from tests.house.tree import ROOT
from tests.triage.formats.reading import Read, ids, read
from tests.triage.formats.zips import packed
from triage.formats import FORMATS, READERS, RunFile
from triage.formats.adapter import Adapter

DOC = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
ADAPTERS = {name: reader for name, reader in READERS.items() if reader is not RunFile}


@pytest.mark.parametrize(("name", "reader"), ADAPTERS.items())
def test_the_table_of_a_format_reads_the_same_in_its_module_and_in_the_docs(name: str, reader: type[RunFile]) -> None:
    documented = DOC.split("## Files of other tools")[1]
    opening = (sys.modules[reader.__module__].__doc__ or "").strip()
    assert f"(`{name}`)\n\n{opening}\n" in documented, f"copy the docstring of {reader.__module__} to docs/formats.md"
    assert "| --- |" in opening


@pytest.mark.parametrize(("name", "reader"), ADAPTERS.items())
def test_every_reader_has_a_name_for_people(name: str, reader: type[Adapter]) -> None:
    assert reader.title
    assert FORMATS[name][0]


def section(name: str) -> str:
    """Return the part of the document about a format of another tool."""
    return re.split(rf"\n### [^\n]*\(`{name}`\)\n", DOC)[1].split("\n### ")[0].split("\n# ")[0]


def example(name: str) -> bytes:
    """Return the example of a format as the file it shows; of an archive, all members shown."""
    if name != "beir":
        (block,) = re.findall(r"\n```\w+\n(.*?)```\n", section(name), re.DOTALL)
        return str(block).encode()
    members = re.findall(r"`([\w./]+)`[^`\n]*:\n\n```\w+\n(.*?)```", section(name), re.DOTALL)
    return packed(dict(members))


def shown(name: str) -> Read:
    """Return what the reader makes of the example; it must be told by its content and hold no fault."""
    found = read(example(name))
    assert (found.format, found.errors) == (name, [])
    return found


def test_the_first_example_is_a_run_file_that_is_read() -> None:
    found = read(re.findall(r"```json\n(.*?)```", DOC, re.DOTALL)[0])
    assert (found.format, found.errors, found.query.gold, ids(found.query.retrieved)) == (
        "run_file",
        [],
        ["refunds#1"],
        ["refunds#1"],
    )


@pytest.mark.parametrize("name", ADAPTERS)
def test_the_example_of_a_format_is_read_as_its_table_says(name: str) -> None:
    query = shown(name).query
    evaluated = name not in {"trec", "beir"}
    assert query.question == ("" if name == "trec" else "How long do refunds take?")
    assert query.answer == ("Two weeks." if evaluated else None)
    assert len(query.retrieved or ()) == (2 if name in {"ragas", "trec", "table"} else 1)
    assert query.reference == ("14 days." if name in {"ragas", "ragchecker", "deepeval", "table"} else None)
    assert query.gold == (None if evaluated else ["refunds-1"])


def test_what_only_some_tools_tell_is_read_from_their_examples() -> None:
    scores = {name: shown(name).query.scores for name in ("ragas", "ragchecker", "deepeval", "langfuse")}
    assert {name: (one.value, one.tool) for name, (one,) in scores.items()} == {name: (1.0, name) for name in scores}
    (claim,) = shown("ragchecker").query.claims or ()
    assert (claim.text, claim.verdicts[0].label) == ("Refunds take two weeks", "supported")
    assert shown("deepeval").query.correct is True
    task = shown("label_studio").query
    assert (task.id, task.correct, task.human[0].label) == ("q1", False, "still_wrong")
    row = shown("table").query
    assert (row.id, row.correct, row.slice) == ("q1", True, {"topic": "refunds"})
