"""TREC: a run of six columns, relevance judgements (qrels) of four, or both in one file, judgements first.

| TREC | becomes |
| --- | --- |
| run: topic, `Q0`, document, rank, score, tag | `id`, -, `retrieved` id, -, `score`, `pipeline` of the run |
| qrels: topic, iteration, document, grade | `id`, -, `gold` where the grade is 1 or more, - |
| (no question) | `question` blank: relevance to it cannot be scored |
| (no answer) | `answer` null, `correct` null: the queries stay undecided |

Documents are ordered by score, then by document id, both descending, as trec_eval does (scores compared in single
precision, ids byte by byte). The rank column is not used; a notice counts the topics whose order it would change. A
topic must stand in one piece. A judged topic that is not in the run retrieved nothing. To read both files, put them
into one: `cat qrels.txt run.txt`; with questions and texts, use a BEIR zip.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import Any

from triage.core.records import WHOLE_LINE, RecordError, visible
from triage.formats.adapter import Adapter, Object
from triage.formats.errors import FileError
from triage.formats.lines import lines
from triage.formats.run_file import Parsed, peek

#: Judged topics and documents kept while the run is read.
JUDGEMENTS = 2_000_000


def single(score: float) -> float:
    """Return a score in the single precision in which trec_eval compares."""
    try:
        return float(struct.unpack("f", struct.pack("f", score))[0])
    except OverflowError:
        return math.copysign(math.inf, score)


def ordered(found: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """Return documents by score, then by id, both descending, as trec_eval does."""
    return sorted(found, key=lambda item: (single(item[1]), item[0].encode()), reverse=True)


def number_of(text: str, field: str) -> float:
    """Return a finite number.

    Raises:
        RecordError: it is none.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise RecordError(field, f"“{visible(text)}”", "a finite number", "Write a number with a decimal point.")
    return value


class Trec(Adapter):
    """A TREC file being read."""

    title = "TREC run or qrels"

    def _objects(self) -> Iterator[Parsed]:
        self._gold: dict[str, dict[str, float]] = {}
        self._judged = 0
        self._judged_on: dict[str, int] = {}
        self._tag, self._topic, self._begin = "", "", 0
        self._found: list[tuple[str, float]] = []
        self._ranks: list[float] = []
        self._done: set[str] = set()
        for number, cells in self._cells():
            try:
                yield from self._take(number, cells)
            except RecordError as error:
                yield Parsed(number, error)
        yield from self._flush()
        yield from self._not_in_the_run()

    def _cells(self) -> Iterator[tuple[int, list[str]]]:
        _, blocks = self._as_text(*peek(self._source.blocks()))
        for line in lines(blocks, self._limits.line_bytes):
            text = (line.data or b"").decode("utf-8", "replace")
            if text.strip() and not text.startswith("#"):
                yield line.number, text.split()

    def _take(self, number: int, cells: list[str]) -> Iterator[Parsed]:
        if len(cells) == 4:
            self._judge(number, cells)
        elif len(cells) == 6:
            yield from self._rank(number, cells)
        else:
            expected = "6 columns (run) or 4 (qrels), separated by white space"
            raise RecordError(WHOLE_LINE, f"{len(cells)} columns", expected, "Remove the line, or complete it.")

    def _judge(self, number: int, cells: list[str]) -> None:
        topic, _, document, grade = cells
        if self._tag:
            remedy = "Put the judgements first: cat qrels.txt run.txt."
            raise FileError("qrels_after_run", "judgements after the run", "the judgements before it", remedy)
        value = number_of(grade, "relevance")
        self._judged += 1
        if self._judged > JUDGEMENTS:
            remedy = "Keep the topics of this run."
            raise FileError("qrels", f"over {JUDGEMENTS:,} judgements", f"at most {JUDGEMENTS:,}", remedy)
        self._gold.setdefault(topic, {})[document] = value
        self._judged_on.setdefault(topic, number)

    def _rank(self, number: int, cells: list[str]) -> Iterator[Parsed]:
        topic, _, document, rank, score, tag = cells
        if not self._tag:
            self._tag = tag
            yield Parsed(number, {"kind": "run", "pipeline": tag, "meta": {"producer": "TREC run"}})
        if tag != self._tag:
            expected = f"one run in a file: “{visible(self._tag)}”"
            raise RecordError("tag", f"“{visible(tag)}”", expected, "Split the file by its last column.")
        place, value = number_of(rank, "rank"), number_of(score, "score")
        if topic != self._topic:
            yield from self._flush()
            if topic in self._done:
                remedy = "Sort the file by topic."
                raise RecordError(
                    "topic", f"“{visible(topic)}” again, apart from its lines", "a topic in one piece", remedy
                )
            self._topic, self._begin = topic, number
        if len(self._found) <= self._limits.chunks:
            self._found.append((document, value))
            self._ranks.append(place)

    def _flush(self) -> Iterator[Parsed]:
        """Yield the topic that was read to its end."""
        if not self._topic:
            return
        topic, found = self._topic, ordered(self._found)
        by_rank = [item for _, item in sorted(zip(self._ranks, self._found, strict=True), key=lambda pair: pair[0])]
        if [name for name, _ in by_rank] != [name for name, _ in found]:
            self.note("trec_order", topic)
        self._done.add(topic)
        self._topic, self._found, self._ranks = "", [], []
        slots = [{"id": name, "score": score} for name, score in found]
        yield Parsed(self._begin, {**self._query(topic), "retrieved": slots})

    def _not_in_the_run(self) -> Iterator[Parsed]:
        for topic in self._gold:
            if topic not in self._done:
                yield Parsed(self._judged_on[topic], {**self._query(topic), "retrieved": [] if self._tag else None})

    def _query(self, topic: str) -> Object:
        return query_of(topic, self._gold.get(topic))


def query_of(topic: str, grades: dict[str, float] | None, question: str = "") -> dict[str, Any]:
    """Return the query of a topic; documents of grade 1 or more are gold."""
    gold = None if grades is None else [name for name, grade in grades.items() if grade >= 1]
    return {"id": topic, "question": question, "gold": gold}
