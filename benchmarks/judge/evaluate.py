"""Measure the judges on human labels and write the tables of docs/judges.md.

Run from the root of the repository: `python -m benchmarks.judge.evaluate [TABLE ...]`; all but `pruning`, which
reads 22,477 pairs more, take some 15 minutes on an idle core. Where torch is installed, the fp16 checkpoint gets rows
of its own. Each table is written as soon as it is measured.
Needs the folder of human-labelled data (RAG_TRIAGE_SHARED, default ../shared) and the dev extras.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.judge import pruning, speed, tables
from triage.core.judging import GroundingJudge, RelevanceJudge
from triage.judges.embedded import EmbeddedGrounding, EmbeddedRelevance
from triage.judges.lexical import LexicalGrounding, LexicalRelevance

PAGE = Path(__file__).resolve().parents[2] / "docs" / "judges.md"


def main(wanted: list[str]) -> None:
    """Measure the tables of these names, all where none is named, and write each between its marks of the page."""
    grounding: dict[str, GroundingJudge] = {"lexical": LexicalGrounding(), "embedded": EmbeddedGrounding()}
    relevance: dict[str, RelevanceJudge] = {"lexical": LexicalRelevance(), "embedded": EmbeddedRelevance()}
    checkpoint = speed.checkpoint()
    if not checkpoint:
        print("No rows for the fp16 checkpoint: " + speed.NO_CHECKPOINT, flush=True)
    make: dict[str, Callable[[], list[str]]] = {
        "grounding": lambda: tables.grounding_table({**grounding, **checkpoint}),
        "contradictions": lambda: tables.contradiction_table(grounding),
        "relevance": lambda: tables.relevance_table(relevance),
        "speed": speed.table,
        "labels": lambda: tables.label_table(grounding),
        "answers": lambda: tables.mtrag_table({**grounding, **checkpoint}),
        "pruning": pruning.table,
    }
    for name in wanted or list(make):
        lines = make[name]()
        print("\n".join([f"\n{name}", *lines]), flush=True)
        PAGE.write_text(between(PAGE.read_text(encoding="utf-8"), name, lines), encoding="utf-8")


def between(page: str, name: str, lines: list[str]) -> str:
    """Return the page with these lines between the marks of this name. Raises ValueError without marks."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(page):
        raise ValueError(f"docs/judges.md has no marks {begin}")
    return pattern.sub(lambda _: "\n".join([begin, *lines, end]), page)


if __name__ == "__main__":
    main(sys.argv[1:])
