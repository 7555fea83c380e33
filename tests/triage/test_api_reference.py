"""The page of the API says what its OpenAPI document says, and its examples can be sent."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from config.api import api
from tests.factories import make_user
from triage.api.building import PATH
from triage.api.reference import Call, reference, type_of
from triage.core.grounding import GroundingRequest

DOCUMENT = json.loads(json.dumps(api.get_openapi_schema(path_prefix=PATH)))
PAGE = reference(DOCUMENT, "https://triage.example.org")
CALLS = {call.key: call for group in PAGE.groups for call in group.calls}
OPERATIONS: dict[str, tuple[str, str, dict[str, Any]]] = {
    operation["operationId"]: (method, path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}


@pytest.mark.parametrize("key", OPERATIONS)
def test_a_call_stands_there_whole(key: str) -> None:
    method, path, operation = OPERATIONS[key]
    call = CALLS[key]
    assert (call.method, call.path) == (method.upper(), path)
    assert "".join(call.steps) == path
    assert all(step.endswith("/") and step.count("/") == 1 for step in call.steps[:-1])
    assert [(entry.name, entry.where, entry.required) for entry in call.parameters] == [
        (told["name"], told["in"], told["required"]) for told in operation.get("parameters", ())
    ]
    assert all(entry.type for entry in call.parameters)
    assert (call.body is None) == ("requestBody" not in operation)
    statuses = [answer.status for answer in call.answers] + [status for status, _ in call.problems]
    assert sorted(statuses) == sorted(map(int, operation["responses"]))
    assert call.scopes
    assert "Scope" not in "".join(piece.text for words in call.words for piece in words)
    assert call.words[0]


def test_every_shape_has_its_fields_and_every_link_leads_to_a_shape() -> None:
    shapes = {shape.name: shape for shape in PAGE.shapes}
    for name, schema in DOCUMENT["components"]["schemas"].items():
        assert [entry.name for entry in shapes[name].fields] == list(schema.get("properties", ()))
        assert shapes[name].fields or shapes[name].values
    entries = [entry for shape in PAGE.shapes for entry in shape.fields]
    entries += [entry for call in CALLS.values() for entry in call.parameters]
    assert {entry.shape for entry in entries if entry.shape} <= shapes.keys()
    assert "list of Passage" in {entry.type for entry in entries}


def test_limits_are_told_in_words() -> None:
    notes = {piece.text for call in CALLS.values() for entry in call.parameters for piece in entry.note}
    notes |= {piece.text for shape in PAGE.shapes for entry in shape.fields for piece in entry.note}
    assert any("not empty" in note for note in notes)
    assert any("at most 200 characters" in note for note in notes)
    assert not any("at least 1 characters" in note for note in notes)


def body_of(call: Call) -> Any:
    words = shlex.split(call.example.replace("\\\n", " "))
    return json.loads(words[words.index("-d") + 1])


def test_examples_of_bodies_are_bodies_and_the_rest_is_a_command() -> None:
    GroundingRequest.model_validate(body_of(CALLS["check_grounding"]))
    assert [GroundingRequest.model_validate(one) for one in body_of(CALLS["check_grounding_batch"])["items"]]
    assert "--data-binary @FILE" in CALLS["upload_new"].example
    for call in CALLS.values():
        words = shlex.split(call.example.replace("\\\n", " "))
        assert words[0] == "curl"
        assert re.fullmatch(rf"https://triage\.example\.org/{PATH}[A-Za-z0-9/_-]+", words[-1])
        assert (call.method == "GET") == ("-X" not in words)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "text"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "whole number or null"),
        ({"type": "array", "items": {"$ref": "#/components/schemas/Run"}}, "list of Run"),
        ({"type": "array"}, "list"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "object of number"),
        ({"type": "object", "additionalProperties": True}, "object"),
        ({"type": "string", "enum": ["a", "b"]}, "one of a, b"),
        ({"const": "a"}, "a"),
        ({"type": "string", "format": "date-time"}, "time (ISO 8601)"),
        ({}, "anything"),
    ],
)
def test_types_in_words(schema: dict[str, Any], words: str) -> None:
    assert type_of(schema) == words


@pytest.mark.django_db
def test_the_page_shows_every_call_and_asks_no_other_server(client: Client) -> None:
    client.force_login(make_user())
    shown = client.get(reverse("api_reference"), HTTP_HOST="testserver").content.decode()
    assert all(f'id="call-{key}"' in shown for key in OPERATIONS)
    targets = set(re.findall(r'href="#([^"]+)"', shown))
    assert targets <= set(re.findall(r'id="([^"]+)"', shown))
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', shown)
    assert "http://testserver/api/v1/token" in shown
