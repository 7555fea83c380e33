"""Every reader is documented with the very table its module opens with, and is offered by name."""

from __future__ import annotations

import sys

import pytest

from tests.house.tree import ROOT
from triage.formats import FORMATS, READERS, RunFile
from triage.formats.adapter import Adapter

ADAPTERS = {name: reader for name, reader in READERS.items() if reader is not RunFile}


@pytest.mark.parametrize(("name", "reader"), ADAPTERS.items())
def test_the_table_of_a_format_reads_the_same_in_its_module_and_in_the_docs(name: str, reader: type[RunFile]) -> None:
    documented = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8").split("## Files of other tools")[1]
    opening = (sys.modules[reader.__module__].__doc__ or "").strip()
    assert f"(`{name}`)\n\n{opening}\n" in documented, f"copy the docstring of {reader.__module__} to docs/formats.md"
    assert "| --- |" in opening


@pytest.mark.parametrize(("name", "reader"), ADAPTERS.items())
def test_every_reader_has_a_name_for_people(name: str, reader: type[Adapter]) -> None:
    assert reader.title
    assert FORMATS[name][0]
