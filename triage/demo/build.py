"""Write the demo's run files: `python -m triage.demo.build`.

Reads triage/demo/source/, draws everything else from a fixed seed, and writes one JSON Lines file per run. The
same sources always give the same bytes; the written files are committed, and a test compares.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from triage.demo.arms import ARMS, Arm
from triage.demo.assemble import Desk, query_record
from triage.demo.corpus import load_corpus
from triage.demo.noise import unit
from triage.demo.questions import Answer, Question, load_answers, load_questions
from triage.demo.ranking import Index

FOLDER = Path(__file__).resolve().parent
#: What the splitter of the invented pipeline aims at, in tokens.
CHUNK_TOKENS = 110


def files() -> dict[str, str]:
    """Return file name -> whole text of every run file, in the order of the arms."""
    corpus = load_corpus()
    desk = Desk(corpus, Index(corpus.values()))
    questions = load_questions()
    return {f"tallyrook_{arm.key}.jsonl": _file(desk, arm, questions) for arm in ARMS}


def _file(desk: Desk, arm: Arm, questions: list[Question]) -> str:
    return "".join(_line(record) for record in _records(desk, arm, questions))


def _records(desk: Desk, arm: Arm, questions: list[Question]) -> Iterator[dict[str, Any]]:
    yield arm.record(CHUNK_TOKENS)
    for chunk in desk.corpus.values():
        yield chunk.record()
    served = load_answers("2026_11")
    answers = served | load_answers("gold_only") if arm.gold_only else load_answers(arm.key)
    for question in questions:
        yield query_record(desk, arm, question, answers[question.id], _origins(question, served[question.id], desk))


def _origins(question: Question, served: Answer, desk: Desk) -> dict[str, list[str]]:
    """Return who found each gold chunk: people for what the retriever never returned, mostly both retrievers else."""
    origins: dict[str, list[str]] = {}
    for chunk in question.gold or ():
        if served.ranks.get(chunk) == 0 or chunk not in desk.corpus:
            origins[chunk] = ["human"]
            continue
        drawn = unit("pool", question.id, chunk)
        found = ["bm25", "dense-e2"] if drawn < 0.62 else ["dense-e2"] if drawn < 0.85 else ["bm25"]
        confirmed = unit("confirmed", question.id, chunk) < 0.3
        origins[chunk] = [*found, "human"] if confirmed else found
    return origins


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


def main() -> None:
    """Write the files beside this module and say what was written."""
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
        sys.stdout.write(f"{name}: {text.count(chr(10))} lines, {len(text.encode()) / 1024:.0f} kB\n")


if __name__ == "__main__":
    main()
