"""BEIR: a data set folder as one zip, with the TREC run of a retriever in it, if there is one.

| member | becomes |
| --- | --- |
| `queries.jsonl` `_id`, `text` | `id`, `question` of the queries that the judgements or the run name |
| `qrels/test.tsv` (else `dev`, `train`, or the first) query-id, corpus-id, score | `gold` where the score is 1 or more |
| `*.trec`, `*.run` or `run*.txt`: a TREC run | `retrieved`, ordered by score, then by id, both descending (as trec_eval does) |
| `corpus.jsonl` `_id`, `title`, `text`, `metadata` | chunks that are gold or were retrieved; the rest of the corpus is left out |
| `__MACOSX`, `.DS_Store`, other members | left out |

Without a run `retrieved` is null (unknown). There are no answers: the queries stay undecided. Nothing is unpacked to
disk; encrypted, nested or doubled members, links and names that point outside refuse the archive.
"""  # noqa: E501 - a row of a table is one line

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from triage.core.records import RecordError, visible
from triage.formats.adapter import Adapter, Object
from triage.formats.archive import Archive
from triage.formats.errors import FileError
from triage.formats.json_rows import json_rows
from triage.formats.lines import lines
from triage.formats.run_file import Parsed, peek
from triage.formats.trec import JUDGEMENTS, number_of, ordered, query_of

_SPLITS = ("test", "dev", "train")
#: Lines of a run that are kept at once.
RUN_LINES = 2_000_000


class Beir(Adapter):
    """A BEIR zip being read."""

    title = "BEIR zip"

    def _objects(self) -> Iterator[Parsed]:
        self._archive = Archive(self._stream, self._limits)
        self._gold: dict[str, dict[str, float]] = {}
        self._run: dict[str, list[tuple[str, float]]] = {}
        self._tag = ""
        queries, judged, run = self._member("queries.jsonl"), self._judgements(), self._run_member()
        if not queries and not judged and not run:
            held = ", ".join(map(visible, self._archive.names[:10])) or "nothing"
            expected = "queries.jsonl with qrels/*.tsv, corpus.jsonl or a run"
            raise FileError("zip", f"a zip archive that holds {held}", expected, "Send the run file itself, unpacked.")
        faults = [*self._each(judged, self._judge), *self._each(run, self._rank)]
        if self._tag:
            yield Parsed(1, {"kind": "run", "pipeline": self._tag, "meta": {"producer": "BEIR"}})
        yield from faults
        yield from self._asked(queries)
        yield from self._texts(self._member("corpus.jsonl"))

    def _member(self, name: str) -> str:
        return next((path for path in self._archive.names if path.rsplit("/", 1)[-1] == name), "")

    def _judgements(self) -> str:
        names = [path for path in self._archive.names if "qrels" in path.lower() and path.endswith((".tsv", ".txt"))]
        ranked = [path for split in _SPLITS for path in names if split in path.rsplit("/", 1)[-1]]
        return next(iter([*ranked, *sorted(names)]), "")

    def _run_member(self) -> str:
        def is_run(name: str) -> bool:
            return name.endswith((".trec", ".run")) or (name.startswith("run") and name.endswith(".txt"))

        runs = [path for path in self._archive.names if is_run(path.rsplit("/", 1)[-1].lower())]
        if len(runs) > 1:
            raise FileError("two_runs", f"{len(runs)} runs in one zip", "one run", "Pack one zip for each run.")
        return runs[0] if runs else ""

    def _each(self, member: str, take: Any) -> Iterator[Parsed]:  # noqa: ANN401 - a method of this class
        """Hand every line of a text member to `take`; yield the faulty ones."""
        for line in lines(self._archive.blocks(member), self._limits.line_bytes) if member else ():
            cells = (line.data or b"").decode("utf-8", "replace").split()
            try:
                if cells:
                    take(cells, line.number)
            except RecordError as error:
                yield Parsed(line.number, _inside(member, error))

    def _judge(self, cells: list[str], number: int) -> None:
        if number == 1 and cells[-1] == "score":
            return
        if len(cells) not in (3, 4):
            raise RecordError("(whole line)", f"{len(cells)} columns", "query, document and score", "Complete it.")
        self._gold.setdefault(cells[0], {})[cells[-2]] = number_of(cells[-1], "score")
        if number > JUDGEMENTS:
            found, expected = f"over {JUDGEMENTS:,} judgements", f"at most {JUDGEMENTS:,}"
            raise FileError("qrels", found, expected, "Keep one split.")

    def _rank(self, cells: list[str], number: int) -> None:
        if len(cells) != 6:
            raise RecordError("(whole line)", f"{len(cells)} columns", "the 6 columns of a TREC run", "Complete it.")
        if number > RUN_LINES:
            found, expected = f"a run of over {RUN_LINES:,} lines", f"at most {RUN_LINES:,}"
            raise FileError("run_lines", found, expected, "Keep the best documents of each query.")
        self._tag = self._tag or cells[5]
        self._run.setdefault(cells[0], []).append((cells[2], number_of(cells[4], "score")))

    def _asked(self, member: str) -> Iterator[Parsed]:
        """Yield the queries that are judged or were run, then those that have no question."""
        wanted = {**dict.fromkeys(self._gold), **dict.fromkeys(self._run)}
        for number, row in self._objects_of(member):
            key = row.get("_id") if isinstance(row, dict) else None
            if isinstance(row, RecordError):
                yield Parsed(number, _inside(member, row))
            elif isinstance(key, str) and (key in wanted or not (self._gold or self._run)):
                wanted.pop(key, None)
                yield Parsed(number, self._query(key, str(row.get("text", ""))))
        yield from (Parsed(1, self._query(key, "")) for key in wanted)

    def _query(self, key: str, question: str) -> Object:
        found = self._run.get(key, [] if self._run else None)
        slots = None if found is None else [{"id": name, "score": score} for name, score in ordered(found)]
        return {**query_of(key, self._gold.get(key), question), "retrieved": slots}

    def _texts(self, member: str) -> Iterator[Parsed]:
        named = {name for found in self._run.values() for name, _ in found}
        named |= {name for grades in self._gold.values() for name, grade in grades.items() if grade >= 1}
        for number, row in self._objects_of(member):
            if isinstance(row, RecordError):
                yield Parsed(number, _inside(member, row))
            elif isinstance(row, dict) and row.get("_id") in named:
                meta = row.get("metadata")
                chunk = {"kind": "chunk", "id": row["_id"], "text": row.get("text"), "title": row.get("title") or ""}
                yield Parsed(number, {**chunk, "meta": meta if isinstance(meta, dict) else {}})

    def _objects_of(self, member: str) -> Iterator[tuple[int, Any]]:
        if member:
            head, blocks = peek(self._archive.blocks(member))
            yield from json_rows(head, blocks, self._limits)


def _inside(member: str, error: RecordError) -> RecordError:
    """Return a fault with the member it is in."""
    return RecordError(visible(f"{member}: {error.field}"), error.found, error.expected, error.remedy)
