"""SEC-07: every address x caller x method. A new address without an entry here fails.

A foreign object does not exist (404), a member whose role is too small is refused (403), nobody gets in without
a login, and no method ends in a 500.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from labeling.models import GoldChallenge, NoteSnapshot, ReviewSession
from labeling.worklist import default_session
from tests.factories import make_chunk, make_claim, make_judge, make_member, make_project, make_query, make_run
from tests.house.test_urls import PUBLIC, patterns
from triage.models import ApiToken, Judge, Message, Project, Role, Run, Score, Upload, Webhook
from triage.tokens import make as make_token

SAFE, UNSAFE = ("GET", "HEAD"), ("POST", "PUT", "PATCH", "DELETE")
EVERYBODY = None

#: URL name -> least role to read, least role to change. EVERYBODY = any login, about the caller alone.
LEAST: dict[str, tuple[Role | None, Role | None]] = {
    "home": (EVERYBODY, EVERYBODY),
    "logout": (EVERYBODY, EVERYBODY),
    "password_change": (EVERYBODY, EVERYBODY),
    "my_keys": (EVERYBODY, EVERYBODY),
    "api_reference": (EVERYBODY, EVERYBODY),
    "members": (Role.LEAD, Role.LEAD),
    "member_role": (Role.OWNER, Role.OWNER),
    "member_remove": (Role.OWNER, Role.OWNER),
    "tokens": (Role.LEAD, Role.LEAD),
    "token_revoke": (Role.LEAD, Role.LEAD),
    "webhooks": (Role.OWNER, Role.OWNER),
    "webhook_steer": (Role.OWNER, Role.OWNER),
    "message_retry": (Role.OWNER, Role.OWNER),
    "project_settings": (Role.LEAD, Role.LEAD),
    "changes": (Role.OWNER, Role.OWNER),
    "changes_file": (Role.OWNER, Role.OWNER),
    "panel": (Role.VIEWER, Role.LEAD),
    "panel_try": (Role.LEAD, Role.LEAD),
    "resample": (Role.VIEWER, Role.VIEWER),
    "resample_file": (Role.VIEWER, Role.VIEWER),
    "confirmed": (Role.VIEWER, Role.VIEWER),
    "mend": (Role.VIEWER, Role.VIEWER),
    "mend_mark": (Role.REVIEWER, Role.REVIEWER),
    "mend_export": (Role.VIEWER, Role.VIEWER),
    "dashboard": (Role.VIEWER, Role.VIEWER),
    "trend": (Role.VIEWER, Role.VIEWER),
    "trend_file": (Role.VIEWER, Role.VIEWER),
    "runs": (Role.VIEWER, Role.VIEWER),
    "run": (Role.VIEWER, Role.VIEWER),
    "run_progress": (Role.VIEWER, Role.VIEWER),
    "run_rename": (Role.LEAD, Role.LEAD),
    "run_delete": (Role.LEAD, Role.LEAD),
    "run_steer": (Role.LEAD, Role.LEAD),
    "slices": (Role.VIEWER, Role.VIEWER),
    "queries": (Role.VIEWER, Role.VIEWER),
    "query": (Role.VIEWER, Role.VIEWER),
    "uploads": (Role.VIEWER, Role.LEAD),
    "upload": (Role.VIEWER, Role.VIEWER),
    "upload_progress": (Role.VIEWER, Role.VIEWER),
    "upload_errors": (Role.VIEWER, Role.VIEWER),
    "upload_columns": (Role.LEAD, Role.LEAD),
    "upload_steer": (Role.LEAD, Role.LEAD),
    "demo": (Role.LEAD, Role.LEAD),
    "compare": (Role.VIEWER, Role.VIEWER),
    "confidence": (Role.VIEWER, Role.VIEWER),
    "economics": (Role.VIEWER, Role.VIEWER),
    "sources": (Role.VIEWER, Role.VIEWER),
    "ladder": (Role.VIEWER, Role.VIEWER),
    "gate": (Role.VIEWER, Role.VIEWER),
    "audit": (Role.VIEWER, Role.VIEWER),
    "due": (Role.VIEWER, Role.VIEWER),
    "more": (Role.VIEWER, Role.LEAD),
    "what_if": (Role.VIEWER, Role.LEAD),
    "policies": (Role.VIEWER, Role.LEAD),
    "judges": (Role.VIEWER, Role.VIEWER),
    "judge": (Role.VIEWER, Role.VIEWER),
    "judge_items": (Role.VIEWER, Role.VIEWER),
    "judge_export": (Role.LEAD, Role.LEAD),
    "judges_compare": (Role.REVIEWER, Role.REVIEWER),
    "judge_compare": (Role.REVIEWER, Role.REVIEWER),
    "reports": (Role.VIEWER, Role.VIEWER),
    "report": (Role.VIEWER, Role.VIEWER),
    "report_file": (Role.VIEWER, Role.VIEWER),
    "publish": (Role.LEAD, Role.LEAD),
    "snapshot": (Role.VIEWER, Role.VIEWER),
    "snapshot_file": (Role.VIEWER, Role.VIEWER),
    "snapshot_withdraw": (Role.LEAD, Role.LEAD),
    "adjudication": (Role.LEAD, Role.LEAD),
    "adjudication_query": (Role.LEAD, Role.LEAD),
    "agreement": (Role.LEAD, Role.LEAD),
    "agreement_cell": (Role.LEAD, Role.LEAD),
    "agreement_compute": (Role.LEAD, Role.LEAD),
    "challenges": (Role.VIEWER, Role.VIEWER),
    "challenge": (Role.VIEWER, Role.LEAD),
    "codebook": (Role.VIEWER, Role.LEAD),
    "codebook_retire": (Role.LEAD, Role.LEAD),
    "notes": (Role.LEAD, Role.LEAD),
    "receive_labels": (Role.LEAD, Role.LEAD),
    "confirm_bulk": (Role.LEAD, Role.LEAD),
    "sessions": (Role.VIEWER, Role.VIEWER),
    "session": (Role.VIEWER, Role.VIEWER),
    "session_new": (Role.LEAD, Role.LEAD),
    "session_close": (Role.LEAD, Role.LEAD),
    "review": (Role.REVIEWER, Role.REVIEWER),
    "session_presence": (Role.LEAD, Role.LEAD),
    "session_review": (Role.REVIEWER, Role.REVIEWER),
    "item": (Role.REVIEWER, Role.REVIEWER),
    "item_back": (Role.REVIEWER, Role.REVIEWER),
    "item_ahead": (Role.REVIEWER, Role.REVIEWER),
    "item_beyond": (Role.REVIEWER, Role.REVIEWER),
    "item_challenge": (Role.REVIEWER, Role.REVIEWER),
    "item_claims": (Role.REVIEWER, Role.REVIEWER),
    "item_comments": (Role.REVIEWER, Role.REVIEWER),
    "item_hold": (Role.REVIEWER, Role.REVIEWER),
    "item_skip": (Role.REVIEWER, Role.REVIEWER),
    "session_requeue": (Role.REVIEWER, Role.REVIEWER),
    "session_undo": (Role.REVIEWER, Role.REVIEWER),
}
NAMES = sorted({str(pattern.name) for pattern in patterns()} - set(PUBLIC))


@dataclass(frozen=True)
class World:
    """One project with a run, a query, a session; a caller of every role; and a stranger who owns another."""

    project: Project
    run: Run
    session: ReviewSession
    judge: Judge
    upload: Upload
    callers: dict[Role, User]
    stranger: User


@pytest.fixture
def world(db: None) -> World:
    project = make_project()
    run = make_run(project, state=Run.State.DONE)
    query, judge = make_query(run, [make_chunk(run)]), make_judge()
    Score.objects.create(judge=judge, query=query, claim=make_claim(query), value=0.9)
    GoldChallenge.objects.create(query=query, kind=GoldChallenge.Kind.WRONG_CHUNK)
    callers = {role: make_member(project, role) for role in Role}
    stranger = make_member(make_project(), Role.OWNER)
    hook = Webhook.objects.create(project=project, url="https://hooks.example/", kinds=["due"])
    Message.objects.create(webhook=hook, kind="due", message_id="due-1", state=Message.State.GIVEN_UP)
    NoteSnapshot.objects.create(run=run)
    make_token(project, callers[Role.OWNER], "build", ["read"], days=7)
    upload = Upload.objects.create(project=project, file_name="a.jsonl", size_bytes=1, sha256="0" * 64)
    return World(project, run, default_session(run), judge, upload, callers, stranger)


def address(name: str, world: World) -> str:
    """Return the address of this name for the objects of the world."""
    pattern = next(pattern for pattern in patterns() if pattern.name == name)
    route = str(pattern.pattern).lstrip("^")
    member = world.project.members.get(role=Role.VIEWER)
    keys: dict[str, Callable[[], str]] = {
        "runs/": lambda: world.run.key,
        "sessions/": lambda: world.session.key,
        "uploads/": lambda: world.upload.key,
        "snapshots/": lambda: world.run.snapshots.get().key,
    }
    values: dict[str, object] = {
        "slug": world.project.slug,
        "position": 1,
        "pk": {
            "challenge": lambda: GoldChallenge.objects.get().pk,
            "token_revoke": lambda: ApiToken.objects.get().pk,
            "webhook_steer": lambda: Webhook.objects.get().pk,
            "message_retry": lambda: Message.objects.get().pk,
        }.get(name, lambda: member.pk)(),
        "action": {"upload_steer": "cancel", "webhook_steer": "disable"}.get(name, "rescore"),
        "ending": "csv",
        "to": {"judge_export": "csv", "mend_export": "csv", "changes_file": "csv"}.get(name, "md"),
        "fingerprint": world.judge.fingerprint,
        "key": next((make() for start, make in keys.items() if route.startswith(start)), ""),
    }
    converters = pattern.pattern.regex.groupindex or dict.fromkeys(pattern.pattern.converters)  # type: ignore[attr-defined]
    return reverse(name, kwargs={kwarg: values[kwarg] for kwarg in converters})


def answers(client: Client, name: str, world: World) -> dict[str, int]:
    """Return the status of every method at this address."""
    client.raise_request_exception = False
    path = address(name, world)
    return {method: client.generic(method, path).status_code for method in (*SAFE, *UNSAFE)}


@pytest.mark.parametrize("name", NAMES)
def test_SEC07_every_address_has_an_entry(name: str) -> None:
    assert name in LEAST, f"add {name} to LEAST: who may read it, who may change it?"


@pytest.mark.parametrize("name", NAMES)
def test_SEC07_nobody_gets_in_without_a_login(name: str, world: World) -> None:
    for method, status in answers(Client(), name, world).items():
        assert status in {302, 401, 405}, f"{method} {name}: {status}"


@pytest.mark.parametrize("name", NAMES)
def test_SEC07_a_foreign_object_does_not_exist(name: str, world: World) -> None:
    if LEAST[name][0] is EVERYBODY:
        return
    client = Client()
    client.force_login(world.stranger)
    for method, status in answers(client, name, world).items():
        assert status in {404, 405}, f"{method} {name}: {status}"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("role", list(Role))
def test_SEC07_a_role_opens_what_it_should_and_nothing_more(name: str, role: Role, world: World) -> None:
    client = Client()
    client.force_login(world.callers[role])
    for method, status in answers(client, name, world).items():
        assert status < 500, f"{method} {name} as {role}: {status}"
        least = LEAST[name][method in UNSAFE]
        if least is not EVERYBODY and role.rank < least.rank:
            assert status in {403, 405}, f"{method} {name} as {role}: {status}"
        else:
            assert status != 403, f"{method} {name} as {role}: {status}"
