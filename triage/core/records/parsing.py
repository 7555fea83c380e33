"""One JSON object of a run file -> one record, or the fault that keeps it out."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from triage.core.limits import DEFAULT_LIMITS, Limits
from triage.core.records.chunk import ChunkRecord
from triage.core.records.faults import WHOLE_LINE, RecordError, describe, visible
from triage.core.records.free import has_unstorable, storable
from triage.core.records.notices import Remarks
from triage.core.records.query import QueryRecord
from triage.core.records.run import RunRecord
from triage.core.records.values import PLAIN, ROUND, Reading

AnyRecord = RunRecord | ChunkRecord | QueryRecord

KINDS: dict[str, type[RunRecord | ChunkRecord | QueryRecord]] = {
    "run": RunRecord,
    "chunk": ChunkRecord,
    "query": QueryRecord,
}
#: What other tools call our required fields: named in the remedy, never read silently.
OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "question": ("query", "user_input", "input", "prompt"),
    "id": ("query_id", "qid", "_id", "uuid"),
    "text": ("statement", "claim", "content", "page_content", "simpler", "sentence"),
    "metric": ("name", "key"),
    "speaker": ("role", "author", "from"),
    "label": ("verdict", "value", "answer"),
}
#: pydantic's error kinds -> (expected, remedy).
_EXPECTED: dict[str, tuple[str, str]] = {
    "string_type": ("a string", "Write the text in double quotes."),
    "bool_type": ("true or false", "Write true or false, without quotes."),
    "list_type": ("a list", "Put it in [ ]."),
    "dict_type": ("an object", "Put it in { }."),
    "model_type": ("an object", "Put it in { }."),
    "model_attributes_type": ("an object", "Put it in { }."),
    "int_type": ("a whole number", "Write it without a fraction and without quotes."),
    "float_type": ("a number", "Write it without quotes."),
}


def parse(data: object, remarks: Remarks, limits: Limits = DEFAULT_LIMITS, *, storable_text: bool = False) -> AnyRecord:
    """Return the record that `data` (parsed JSON) describes; oddities go to `remarks`.

    `storable_text` says that the caller knows there is no NUL and no lone surrogate in it.

    Raises:
        RecordError: naming the first field that is wrong.
    """
    if not isinstance(data, dict):
        raise RecordError(WHOLE_LINE, describe(data), "one JSON object", "Write one object per record.")
    if not storable_text:
        data = _cleaned(data, remarks, limits)
    model, fields = _kind(data)
    try:
        return model.model_validate(fields, context=Reading(limits, remarks))
    except ValidationError as error:
        raise _fault(error, fields) from None


def _cleaned(data: dict[str, Any], remarks: Remarks, limits: Limits) -> dict[str, Any]:
    try:
        if not has_unstorable(data):
            return data
        remarks.add("bad_characters")
        return dict(storable(data))
    except RecursionError:
        expected = f"at most {limits.nesting} levels of nesting"
        raise RecordError(WHOLE_LINE, "deeper nesting", expected, "Flatten the value.") from None


def _kind(data: dict[str, Any]) -> tuple[type[AnyRecord], dict[str, Any]]:
    kind = data.get("kind")
    if kind is None:
        return QueryRecord, {key: value for key, value in data.items() if key != "kind"} if "kind" in data else data
    model = KINDS.get(kind) if isinstance(kind, str) else None
    if model is None:
        raise RecordError("kind", describe(kind), "run, chunk or query", "Leave kind out for a query.")
    return model, {key: value for key, value in data.items() if key != "kind"}


def _fault(error: ValidationError, fields: dict[str, Any]) -> RecordError:
    first = next(each for each in error.errors(include_url=False) if PLAIN not in each["loc"])
    place, value = tuple(step for step in first["loc"] if step != ROUND), first["input"]
    if place[:1] == ("scores",) and isinstance(fields.get("scores"), dict) and len(place) > 1:
        place = ("scores", sorted(fields["scores"])[int(place[1])])
    if first["type"] == "missing":
        return _missing(place, value)
    expected, remedy, found, at = _explained(first["type"], first.get("ctx", {}), first["msg"])
    field = (_path(place) + at).lstrip(".") or WHOLE_LINE
    return RecordError(field, found or describe(value), expected, remedy)


def _explained(kind: str, context: dict[str, Any], message: str) -> tuple[str, str, str, str]:
    """Return what was expected, the remedy, what was found (blank = describe it) and the rest of the path."""
    if kind == "run_file":
        return context["expected"], context["remedy"], context["found"], context["at"]
    if kind == "literal_error":
        return f"one of {context['expected'].replace(chr(39) * 2 + ', ', '')}", "Use one of these words.", "", ""
    if kind in {"too_short", "too_long"}:
        bound = context.get("min_length", context.get("max_length"))
        return f"a list of {bound}", "See the field in docs/formats.md.", "", ""
    expected, remedy = _EXPECTED.get(
        kind, (message.removeprefix("Input should be "), "See the field in docs/formats.md.")
    )
    return expected, remedy, "", ""


def _missing(place: tuple[int | str, ...], parent: object) -> RecordError:
    name = str(place[-1])
    meta = parent.get("meta") if isinstance(parent, dict) else None
    given = {**(parent if isinstance(parent, dict) else {}), **(meta if isinstance(meta, dict) else {})}
    present = [other for other in OTHER_NAMES.get(name, ()) if other in given]
    if present:
        remedy = f"Rename “{present[0]}” to “{name}”."
    elif name == "question":
        remedy = "Add the question; an empty answer is allowed, a missing question is not."
    else:
        remedy = f"Add “{name}”."
    return RecordError(_path(place), "field missing", "an id" if name == "id" else "a string", remedy)


def _path(place: tuple[int | str, ...]) -> str:
    path = ""
    for step in place:
        if isinstance(step, int) or not step:
            path += f"[{step}]" if isinstance(step, int) else '[""]'
        else:
            path += f".{visible(step)}"
    return path.lstrip(".")
