"""Warnings: what was imported all the same, and what was done about it. One line per kind, never per row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

#: Kind of notice -> what was done. Every kind is explained in docs/formats.md (a test compares).
NOTICES: dict[str, str] = {
    "bad_characters": "NUL characters and lone surrogates were replaced by U+FFFD",
    "blank_chunk": "a chunk without words takes its slot and supports nothing",
    "blank_question": "kept; relevance cannot be scored",
    "chunk_details_differ": "the same chunk came with other details; the first ones are kept",
    "chunk_id_reused": "the same chunk id came with different texts; each further text got an id of its own",
    "chunk_without_id": "chunks without ids; each got one made of its text",
    "context_over_k": "more chunks in the context than the k of the configuration; counted as they are",
    "correct_by_match": "without a verdict but with a reference: decided by match with it, if the policy says so",
    "duplicate_chunk": "a chunk was retrieved twice; each slot counts in precision, each id once in recall",
    "duplicate_gold": "a gold id was given twice; it counts once",
    "duplicate_line": "the same line again; it counts once",
    "empty_gold": "an empty gold list of an answerable query says nothing; taken as unknown",
    "empty_verdict": "a recorded verdict without label and usable score; kept, not used",
    "encoding": "the file was not UTF-8 and was read in the encoding named",
    "extra_gold_from": "origin given for an id that is not gold; kept",
    "gold_but_unanswerable": "gold ids on a query marked unanswerable; recall does not apply",
    "gold_by_text": "gold was given as texts; it is matched by the same text",
    "gold_looks_like_text": "a gold id that reads like a sentence; gold is matched by id, not by text",
    "gold_over_k": "more gold ids than the k of the configuration; full recall is out of reach",
    "ids_look_alike": "ids that differ only in case, spaces or Unicode form; kept apart",
    "left_out": "entries that are no question with its answer; left out",
    "metric_over_k": "a score named for more chunks than were retrieved; kept, not recomputed",
    "name_taken": "another run of the project has this name; a name means the newest",
    "negative_amount": "a negative duration, cost or count is no amount; taken as missing",
    "no_gold": "queries without gold; recall and context precision have no value for them",
    "no_reference": "queries without a reference answer; shown as missing",
    "not_finite": "NaN, infinite or empty numbers; taken as missing, never as 0",
    "number_as_text": "a number in quotes; read as the number",
    "query_without_id": "queries without ids; each got one made of its question",
    "ranks_not_contiguous": "ranks are not 1 to n without gaps; list order is used",
    "rating_out_of_scale": "a person's rating outside its own scale; kept as it is",
    "reason_disagrees": "a metric failed although its reason finds nothing wrong; look here first (slice score_check)",
    "retrieval_unknown": "queries that do not say what was retrieved; retrieval metrics have no value",
    "retrieved_nothing": "queries that retrieved nothing",
    "retrieved_nothing_anywhere": "no query retrieved anything: is the retriever off, or its threshold too high?",
    "reviewers_disagree": "people disagree on whether the answer is correct; left undecided",
    "score_on_other_scale": "a score on a declared scale other than 0 to 1; kept, not used",
    "score_out_of_range": "a score outside 0 to 1; kept as it is, not used",
    "scores_not_descending": "retrieval scores do not fall along the ranks (a distance?); list order is used",
    "sorted_by_rank": "the list was not in the order of its ranks; the ranks are used",
    "spreadsheet_id": "an id that a spreadsheet may have changed (1E+05, 5-Mar); kept as it is",
    "status_disagrees": "the status of a test case is not that of its metrics; the metrics' own are used",
    "text_not_supplied": "chunk ids without a text anywhere in the file; kept as ids",
    "time_without_zone": "a time without a zone; taken as UTC",
    "trec_order": "the rank column disagrees with the scores; ordered by score, then id, both descending (trec_eval)",
    "undecided": "queries with neither a verdict on the answer nor a rule that gives one",
    "unknown_field": "kept in meta",
    "unnamed_column": "a column without a name; left out",
}

#: Examples remembered per kind.
EXAMPLES_KEPT = 5


@dataclass(frozen=True, slots=True)
class Notice:
    """One kind of warning: how many records it concerns, and the first few of them (ids or field names)."""

    code: str
    count: int
    examples: tuple[str, ...] = ()

    @property
    def done(self) -> str:
        """Return what was done about it."""
        return NOTICES[self.code]

    def as_dict(self) -> dict[str, object]:
        """Return the stable keys that `--json` prints."""
        return {"code": self.code, "count": self.count, "examples": list(self.examples), "done": self.done}


@dataclass(slots=True)
class Remarks:
    """What validators noticed about one record; dropped with the record when it turns out faulty."""

    found: dict[str, list[str]] = field(default_factory=dict)

    def add(self, code: str, example: str = "") -> None:
        """Remember `code`; `example` is a field name or value, empty = the record's own id will do."""
        examples = self.found.setdefault(code, [])
        if example and example not in examples:
            examples.append(example)


class Notices:
    """Counts remarks over a whole file; memory does not grow with the file."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._examples: dict[str, list[str]] = {}

    def add(self, code: str, examples: Iterable[str] = (), count: int = 1) -> None:
        """Count `code` for `count` more records."""
        if code not in NOTICES:
            raise KeyError(f"{code} is not a kind of notice: add it to NOTICES and to docs/formats.md")
        self._counts[code] = self._counts.get(code, 0) + count
        kept = self._examples.setdefault(code, [])
        for example in examples:
            if len(kept) < EXAMPLES_KEPT and example not in kept:
                kept.append(example)

    def take(self, remarks: Remarks, name: str) -> None:
        """Count what was noticed about one accepted record called `name`."""
        for code, examples in remarks.found.items():
            self.add(code, examples or (name,))

    def all(self) -> list[Notice]:
        """Return one notice per kind, in alphabetical order of the kinds."""
        return [Notice(code, self._counts[code], tuple(self._examples[code])) for code in sorted(self._counts)]
