"""SEC-07 for programs: every endpoint of the API x scope x role x foreign object. A new one without an entry fails."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from config.api import api
from tests.house.test_access_matrix import World, world
from triage.api.building import PATH
from triage.models import Member, Role, Scope
from triage.tokens import make

__all__ = ["world"]

#: operationId -> scopes that open it, and the least role of the token's maker.
LEAST: dict[str, tuple[set[Scope], Role]] = {
    "token": (set(Scope), Role.VIEWER),
    "projects": ({Scope.READ}, Role.VIEWER),
    "project": ({Scope.READ}, Role.VIEWER),
    "upload_new": ({Scope.IMPORT}, Role.LEAD),
    "upload": ({Scope.IMPORT, Scope.READ}, Role.VIEWER),
    "upload_cancel": ({Scope.IMPORT}, Role.LEAD),
    "runs": ({Scope.READ, Scope.IMPORT, Scope.GATE}, Role.VIEWER),
    "run": ({Scope.READ, Scope.IMPORT, Scope.GATE}, Role.VIEWER),
    "run_cancel": ({Scope.IMPORT}, Role.LEAD),
    "run_delete": ({Scope.DELETE}, Role.LEAD),
    "queries": ({Scope.READ}, Role.VIEWER),
    "query": ({Scope.READ}, Role.VIEWER),
    "verdicts": ({Scope.READ}, Role.LEAD),
    "judges": ({Scope.READ}, Role.VIEWER),
    "run_report": ({Scope.READ}, Role.VIEWER),
    "run_gate": ({Scope.GATE, Scope.READ}, Role.VIEWER),
    "run_export": ({Scope.EXPORT}, Role.LEAD),
    "check_grounding": ({Scope.GROUND}, Role.VIEWER),
    "check_grounding_batch": ({Scope.GROUND}, Role.VIEWER),
}
#: About the token alone: it names no object.
OWN = {"token", "projects"}
SCHEMA = api.get_openapi_schema(path_prefix=PATH)
OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, methods in SCHEMA["paths"].items()
    for method, operation in methods.items()
}
NAMES = sorted(OPERATIONS)
BODIES: dict[str, object] = {
    "upload_new": {"question": "?"},
    "check_grounding": {"answer": "", "passages": []},
    "check_grounding_batch": {"items": [{"answer": ""}]},
}


def status(name: str, world: World, secret: str) -> int:
    """Ask an endpoint for the world's own objects."""
    method, path, _ = OPERATIONS[name]
    key = world.upload.key if "/uploads/{key}" in path else world.run.key
    values = {"slug": world.project.slug, "key": key, "position": 1, "what": "gold-patch"}
    body = json.dumps(BODIES[name]) if name in BODIES else ""
    client = Client(raise_request_exception=False)
    headers = {"Authorization": f"Bearer {secret}"}
    return client.generic(method.upper(), path.format(**values), body, "application/json", headers=headers).status_code


def key_of(world: World, role: Role, scopes: set[Scope]) -> str:
    return make(world.project, world.callers[role], "matrix", scopes, 1)[1]


@pytest.mark.parametrize("name", NAMES)
def test_SEC07_every_endpoint_has_an_entry(name: str) -> None:
    assert name in LEAST, f"add {name} to LEAST: which scopes open it, and for whom?"


@pytest.mark.parametrize("name", NAMES)
def test_SEC07_every_endpoint_documents_what_may_go_wrong(name: str) -> None:
    _, _, operation = OPERATIONS[name]
    assert {401, 403, 404, 422, 429} <= set(operation["responses"])
    assert operation["security"] == [{"Bearer": []}]
    assert operation["description"]


@pytest.mark.parametrize("name", NAMES)
def test_SEC07_nobody_gets_in_without_a_token(name: str, world: World) -> None:
    assert status(name, world, "ragt_no_no") == 401


@pytest.mark.parametrize("name", NAMES)
def test_SEC07_a_foreign_object_does_not_exist(name: str, world: World) -> None:
    if name in OWN:
        return
    elsewhere = world.stranger.memberships.get().project
    _, secret = make(elsewhere, world.stranger, "stranger", set(Scope), 1)
    assert status(name, world, secret) == 404
    Member.objects.create(project=world.project, user=world.stranger, role=Role.OWNER)
    assert status(name, world, secret) == 404, "the token is of another project, though its maker is in both"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scope", list(Scope))
def test_SEC07_a_scope_opens_what_it_should_and_nothing_more(name: str, scope: Scope, world: World) -> None:
    found = status(name, world, key_of(world, Role.OWNER, {scope}))
    if scope in LEAST[name][0]:
        assert found not in {401, 403, 404}, f"{name} with {scope}: {found}"
        assert found != 500
    else:
        assert found == 403, f"{name} with {scope}: {found}"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("role", list(Role))
def test_SEC07_a_role_opens_what_it_should_and_nothing_more(name: str, role: Role, world: World) -> None:
    found = status(name, world, key_of(world, role, set(Scope)))
    assert (found == 403) == (role.rank < LEAST[name][1].rank), f"{name} as {role}: {found}"
