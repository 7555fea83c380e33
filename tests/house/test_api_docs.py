"""docs/api.md names every call of the API, with its scopes, and every problem; the fix is a row in it."""

from __future__ import annotations

import re

from config.api import api
from tests.house.test_api_matrix import LEAST, OWN
from tests.house.tree import ROOT, modules, text
from triage.api.building import PATH
from triage.models import Role, Scope

DOC = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


def test_every_call_is_documented_with_its_scopes_and_role() -> None:
    rows = dict(re.findall(r"^\| `((?:GET|POST|DELETE) /[^`]*)` \| ([^|]*) \|", DOC, re.MULTILINE))
    schema = api.get_openapi_schema(path_prefix=PATH)
    known = set()
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            call = f"{method.upper()} {path.removeprefix('/' + PATH.rstrip('/'))}"
            known.add(call)
            assert call in rows, f"add a row for {call}"
            scopes, role = LEAST[operation["operationId"]]
            told = set(re.findall(r"`(\w+)`", rows[call]))
            assert told == (set() if scopes == set(Scope) else {str(scope) for scope in scopes}), call
            assert ("lead" in rows[call]) == (role is Role.LEAD), call
    assert set(rows) == known, "these calls are not there any more"
    assert set(LEAST) >= OWN


def test_every_scope_is_documented() -> None:
    assert all(f"| `{scope}` |" in DOC for scope in Scope)


def test_every_problem_is_documented() -> None:
    source = "".join(text(path) for path in modules("triage", "labeling") if "api" in path.parts)
    codes = set(re.findall(r"ProblemError\(\s*\d+,\s*\"(\w+)\"", source))
    assert len(codes) > 8
    missing = sorted(code for code in codes if f"| `{code}` |" not in DOC)
    assert not missing, f"add rows for {missing}"
