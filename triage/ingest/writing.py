"""One file being read into rows, inside one transaction that its caller holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from django.conf import settings
from django.db import connection

from triage.core.collector import frozen
from triage.core.records import ChunkRecord, Notice, RunRecord
from triage.core.records.plain import AnyQuery
from triage.formats import Item, RunFile
from triage.ingest import references
from triage.ingest.ahead import Ahead
from triage.ingest.beat import Beat
from triage.ingest.corpus import Corpus
from triage.ingest.rows import Writer
from triage.models import Run, Upload
from triage.signals import run_ingested

#: A batch also ends once its lines have this many bytes, so that memory stays flat with long answers.
BATCH_BYTES = 16 * 1024**2
#: A batch also ends once this many chunks were described.
BATCH_CHUNKS = 2_000
#: Citations that named no chunk when they were written: a chunk described later, else a whole document, else nothing.
_LATE_CHUNKS = """
    UPDATE triage_citation AS citation SET chunk_id = chunk.id
    FROM triage_claim AS claim, triage_query AS query, triage_runchunk AS held, triage_chunk AS chunk
    WHERE citation.chunk_id IS NULL AND claim.id = citation.claim_id AND query.id = claim.query_id
      AND query.run_id = %(run)s AND held.run_id = %(run)s AND chunk.id = held.chunk_id AND chunk.key = citation.cited
"""
_WHOLE_DOCUMENTS = """
    UPDATE triage_citation AS citation SET whole_document = true
    FROM triage_claim AS claim, triage_query AS query
    WHERE citation.chunk_id IS NULL AND claim.id = citation.claim_id AND query.id = claim.query_id
      AND query.run_id = %(run)s AND citation.cited <> '' AND citation.cited IN (
        SELECT chunk.document FROM triage_runchunk AS held JOIN triage_chunk AS chunk ON chunk.id = held.chunk_id
        WHERE held.run_id = %(run)s)
"""


@dataclass(slots=True)
class Batch:
    """Records waiting to be written together."""

    queries: list[AnyQuery] = field(default_factory=list)
    #: Chunk id -> what was newly said of it; nothing where it was only named.
    chunks: dict[str, dict[str, Any]] = field(default_factory=dict)
    size: int = 0

    def add(self, item: Item) -> None:
        """Take in a record."""
        self.size += item.size
        if isinstance(item.record, ChunkRecord):
            self.chunks.setdefault(item.record.id, {})
        elif isinstance(item.record, AnyQuery):
            self.queries.append(item.record)
            for slot in item.record.retrieved or ():
                self.chunks.setdefault(slot.id, {})
        for key, details in item.chunks.items():
            self.chunks.setdefault(key, {}).update(details)

    @property
    def is_full(self) -> bool:
        """Say whether it is time to write it."""
        return (
            len(self.queries) >= settings.INGEST_BATCH_QUERIES
            or self.size >= BATCH_BYTES
            or len(self.chunks) >= BATCH_CHUNKS + 20 * len(self.queries)
        )


class RunWriter:
    """Reads a file to its end and leaves the rows of one run behind. All of it happens in the caller's transaction."""

    def __init__(self, upload: Upload, file: RunFile, beat: Beat) -> None:
        self._upload, self._file, self._beat = upload, file, beat
        file.quick = True
        self._head: RunRecord | None = None
        # The hash is known at the end only; until then random bytes stand in, so that no two runs collide.
        self.run = Run.objects.create(
            project=upload.project, name=upload.file_name, content_hash=os.urandom(32), created_by=upload.created_by
        )
        self._corpus = Corpus(self.run.pk, upload.project_id)
        self._rows = Writer(self.run.pk, self._corpus, upload.project.policy())

    def write(self) -> bytes:
        """Write everything but the run's own facts; return the content hash.

        Raises:
            FileError: the file is refused. The caller rolls back.
            CancelledError: the import was cancelled. The caller rolls back.
        """
        with frozen(), references.unchecked(), Ahead(self._batches()) as batches:
            for batch in batches:
                self._beat.tell(self._file.bytes_taken, self._file.lines)
                if batch is not None:
                    self._flush(batch)
        tally = self._rows.tally
        references.check(
            self.run.pk,
            {
                "queries": tally.queries,
                "slots": tally.slots,
                "claims": tally.claims,
                "citations": tally.citations,
                "chunks": len(self._corpus),
            },
        )
        return self._file.content_hash()

    def _batches(self) -> Iterator[Batch]:
        batch = Batch()
        for item in self._items():
            batch.add(item)
            if batch.is_full:
                yield batch
                batch = Batch()
        yield batch

    def _items(self) -> Iterator[Item]:
        for item in self._file:
            if not isinstance(item, Item):
                continue
            if isinstance(item.record, RunRecord):
                self._head = item.record
            else:
                yield item

    def _flush(self, batch: Batch) -> None:
        self._corpus.add(batch.chunks)
        self._rows.write(batch.queries)

    def finish(self, digest: bytes) -> Run:
        """Complete the run's row and what only the whole file tells; announce the run."""
        self._corpus.forget_replaced()
        if self._rows.tally.loose_citations:
            with connection.cursor() as cursor:
                cursor.execute(_LATE_CHUNKS, {"run": self.run.pk})
                cursor.execute(_WHOLE_DOCUMENTS, {"run": self.run.pk})
        self._describe(self._head or RunRecord(), digest)
        self.run.save()
        run_ingested.send(sender=Run, run_id=self.run.pk)
        return self.run

    def _describe(self, head: RunRecord, digest: bytes) -> None:
        run, about = self.run, head.evaluation_set
        run.name = head.name or name_of(self._upload.file_name)
        run.pipeline, run.release, run.config, run.started_at = (
            head.pipeline,
            head.release,
            head.config,
            head.started_at,
        )
        run.evaluation_set = about.name[:300] if about else ""
        run.evaluation_set_facts = about.model_dump(mode="json", exclude_defaults=True) if about else {}
        run.prices = head.prices.model_dump(mode="json", exclude_defaults=True) if head.prices else {}
        run.targets, run.meta, run.content_hash = head.targets, head.meta, digest
        run.file_name, run.file_format = self._upload.file_name, self._upload.file_format
        run.errors = [error.as_dict() for error in self._file.errors]
        run.error_count = self._file.faulty
        run.counts = self._counts(head)
        run.warnings = [notice.as_dict() for notice in self._notices()]

    def _counts(self, head: RunRecord) -> dict[str, int]:
        tally = asdict(self._rows.tally)
        del tally["loose_citations"], tally["citations"]
        return {
            "lines": self._file.lines,
            "faulty": self._file.faulty,
            "run_lines": self._file.counts["run"],
            "chunk_lines": self._file.counts["chunk"],
            "chunks": len(self._corpus),
            "named": int(bool(head.name)),
            **tally,
        }

    def _notices(self) -> list[Notice]:
        notices = self._file.notices()
        older = Run.objects.filter(project=self.run.project_id, name=self.run.name).exclude(pk=self.run.pk)
        if count := older.count():
            notices.append(Notice("name_taken", count, (self.run.name,)))
        return sorted(notices, key=lambda notice: notice.code)


def name_of(file_name: str) -> str:
    """Return the name of a run whose file gives none: the file's, without its endings."""
    stem = file_name
    for ending in (".gz", ".zst", ".zip", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet"):
        stem = stem.removesuffix(ending)
    return stem[:300] or "run"
