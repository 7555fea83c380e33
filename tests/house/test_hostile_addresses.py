"""SEC-02, SEC-18, SEC-23: odd keys and values at every address are refused or ignored, never obeyed, never a 500."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client

from tests.house.test_access_matrix import LEAST, NAMES, World, address, world
from tests.house.tree import modules, text
from triage.models import Member, Role

__all__ = ["world"]  # the fixture

pytestmark = pytest.mark.django_db

#: Keys that reached the ORM, the SQL or the template of somebody, and pieces that end a piece of SQL.
KEYS = (
    "_connector", "_negated", "pk__in", "id__gt", "user__password__startswith", "run__project__members__user__password",
    "order_by", "sort", "-password", "?", "fields", "values", "annotate", "kind", "extra", "raw", "__class__",
    "__init__.__globals__", "x\") --", "x' OR '1'='1", "a;DROP TABLE triage_run", "a\x00b", "%(x)s", "{0.__class__}",
    "{{7*7}}", "${x}", "a" * 2000, "\ud7ff", "\u202e", "next", "page", "run", "label", "text", "after", "before",
    "cell", "split", "slice", "outcome", "against", "to", "k", "n", "flag", "a", "b", "judge", "logs", "last", "cross",
)  # fmt: skip
VALUES = (
    "", "0", "-1", "1e999", "NaN", "9" * 400, "x' OR 1=1 --", "\x00", "\u202e", "{{7*7}}", "{% debug %}", "null", "[]",
    "../../etc/passwd", "a" * 5000, "__class__",
)  # fmt: skip
#: 200 and more pairs: each key with four values, another four for the next key.
PAIRS = [(key, VALUES[(place * 4 + step) % len(VALUES)]) for place, key in enumerate(KEYS) for step in range(4)]
#: Module -> why a piece of SQL of its own is safe there.
REVIEWED = {"labeling/access.py": "the text is a constant; the id of who is logged in is a parameter"}
RAW_SQL = re.compile(
    r"\.extra\(|RawSQL\(|\.raw\(|\*\*\s*(?:dict\()?request\.(?:GET|POST)|(?<![\w.])(?:eval|exec)\(|from_string\("
)


@pytest.mark.parametrize("name", NAMES)
def test_SEC02_no_key_of_an_address_reaches_the_database(name: str, world: World) -> None:
    assert len(PAIRS) >= 200
    client = Client()
    client.raise_request_exception = False
    client.force_login(world.callers[Role.OWNER])
    path = address(name, world)
    for start in range(0, len(PAIRS), 40):
        answer = client.get(f"{path}?{urlencode(PAIRS[start : start + 40])}")
        assert answer.status_code < 500, f"{name}: {PAIRS[start : start + 40]}"
        page = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
        assert b"password_hash" not in page
        assert b">49<" not in page


def test_SEC02_SEC18_no_module_hands_a_request_to_the_orm_or_text_to_a_template() -> None:
    found = [str(path) for path in modules() if RAW_SQL.search(text(path)) and str(path) not in REVIEWED]
    assert not found, f"name the fields, and never make a query, code or a template of what came in: {found}"


def _names_of_columns() -> dict[str, str]:
    """Return every column of every model of ours with a value somebody might like."""
    models = [model for app in ("auth", "triage", "labeling") for model in apps.get_app_config(app).get_models()]
    return {field.attname: "1" for model in models for field in model._meta.concrete_fields}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in {"run_delete", "logout"}])
def test_SEC23_no_form_takes_a_column_it_does_not_show(name: str, world: World) -> None:
    client = Client()
    client.raise_request_exception = False
    client.force_login(world.callers[Role.OWNER])
    before = list(Member.objects.order_by("pk").values())
    extra = _names_of_columns() | {"final": "true", "project": str(world.project.pk), "reviewer": "1"}
    for least in ("role", "name"):
        extra.pop(least, None)  # a form of owners shows these
    assert client.post(address(name, world), extra).status_code < 500
    assert not User.objects.filter(is_superuser=True).exists()
    assert not User.objects.filter(is_staff=True).exists()
    if name != "member_remove":
        assert list(Member.objects.order_by("pk").values()) == before
    world.run.refresh_from_db()
    assert world.run.project_id == world.project.pk


def test_every_address_is_asked() -> None:
    assert set(NAMES) == set(LEAST)
