"""What a file has said so far, over all its lines: ids, chunks, counts, notices and the hash of it all."""

from __future__ import annotations

from triage.core.records.chunk import ChunkRecord
from triage.core.records.content import Content, canonical_query
from triage.core.records.faults import RecordError
from triage.core.records.ledger import Details, Ledger, chunk_line, slots
from triage.core.records.notices import Notices, Remarks
from triage.core.records.parsing import AnyRecord
from triage.core.records.plain import AnyQuery, PlainQuery
from triage.core.records.repeats import Repeats
from triage.core.records.run import RunRecord
from triage.core.records.survey import Survey


class Book:
    """Takes in a file's records in order, in a few bytes per id. A record that is refused leaves no trace."""

    def __init__(self) -> None:
        self.notices = Notices()
        self.counts = {"run": 0, "chunk": 0, "query": 0}
        self._ledger, self._content, self._survey = Ledger(), Content(), Survey(self.notices)
        self._repeats = Repeats()
        self._run_line = 0

    def take(
        self, record: AnyRecord | PlainQuery, remarks: Remarks, line: int, *, first: bool
    ) -> dict[str, Details] | None:
        """Take in a record; return what it was the first to say about chunks, or None for a repeat.

        Raises:
            RecordError: its id or a chunk of it contradicts an earlier line, or it is a run on a later line.
        """
        if isinstance(record, RunRecord):
            self._take_run(record, line, first=first)
            self.notices.take(remarks, "run")
            return {}
        new = self._take_chunk(record, line) if isinstance(record, ChunkRecord) else self._take_query(record, line)
        if new is None:
            self.notices.add("duplicate_line", (f"line {line}",))
        else:
            self.notices.take(remarks, record.id)
        return new

    def _take_run(self, run: RunRecord, line: int, *, first: bool) -> None:
        if self._run_line or not first:
            found = f"a second run, after line {self._run_line}" if self._run_line else f"a run on line {line}"
            raise RecordError("kind", found, "one run, on the first line", "Make it the first line of its own file.")
        self.counts["run"], self._run_line = 1, line
        self._content.add_run(run)
        self._survey.see_run(run)

    def _take_chunk(self, chunk: ChunkRecord, line: int) -> dict[str, Details] | None:
        mentions = chunk_line(chunk)
        new = self._learn(chunk, mentions, chunk.model_dump_json(exclude_defaults=True).encode(), line)
        if new is not None:
            self.counts["chunk"] += 1
            self._ledger.mention(mentions)
        return new

    def _take_query(self, query: AnyQuery, line: int) -> dict[str, Details] | None:
        mentions, body = slots(query.retrieved or ()), canonical_query(query)
        new = self._learn(query, mentions, body, line)
        if new is not None:
            self.counts["query"] += 1
            self._ledger.mention(mentions)
            self._ledger.mention(query.gold or ())
            self._content.add_query(body)
            self._survey.see_query(query)
        return new

    def _learn(
        self, record: AnyQuery | ChunkRecord, mentions: dict[str, Details], body: bytes, line: int
    ) -> dict[str, Details] | None:
        learned = self._ledger.compare(mentions)
        if self._repeats.seen(record, body, line):
            return None
        self._ledger.take(learned)
        for fact in learned.facts():
            self._content.add_fact(fact)
        if learned.differing:
            self.notices.add("chunk_details_differ", learned.differing)
        return learned.new

    def content_hash(self) -> bytes:
        """Return the hash of what was taken in."""
        return self._content.digest()

    def close(self) -> None:
        """Add the notices that need the whole file."""
        self._survey.finish(self._ledger)
