"""Measure the judges on human labels and write the tables of docs/judges.md.

Run from the root of the repository: `python -m benchmarks.judge.evaluate` (about 10 minutes on one idle core).
Needs the folder of human-labelled data (RAG_TRIAGE_SHARED, default ../shared) and the dev extras.
"""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.judge import speed, tables
from triage.core.judging import GroundingJudge, RelevanceJudge
from triage.judges.embedded import EmbeddedGrounding, EmbeddedRelevance
from triage.judges.lexical import LexicalGrounding, LexicalRelevance

PAGE = Path(__file__).resolve().parents[2] / "docs" / "judges.md"


def main() -> None:
    """Measure everything and write it between the marks of the page."""
    grounding: dict[str, GroundingJudge] = {"lexical": LexicalGrounding(), "embedded": EmbeddedGrounding()}
    checkpoint = speed.checkpoint()
    relevance: dict[str, RelevanceJudge] = {"lexical": LexicalRelevance(), "embedded": EmbeddedRelevance()}
    made = {
        "grounding": tables.grounding_table({**grounding, **checkpoint}),
        "contradictions": tables.contradiction_table(grounding),
        "answers": tables.mtrag_table(grounding),
        "labels": tables.label_table(grounding),
        "relevance": tables.relevance_table(relevance),
        "speed": speed.table(),
    }
    page = PAGE.read_text(encoding="utf-8")
    for name, lines in made.items():
        print("\n".join([f"\n{name}", *lines]))
        page = between(page, name, lines)
    PAGE.write_text(page, encoding="utf-8")


def between(page: str, name: str, lines: list[str]) -> str:
    """Return the page with these lines between the marks of this name. Raises ValueError without marks."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(page):
        raise ValueError(f"docs/judges.md has no marks {begin}")
    return pattern.sub(lambda _: "\n".join([begin, *lines, end]), page)


if __name__ == "__main__":
    main()
