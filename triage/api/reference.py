"""The API as people read it: every call with its parameters, bodies and answers, out of the OpenAPI document alone.

The usual pages for this load their scripts from elsewhere; this one is plain and says what the document says.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from triage.api.building import JSON, SCOPES_BELOW
from triage.core.problem import MEDIA_TYPE as PROBLEM

Object = Mapping[str, Any]
_PARAMETER = re.compile(r"\{(\w+)\}")
#: Types of JSON -> words for people.
_WORDS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "null": "null"}
#: Limits a schema may set -> how they read.
_LIMITS = {
    "minLength": "at least {:,} characters",
    "maxLength": "at most {:,} characters",
    "minimum": "from {:,}",
    "maximum": "up to {:,}",
    "minItems": "at least {:,}",
    "maxItems": "at most {:,}",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words of a description; `code` where the source set them between backticks."""

    text: str
    code: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A parameter of a call or a field of a shape. `where`: path, query or header; blank for a field."""

    name: str
    where: str
    type: str
    #: Name of the shape it holds, if any.
    shape: str
    required: bool
    note: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Content:
    """What a body or an answer holds: media types, and its shape where it has one."""

    media: str
    type: str
    shape: str
    note: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """One status a call may answer with."""

    status: int
    title: str
    content: Content


@dataclass(frozen=True, slots=True)
class Call:
    """One call. `path` has no origin and begins with a slash; `problems` are statuses that come as a Problem."""

    key: str
    method: str
    path: str
    words: tuple[tuple[Piece, ...], ...]
    scopes: str
    parameters: tuple[Entry, ...]
    body: Content | None
    answers: tuple[Answer, ...]
    problems: tuple[tuple[int, str], ...]
    example: str

    @property
    def steps(self) -> list[str]:
        """The path in parts that end with their slash: a narrow window may break it between them, not inside."""
        return re.findall(r"[^/]*/|[^/]+", self.path)


@dataclass(frozen=True, slots=True)
class Group:
    """Calls about one thing."""

    name: str
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """One named object, or a word out of `values`."""

    name: str
    words: tuple[Piece, ...]
    fields: tuple[Entry, ...]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """The whole API."""

    title: str
    version: str
    groups: tuple[Group, ...]
    shapes: tuple[Shape, ...]


def reference(document: Object, origin: str) -> Reference:
    """Return what an OpenAPI 3.1 document says. `origin`: scheme and host for the examples, without a last slash."""
    shapes = document["components"]["schemas"]
    groups: dict[str, list[Call]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            groups.setdefault(operation["tags"][0], []).append(_call(method, path, operation, shapes, origin))
    return Reference(
        title=document["info"]["title"],
        version=document["info"]["version"],
        groups=tuple(Group(name, tuple(calls)) for name, calls in groups.items()),
        shapes=tuple(_shape(name, shapes[name]) for name in sorted(shapes)),
    )


def _call(method: str, path: str, operation: Object, shapes: Object, origin: str) -> Call:
    words, _, scopes = operation["description"].rpartition(SCOPES_BELOW)
    body = operation.get("requestBody")
    given = {int(status): answer.get("content", {}) for status, answer in operation["responses"].items()}
    return Call(
        key=operation["operationId"],
        method=method.upper(),
        path=path,
        words=tuple(_pieces(part) for part in words.split("\n\n")),
        scopes=scopes.rstrip("."),
        parameters=tuple(_parameter(told) for told in operation.get("parameters", ())),
        body=_content(body["content"], body.get("description", "")) if body else None,
        answers=tuple(
            Answer(status, HTTPStatus(status).phrase, _content(content))
            for status, content in given.items()
            if PROBLEM not in content
        ),
        problems=tuple(
            (status, HTTPStatus(status).phrase) for status, content in sorted(given.items()) if PROBLEM in content
        ),
        example=_example(method, path, operation, shapes, origin),
    )


def _parameter(told: Object) -> Entry:
    return _entry(told["name"], told["schema"], told["in"], told["required"], told.get("description", ""))


def _entry(name: str, schema: Object, where: str, required: bool, note: str = "") -> Entry:
    notes = [note or schema.get("description", ""), *_limits(schema)]
    if schema.get("default") is not None:
        notes.append(f"without it `{json.dumps(schema['default'])}`")
    said = "; ".join(part.rstrip(".") for part in notes if part)
    return Entry(name, where, type_of(schema), _shape_in(schema), required, _pieces(said))


def _content(content: Object, note: str = "") -> Content:
    schemas = [told["schema"] for told in content.values()]
    one = schemas[0] if len(schemas) == 1 else {}
    binary = one.get("format") == "binary" or len(schemas) > 1
    kind = "" if binary or not schemas else type_of(one)
    return Content(", ".join(content), kind, _shape_in(one), _pieces(note))


def _shape(name: str, schema: Object) -> Shape:
    required = schema.get("required", ())
    fields = schema.get("properties", {}).items()
    return Shape(
        name=name,
        words=_pieces(schema.get("description", "")),
        fields=tuple(_entry(field, told, "", field in required) for field, told in fields),
        values=tuple(map(str, schema.get("enum", ()))),
    )


def type_of(schema: Object) -> str:
    """Return a schema's type in words: `text or null`, `list of Passage`, `one of allow, flag, block`."""
    if "$ref" in schema:
        return _named(schema)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(type_of(one) for one in schema["anyOf"]))
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    if "const" in schema:
        return str(schema["const"])
    kind = schema.get("type", "")
    if kind == "array":
        return f"list of {type_of(schema['items'])}" if schema.get("items") else "list"
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"object of {type_of(inner)}" if isinstance(inner, dict) and inner else "object"
    if schema.get("format") == "date-time":
        return "time (ISO 8601)"
    return _WORDS.get(kind, "anything")


def _named(schema: Object) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _shape_in(schema: Object) -> str:
    """Return the name of the shape a schema is, or is made of; blank where it names none."""
    if "$ref" in schema:
        return _named(schema)
    inner = [*schema.get("anyOf", ()), schema.get("items"), schema.get("additionalProperties")]
    return next((found for one in inner if isinstance(one, dict) and (found := _shape_in(one))), "")


def _limits(schema: Object) -> Iterator[str]:
    for one in (schema, *schema.get("anyOf", ())):
        for name, words in _LIMITS.items():
            if name in one:
                yield "not empty" if (name, one[name]) == ("minLength", 1) else words.format(one[name])


def _pieces(text: str) -> tuple[Piece, ...]:
    parts = " ".join(text.split()).split("`")
    return tuple(Piece(part, code=bool(number % 2)) for number, part in enumerate(parts) if part)


def _example(method: str, path: str, operation: Object, shapes: Object, origin: str) -> str:
    """Return the call as a command for a POSIX shell; what is in capitals is for the reader to fill in."""
    lines = ["curl" if method == "get" else f"curl -X {method.upper()}"]
    lines.append('-H "Authorization: Bearer $RAG_TRIAGE_TOKEN"')
    names = {told["name"] for told in operation.get("parameters", ()) if told["in"] == "header"}
    lines += [f'-H "{name}: SOMETHING-NEW"' for name in sorted(names)]
    content = operation.get("requestBody", {}).get("content", {})
    if JSON in content:
        lines += [f'-H "Content-Type: {JSON}"', f"-d {shlex.quote(_as_json(content[JSON]['schema'], shapes))}"]
    elif content:
        lines.append("--data-binary @FILE")
    lines.append(shlex.quote(origin + _PARAMETER.sub(lambda found: found[1].upper(), path)))
    return " \\\n  ".join(lines)


def _as_json(schema: Object, shapes: Object) -> str:
    return json.dumps(sample(schema, shapes), ensure_ascii=False)


def sample(schema: Object, shapes: Object) -> Any:  # noqa: ANN401 - JSON
    """Return a body of this schema, made of the examples in it; None where it holds none."""
    if "$ref" in schema:
        return sample(shapes[_named(schema)], shapes)
    if "examples" in schema:
        return schema["examples"][0]
    if schema.get("type") == "array":
        return [sample(schema["items"], shapes)]
    if schema.get("type") == "object":
        return {name: sample(told, shapes) for name, told in _required(schema)}
    return None


def _required(schema: Object) -> Iterable[tuple[str, Object]]:
    return ((name, schema["properties"][name]) for name in schema.get("required", ()))
