"""Label Studio: tasks with annotations as its JSON export writes them (not JSON-MIN, CSV or TSV).

| Label Studio | becomes |
| --- | --- |
| `data` | the query, by the names its fields go by (see the table format): `question`, `answer`, `reference`, `retrieved`, ... |
| `data` `query_id` or `id`; else the question | `id` |
| annotation: `choices` naming a label or sub-cause of ours (by its name or title) | a human verdict; `completed_by` is the reviewer, `ground_truth` = adjudicated |
| annotation: `textarea` | the note of that verdict |
| annotation: `choices` correct / incorrect (yes / no, right / wrong, pass / fail) | `correct`, where all people agree or one of `ground_truth` settles it; else null and a notice |
| annotation: `rating`, `number` | `human_scores`, named after the control |
| annotation: `labels` on the answer: supported, unsupported, contradicted, unsure | a person's mark on the claim with that span; without such a claim the span is one |
| annotation with `was_cancelled` | left out, counted in a notice |
| `predictions` | left out: they are a machine's |
| any other choice, any other field of `data` | `meta` |

Whether a verdict was blind is not told there; whoever gave it saw nothing of our machine.
"""  # noqa: E501 - a row of a table is one line

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from triage.core.labels import CODEBOOK, SUB_CAUSES, VERDICT_LABELS, Support, is_sub_cause_of
from triage.core.records import RecordError, describe
from triage.formats.adapter import Adapter, Object
from triage.formats.cells import as_list, as_score, as_text, is_blank
from triage.formats.names import documents, fields_of

_RIGHT = {"correct": True, "right": True, "yes": True, "pass": True, "true": True}
_WRONG = {"incorrect": False, "wrong": False, "no": False, "fail": False, "false": False}
_VOTES = {**_RIGHT, **_WRONG}
_TEXTS = ("answer", "reference", "trace_id", "url")
_NUMBERS = ("latency_ms", "context_tokens", "cost")
_SUPPORT = {str(word) for word in Support}


def word(text: object) -> str:
    """Return a choice as our vocabularies spell words."""
    return "_".join(str(text).lower().replace("-", " ").split())


_LABELS = {**{word(entry.title): entry.label for entry in CODEBOOK}, **{label: label for label in VERDICT_LABELS}}
_CAUSES = {cause for causes in SUB_CAUSES.values() for cause in causes}


def recognises(found: dict[str, set[str]]) -> bool:
    """Say whether these are the keys of tasks, by path."""
    top = found.get("", set())
    return "annotations" in top and bool(top & {"data", "predictions"})


@dataclass(slots=True)
class _Said:
    """What the annotations of one task say."""

    human: list[Object] = field(default_factory=list)
    ratings: list[Object] = field(default_factory=list)
    #: Whether the answer is correct, and whether this person settled a disagreement.
    votes: list[tuple[bool, bool]] = field(default_factory=list)
    marks: list[tuple[tuple[int, int], str, Object]] = field(default_factory=list)
    choices: list[Object] = field(default_factory=list)


class LabelStudio(Adapter):
    """A Label Studio export being read."""

    title = producer = "Label Studio"

    def convert(self, row: Object) -> Iterator[Object]:
        """Yield the query of a task with what people said of it."""
        data = row.get("data")
        if not isinstance(data, dict):
            remedy = "Export as JSON; JSON-MIN, CSV and TSV leave out who said what."
            raise RecordError("data", describe(data), "the data of the task", remedy)
        mapping = fields_of(data)
        query = self._query(data, mapping)
        said = self._said(row, str(query["answer"] or ""))
        if said.votes:
            votes = {vote for vote, settles in said.votes if settles} or {vote for vote, _ in said.votes}
            query["correct"] = votes.pop() if len(votes) == 1 else None
            if votes:
                self.note("reviewers_disagree", str(query["id"]))
        meta = {name: value for name, value in data.items() if name not in mapping.values() and name != "claims"}
        if said.choices:
            meta["label_studio"] = said.choices
        claims = _marked(_claims(data), said.marks)
        yield {**query, "claims": claims, "human": said.human, "human_scores": said.ratings, "meta": meta}

    def _query(self, data: Object, mapping: dict[str, str]) -> Object:
        def cell(name: str) -> Any:  # noqa: ANN401 - JSON
            value = data.get(mapping[name]) if name in mapping else None
            return None if is_blank(value) else value

        question = as_text(cell("question"))
        if question is None:
            shown = ", ".join(list(data)[:10])
            raise RecordError("data", f"the fields {shown}", "one with the question", "Name it question.")
        retrieved = cell("retrieved")
        slots = None if retrieved is None else _documents(retrieved, mapping["retrieved"])
        query: Object = {
            "id": cell("id") if cell("id") is not None else self.query_ids.of(question),
            "question": question,
            "retrieved": None
            if slots is None
            else [{**slot, "id": self.chunk_ids.of(slot.get("id"), slot.get("text"))} for slot in slots],
            "gold": as_list(cell("gold"), mapping.get("gold", "gold")),
            "correct": cell("correct") if isinstance(cell("correct"), bool) else None,
        }
        query |= {name: as_text(cell(name)) for name in _TEXTS}
        return query | {name: as_score(cell(name)) for name in _NUMBERS}

    def _said(self, row: Object, answer: str) -> _Said:
        said = _Said()
        annotations = row.get("annotations", row.get("completions"))
        for annotation in annotations if isinstance(annotations, list) else ():
            if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
                self.note("left_out", f"annotation {annotation.get('id', '')}" if isinstance(annotation, dict) else "")
                continue
            _take(annotation, answer, said)
        return said


def _documents(value: object, field: str) -> list[Object]:
    """Return the documents in a field of a task: a list, one that a table squeezed into a text, or one document.

    Raises:
        RecordError: a text that opens like a list and is none, or an item that is no document.
    """
    squeezed = isinstance(value, str) and value.lstrip().startswith("[")
    listed = as_list(value, field) if squeezed else value
    slots = documents(listed if isinstance(listed, list) else [listed])
    if slots is None:
        remedy = 'Write ["a text", {"id": "c1", "text": "another"}].'
        raise RecordError(field, "an item that is no document", "texts, or objects with id or text", remedy)
    return slots


def _take(annotation: Object, answer: str, said: _Said) -> None:
    """Take one person's annotation of a task in."""
    reviewer, at = (
        _reviewer(annotation.get("completed_by")),
        annotation.get("updated_at") or annotation.get("created_at"),
    )
    verdict: Object = {"reviewer": reviewer, "at": at, "adjudicated": annotation.get("ground_truth") is True}
    notes: list[str] = []
    for result in annotation.get("result") or ():
        value = result.get("value") if isinstance(result, dict) else None
        if not isinstance(value, dict):
            continue
        name = str(result.get("from_name", ""))
        for choice in value.get("choices") or ():
            _choice(str(choice), name, reviewer, verdict, said)
        if isinstance(value.get("text"), list):
            notes.extend(str(text) for text in value["text"])
        for kind in ("rating", "number"):
            if isinstance(value.get(kind), int | float):
                said.ratings.append({"metric": name or kind, "value": value[kind], "reviewer": reviewer})
        for label in value.get("labels") or ():
            if word(label) in _SUPPORT:
                mark = {"label": word(label), "reviewer": reviewer, "at": at}
                start, end = place(answer, value)
                said.marks.append(((start, end), answer[start:end], mark))
    cause = verdict.pop("cause", "")
    if cause and is_sub_cause_of(verdict.get("label", ""), cause):
        verdict["sub_cause"] = cause
    if verdict.get("label") or notes:
        said.human.append({**verdict, "note": "\n".join(notes)})


def _choice(choice: str, name: str, reviewer: str | None, verdict: Object, said: _Said) -> None:
    plain = word(choice)
    if plain in _LABELS:
        verdict["label"] = _LABELS[plain]
    elif plain in _CAUSES:
        verdict["cause"] = plain
    elif plain in _VOTES:
        said.votes.append((_VOTES[plain], verdict["adjudicated"]))
    else:
        said.choices.append({"name": name, "choice": choice, "reviewer": reviewer})


def _reviewer(person: object) -> str | None:
    """Return a key for the person: their number, else the address they are known by."""
    if isinstance(person, dict):
        person = person.get("id") if person.get("id") is not None else person.get("email")
    return as_text(person)


def place(answer: str, value: Object) -> tuple[int, int]:
    """Return the code points of a region of the answer.

    Label Studio counts in its browser's units, in which some characters are two: the region's own text decides.

    Raises:
        RecordError: the region is not in the answer.
    """
    start, end, text = value.get("start"), value.get("end"), value.get("text")
    try:
        begin, stop = int(str(start)), int(str(end))
    except ValueError:
        begin, stop = -1, -1
    wanted = text if isinstance(text, str) and text else answer[max(begin, 0) : max(stop, 0)]
    units = answer.encode("utf-16-le", "surrogatepass")
    before = units[: 2 * max(begin, 0)].decode("utf-16-le", "replace")
    for guess in (begin, len(before), answer.find(wanted)):
        if wanted and guess >= 0 and answer.startswith(wanted, guess):
            return guess, guess + len(wanted)
    found = f"a region from {start} to {end} that is not in the answer"
    raise RecordError("annotations.result.value", found, "a region of the answer", "Label the field with the answer.")


def _claims(data: Object) -> list[Object] | None:
    """Return the claims that the task showed, where it did."""
    claims = data.get("claims")
    if not isinstance(claims, list):
        return None
    return [dict(claim) if isinstance(claim, dict) else {"text": claim} for claim in claims]


def _marked(claims: list[Object] | None, marks: list[tuple[tuple[int, int], str, Object]]) -> list[Object] | None:
    """Return the claims with people's marks on them; a mark on words that are no claim makes one."""
    if not marks:
        return claims
    claims = claims or []
    for (start, end), text, mark in marks:
        span = [start, end]
        claim = next((claim for claim in claims if claim.get("span") == span or claim.get("text") == text), None)
        if claim is None:
            claim = {"text": text, "span": span}
            claims.append(claim)
        claim.setdefault("human", []).append(mark)
    return claims
