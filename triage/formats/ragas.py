"""ragas: a dataset or the result of an evaluation, as JSON Lines, JSON, CSV or Parquet.

| ragas 0.2 and later | ragas 0.1 | becomes |
| --- | --- | --- |
| `user_input` (text) | `question` | `question` |
| `user_input` (messages) | | last user message = `question`, last AI message = `answer`, earlier ones = `conversation` |
| `retrieved_contexts` | `contexts` | `retrieved`, in this order, all in the context |
| `retrieved_context_ids` | | ids of `retrieved`; without them a chunk's id is made of its text |
| `response` | `answer` | `answer` |
| `reference` | `ground_truth`, first of `ground_truths` | `reference` |
| `reference_context_ids` | | `gold` |
| `reference_contexts` | `contexts` of a generated test set | `gold`, matched to `retrieved` by the same text |
| `persona_name`, `query_style`, `query_length`, `synthesizer_name` | `evolution_type` | `slice` |
| any other column of numbers | the same | `scores` with tool `ragas`, its version and a definition tag |
| anything else | the same | `meta` |
| (no id in ragas) | | `id` made of the question: the same question pairs across files |

List cells of a CSV that Python, JSON or NumPy wrote are taken apart, never evaluated; a cell that is no list is a
fault of its row. NaN and empty scores are missing, never 0. A data frame's index column is left out.
"""  # noqa: E501 - a row of a table is one line

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from triage.core.records import RecordError, describe
from triage.formats.adapter import Adapter, Object
from triage.formats.cells import as_list, as_object, as_score, as_text, is_blank, is_number
from triage.formats.identity import text_id

#: Metric -> tag of how ragas defines it. None of them is our definition of a metric of that name.
DEFINITIONS: dict[str, str] = {
    "faithfulness": "claims_joined_context",
    "faithfulness_with_hhem": "claims_joined_context",
    "answer_relevancy": "similarity_of_generated_questions",
    "context_precision": "judged_precision_at_each_hit",
    "llm_context_precision_with_reference": "judged_precision_at_each_hit",
    "llm_context_precision_without_reference": "judged_precision_at_each_hit",
    "context_recall": "reference_claims_in_joined_context",
    "context_utilization": "judged_precision_at_each_hit",
    "context_entity_recall": "reference_entities_in_joined_context",
    "non_llm_context_precision_with_reference": "similar_texts_at_each_hit",
    "non_llm_context_recall": "share_of_reference_texts_found_similar",
    "id_based_context_precision": "distinct_ids_that_are_gold",
    "id_based_context_recall": "distinct_gold_ids",
    "answer_correctness": "claims_f1_and_similarity",
    "factual_correctness": "claims_f1_to_reference",
    "answer_similarity": "embedding_similarity",
    "semantic_similarity": "embedding_similarity",
    "noise_sensitivity": "incorrect_claims_from_context",
}
_SLICES = ("persona_name", "query_style", "query_length", "synthesizer_name", "evolution_type")
_OLD = frozenset({"question", "contexts", "answer", "ground_truth", "ground_truths"})
_READ = frozenset(
    {
        *_OLD,
        *_SLICES,
        "user_input",
        "retrieved_contexts",
        "retrieved_context_ids",
        "reference_contexts",
        "reference_context_ids",
        "response",
        "reference",
        "id",
        "multi_responses",
        "reference_tool_calls",
    }
)


def recognises(columns: Iterable[str]) -> bool:
    """Say whether these are the columns of a ragas file."""
    names = set(columns)
    if names & {"retrieved", "gold", "kind"}:
        return False
    return "user_input" in names or (
        "question" in names and bool(names & {"contexts", "ground_truths", "retrieved_contexts", "reference_contexts"})
    )


def recognises_json(found: dict[str, set[str]]) -> bool:
    """Say whether these are the keys of a ragas file, by path."""
    return any(recognises(found.get(path, set())) for path in ("", "samples[]", "data[]"))


class Ragas(Adapter):
    """A ragas file being read."""

    title = "ragas"
    lists = ("samples", "data")

    def opening(self, columns: Iterable[str]) -> Object:
        """Remember which names the file uses: they tell the version of ragas."""
        self._version = "0.1" if "user_input" not in set(columns) else "0.2+"
        return {"meta": {"producer": "ragas", "producer_version": self._version}}

    def rows(self) -> Iterator[tuple[int, Any]]:
        """Yield the rows; one object that holds a list per column is turned around first."""
        for number, row in super().rows():
            if isinstance(row, dict) and isinstance(row.get("question", row.get("user_input")), list):
                yield from _turned(number, row)
            else:
                yield number, row

    def convert(self, row: Object) -> Iterator[Object]:
        """Yield the chunks of the gold texts, then the query."""
        query = self._asked(row)
        query["id"] = row["id"] if not is_blank(row.get("id")) else self.query_ids.of(query.get("question"))
        retrieved, gold_texts = self._contexts(row)
        slots = self._slots(retrieved, _keys(row, "retrieved_context_ids"))
        gold, texts = self._gold(row, gold_texts, slots)
        yield from ({"kind": "chunk", "id": key, "text": text} for key, text in texts.items())
        yield {
            **query,
            "reference": as_text(row.get("reference")) or _reference(row),
            "retrieved": slots,
            "gold": gold,
            "slice": {name: row[name] for name in _SLICES if not is_blank(row.get(name))},
            **self._beside(row),
        }

    def _asked(self, row: Object) -> Object:
        """Return question, answer and conversation."""
        asked = row.get("user_input", row.get("question"))
        messages = as_list(asked, "user_input") if isinstance(asked, list) or _is_messages(asked) else None
        if messages is None:
            question = None if isinstance(asked, dict | list) else as_text(asked)
            if question is None:
                raise RecordError("user_input", "no question", "the question that was asked", "Fill the column.")
            return {"question": question, "answer": as_text(row.get("response", row.get("answer")))}
        return _conversation(messages)

    def _contexts(self, row: Object) -> tuple[list[Any] | None, list[Any] | None]:
        """Return what was retrieved and what should have been, as texts."""
        old = as_list(row.get("contexts"), "contexts")
        gold = as_list(row.get("reference_contexts"), "reference_contexts")
        if old is not None and "evolution_type" in row and is_blank(row.get("answer")):
            return None, old
        new = as_list(row.get("retrieved_contexts"), "retrieved_contexts")
        return (old if new is None else new), gold  # an empty list is said: nothing was retrieved

    def _slots(self, texts: list[Any] | None, keys: list[Any] | None) -> list[Object] | None:
        if texts is None and keys is None:
            return None
        if texts is None:
            return [{"id": key} for key in keys or ()]
        if any(not isinstance(text, str) for text in texts):
            remedy = "Write a list of texts."
            raise RecordError("retrieved_contexts", "an item that is no text", "texts in a list", remedy)
        if keys is not None and len(keys) != len(texts):
            found = f"{len(keys)} ids for {len(texts)} texts"
            raise RecordError(
                "retrieved_context_ids", found, "one id for each text", "Leave the ids out, or fill them."
            )
        return [
            {"id": self.chunk_ids.of(key, text), "text": text}
            for key, text in zip(keys or [None] * len(texts), texts, strict=True)
        ]

    def _gold(
        self, row: Object, texts: list[Any] | None, slots: list[Object] | None
    ) -> tuple[list[Any] | None, dict[Any, str]]:
        """Return the gold ids, and the gold texts that were not retrieved by id."""
        keys = _keys(row, "reference_context_ids")
        if keys is not None and (texts is None or len(texts) != len(keys)):
            return keys, {}
        if texts is None:
            return None, {}
        known = {text_id(slot["text"]): slot["id"] for slot in slots or () if "text" in slot}
        gold: dict[Any, str] = {}
        for number, text in enumerate(texts):
            if not isinstance(text, str):
                raise RecordError("reference_contexts", "an item that is no text", "texts in a list", "Write texts.")
            made = text_id(text)
            gold[keys[number] if keys else known.get(made, made)] = text
        if texts and not keys:
            self.note("gold_by_text", next(iter(gold)))
        retrieved = {slot["id"] for slot in slots or ()}
        return list(gold), {key: text for key, text in gold.items() if key not in retrieved}

    def _beside(self, row: Object) -> Object:
        """Return the scores, and in `meta` what has no place in a run file."""
        scores, meta = [], {}
        for name, value in row.items():
            if name in _READ:
                continue
            if is_number(value) or (is_blank(value) and _metric(name) in DEFINITIONS):
                scores.append(self._score(name, value))
            elif not is_blank(value):
                meta[name] = as_object(value) or value
        kept = {name: row[name] for name in ("multi_responses", "reference_tool_calls") if row.get(name)}
        return {"scores": scores, "meta": {**meta, **kept}}

    def _score(self, name: str, value: object) -> Object:
        return {
            "metric": name,
            "value": as_score(value),
            "tool": "ragas",
            "version": self._version,
            "definition": DEFINITIONS.get(_metric(name), ""),
        }


def _keys(row: Object, field: str) -> list[Any] | None:
    """Return a list of ids.

    Raises:
        RecordError: an item is no id.
    """
    keys = as_list(row.get(field), field)
    for key in keys or ():
        if not isinstance(key, str | int | float) or isinstance(key, bool):
            raise RecordError(field, f"{describe(key)} in the list", "ids", "Write each id as a text or a number.")
    return keys


def _metric(name: str) -> str:
    """Return a metric's name without its mode: factual_correctness(mode=f1)."""
    return name.partition("(")[0].strip()


def _reference(row: Object) -> str | None:
    if not is_blank(row.get("ground_truth")):
        truth = row["ground_truth"]
        return as_text(truth[0]) if isinstance(truth, list) and truth else as_text(truth)
    several = as_list(row.get("ground_truths"), "ground_truths")
    if not several or is_blank(several[0]):
        return None
    if not isinstance(several[0], str):
        raise RecordError("ground_truths", f"{describe(several[0])} in the list", "texts", "Write each one as a text.")
    return several[0]


def _is_messages(cell: object) -> bool:
    return isinstance(cell, str) and cell.lstrip().startswith(("[{", "[ {"))


def _conversation(messages: list[Any]) -> Object:
    """Return the last question of a conversation, its answer, and what was said before."""
    turns = [turn for turn in messages if isinstance(turn, dict) and isinstance(turn.get("content"), str)]
    asked = [number for number, turn in enumerate(turns) if turn.get("type", turn.get("role")) in {"human", "user"}]
    if not asked:
        raise RecordError("user_input", "messages without one of a user", "a user's message", "Add the question.")
    last = asked[-1]
    answers = [
        turn["content"] for turn in turns[last + 1 :] if turn.get("type", turn.get("role")) in {"ai", "assistant"}
    ]
    return {
        "question": turns[last]["content"],
        "answer": answers[-1] if answers else None,
        "conversation": [
            {"speaker": str(turn.get("type", turn.get("role", ""))), "text": turn["content"]} for turn in turns[:last]
        ],
    }


def _turned(number: int, columns: Object) -> Iterator[tuple[int, Any]]:
    """Yield the rows of an object that holds one list per column, unless it is one conversation."""
    lists = {name: value for name, value in columns.items() if isinstance(value, list)}
    asked = columns.get("question", columns.get("user_input"))
    if "user_input" in columns and all(isinstance(item, dict) for item in asked or ()):
        yield number, columns
        return
    lengths = {len(value) for value in lists.values()}
    if len(lengths) != 1 or len(lists) != len(columns):
        found = "columns of different lengths"
        yield number, RecordError("(whole file)", found, "one value per question in every column", "Write JSON Lines.")
        return
    for values in zip(*lists.values(), strict=True):
        yield number, dict(zip(lists, values, strict=True))
