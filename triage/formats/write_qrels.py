"""Gold as TREC relevance judgements (qrels): topic, 0, document, grade 1. What ir tools and `trec` read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triage.core.records import QueryRecord


def qrels_lines(queries: Iterable[QueryRecord]) -> Iterator[str]:
    """Yield one line per query and gold id, in their order, each with its newline. Unknown gold has none.

    Raises:
        ValueError: an id with white space in it, which the format cannot hold.
    """
    for query in queries:
        for key in query.gold or ():
            for part in (query.id, key):
                if len(part.split()) != 1:
                    raise ValueError(f"the id “{part}” has white space in it, which qrels cannot hold")
            yield f"{query.id} 0 {key} 1\n"
