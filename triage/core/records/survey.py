"""What is missing or odd over a whole file: the notices no single line can give."""

from __future__ import annotations

import unicodedata

from triage.core.records.ledger import Ledger
from triage.core.records.notices import Notices
from triage.core.records.plain import AnyQuery
from triage.core.records.run import RunRecord


class Survey:
    """Counts over the accepted records of a file, and the notices that follow from them at its end."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices
        self._k: int | None = None
        self._folded: dict[int, int] = {}
        self.queries = 0
        self.retrieved_nothing = 0

    def see_run(self, run: RunRecord) -> None:
        """Remember the configured k."""
        self._k = run.k()

    def see_query(self, query: AnyQuery) -> None:
        """Count a query, and what it lacks."""
        self.queries += 1
        self.retrieved_nothing += query.retrieved == []
        self._missing(query)
        self._against_k(query)
        self._look_alike(query.id)

    def _missing(self, query: AnyQuery) -> None:
        if query.gold is None and query.answerable:
            self._notices.add("no_gold", (query.id,))
        if query.reference is None and query.answerable:
            self._notices.add("no_reference", (query.id,))
        if query.correct is None and query.answerable:
            self._notices.add("correct_by_match" if query.answer and query.reference else "undecided", (query.id,))

    def _against_k(self, query: AnyQuery) -> None:
        if self._k is None:
            return
        if sum(slot.in_context for slot in query.retrieved or ()) > self._k:
            self._notices.add("context_over_k", (query.id,))
        if len(query.gold or ()) > self._k:
            self._notices.add("gold_over_k", (query.id,))

    def _look_alike(self, key: str) -> None:
        joined = "".join(key.split())
        folded = hash((joined if joined.isascii() else unicodedata.normalize("NFKC", joined)).casefold())
        if self._folded.setdefault(folded, hash(key)) != hash(key):
            self._notices.add("ids_look_alike", (key,))

    def finish(self, ledger: Ledger) -> None:
        """Add the notices that need the whole file."""
        count, names = ledger.without_text()
        if count:
            self._notices.add("text_not_supplied", names, count=count)
        if self.queries and self.retrieved_nothing == self.queries:
            self._notices.add("retrieved_nothing_anywhere", (f"{self.queries} of {self.queries}",), count=self.queries)
