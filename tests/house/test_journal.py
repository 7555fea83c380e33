"""Every address that changes something leaves a row in the journal, or says here why not. A new one without fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, transaction
from django.test import Client

from labeling.codebook import add_sub_cause
from labeling.keys import DEFAULTS
from labeling.models import GoldChallenge, NoteSnapshot
from labeling.report.publish import hash_of
from labeling.worklist import default_session
from tests.factories import PASSWORD, make_chunk, make_claim, make_judge, make_member, make_project
from tests.house.test_access_matrix import World, address
from tests.house.test_urls import PUBLIC, patterns
from tests.labeling.rows import make_classified, say
from triage.classify import adopt
from triage.core.policy import DEFAULT_POLICY
from triage.forms import ProjectForm
from triage.housekeeping import rename
from triage.invite import invite
from triage.models import Change, Claim, Message, Retrieved, Role, Run, Score, Upload, Webhook
from triage.tokens import make as make_token


def adopted_before(world: World) -> str:
    """Adopt a policy and then the default one again; return the first, to go back to."""
    moved = adopt(world.project, DEFAULT_POLICY.model_copy(update={"context_recall": 0.9}))
    adopt(world.project, DEFAULT_POLICY)
    return str(moved.pk)


def labels_from_elsewhere(world: World) -> dict[str, Any]:
    """Return a kept file with one label of the world's claim."""
    claim = Claim.objects.filter(query__run=world.run).earliest("pk")
    row = {"query": claim.query.key, "claim": claim.text, "label": "supported", "rater": "ann"}
    return {"text": json.dumps(row), "keep": "1"}


#: URL name -> the row's action, and what is posted. What GET hands out as a file is in FILES.
LEAVES: dict[str, tuple[str, Callable[[World], dict[str, Any]]]] = {
    "logout": ("account.logged_out", lambda world: {}),
    "password_change": (
        "account.password_changed",
        lambda world: {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW},
    ),
    "my_keys": ("keys.changed", lambda world: {key.action: key.key for key in DEFAULTS} | {"letters_on": "on"}),
    "members": ("invitation.made", lambda world: {"invite-role": "viewer"}),
    "member_role": ("member.role_changed", lambda world: {"role": "reviewer"}),
    "member_remove": ("member.removed", lambda world: {}),
    "project_settings": (
        "project.configured",
        lambda world: {**ProjectForm.values_of(world.project), "name": "Another name"},
    ),
    "panel": ("judges.ordered", lambda world: {"lexical": 1}),
    "panel_try": ("judges.tried", lambda world: {"first": "lexical"}),
    "tokens": ("token.made", lambda world: {"name": "build", "scopes": ["read"], "days": "7"}),
    "token_revoke": ("token.revoked", lambda world: {}),
    "webhook_steer": ("webhook.disabled", lambda world: {}),
    "message_retry": ("webhook.message_resent", lambda world: {}),
    "run_rename": ("run.renamed", lambda world: {"name": "another"}),
    "run_delete": ("run.deleted", lambda world: {}),
    "run_steer": ("run.rescored", lambda world: {}),
    "uploads": ("upload.taken", lambda world: {"run_files": SimpleUploadedFile("a.jsonl", b"{}\n")}),
    "upload_steer": ("upload.cancelled", lambda world: {}),
    "demo": ("upload.taken", lambda world: {}),
    "receive_labels": ("labels.received", labels_from_elsewhere),
    "what_if": ("policy.adopted", lambda world: {"context_recall": "0.9"}),
    "policies": ("policy.adopted", lambda world: {"version": adopted_before(world)}),
    "publish": ("report.published", lambda world: {}),
    "snapshot_withdraw": ("report.withdrawn", lambda world: {"reason": "A figure was wrong."}),
    "more": ("session.made", lambda world: {"half_width": "1"}),
    "item_challenge": ("challenge.raised", lambda world: {"kind": "ambiguous_question"}),
    "challenge": ("challenge.rejected", lambda world: {"ruling": "reject", "reason": "It holds the answer."}),
    "codebook": (
        "codebook.changed",
        lambda world: {"label": "still_wrong", "name": "too_new", "definition": "Newer than the corpus."},
    ),
    "codebook_retire": ("codebook.changed", lambda world: {"label": "still_wrong", "name": "too_old"}),
    "adjudication_query": (
        "query.adjudicated",
        lambda world: {"key": str(uuid4()), "label": "still_wrong", "reason": "Because."},
    ),
    "notes": (
        "query.adjudicated",
        lambda world: {"becomes": "still_wrong/", "note": str(world.run.queries.get(position=2).verdicts.get().pk)},
    ),
    "confirm_bulk": (
        "queries.confirmed",
        lambda world: {"query": [str(query.pk) for query in world.run.queries.all()]},
    ),
    "item_claims": (
        "claims.recut",
        lambda world: {f"claim-{claim.pk}": "Other words." for claim in world.run.queries.get(position=1).claims.all()},
    ),
    "session_new": (
        "session.made",
        lambda world: {
            "name": "mine", "population": "failing", "how": "all", "n": 5, "overlap": 1, "blind_percent": 100
        },
    ),
    "session_close": ("session.closed", lambda world: {}),
}  # fmt: skip
#: URL name -> the row's action: files that leave the product.
FILES = {
    "report_file": "report.downloaded",
    "judge_export": "calibration.exported",
    "changes_file": "changes.exported",
    "mend_export": "worklist.downloaded",
    "trend_file": "trend.downloaded",
    "resample_file": "evaluation_set.downloaded",
    "snapshot_file": "snapshot.downloaded",
}
#: What a file's address is asked with.
ASKED: dict[str, Callable[[World], dict[str, str]]] = {"resample_file": lambda world: {"logs": world.run.key}}
#: URL name -> why it leaves no row although it takes a POST.
SILENT: dict[str, str] = {
    "webhooks": "sending is off where tests run: test_webhooks reads the row",
    "home": "leads on; reads only",
    "item": "a verdict is its own row: never changed, with its author, time, and what it replaced",
    "item_skip": "a skip is its own row, with its author and reason",
    "item_hold": "keeps a seat for some minutes",
    "item_comments": "a comment is its own row, with its author",
    "mend_mark": "a mark is its own row, with its author and time",
    "upload_columns": "the choice stands on the row of the file, whose arrival is written down",
    "session_requeue": "a skip is withdrawn; the queue, not the record",
    "session_undo": "the withdrawn verdict stays, marked",
    "agreement_compute": "figures are computed anew from the same rows",
    "judges_compare": "figures are computed anew from the same rows",
    "judge_compare": "figures are computed anew from the same rows",
    "queries": "reads only",
    "query": "reads only",
}
NEW = "quite another pass-phrase"
NAMES = sorted({str(pattern.name) for pattern in patterns()} - set(PUBLIC))


@pytest.fixture
def world(db: None) -> World:
    """A project with a classified run, a session, a note, a challenge, a judge with a word, an upload."""
    project = make_project()
    run = make_classified(project, retrieval_miss=3, correct=1)
    Run.objects.filter(pk=run.pk).update(state=Run.State.DONE)
    first, second = run.queries.get(position=1), run.queries.get(position=2)
    Retrieved.objects.create(query=first, rank=1, chunk=make_chunk(run))
    judge = make_judge()
    Score.objects.create(judge=judge, query=first, claim=make_claim(first), value=0.9)
    callers = {role: make_member(project, role) for role in Role}
    say(second, "", imported_reviewer="", reviewer=callers[Role.LEAD], note="Look at the second sentence.")
    GoldChallenge.objects.create(query=first, kind=GoldChallenge.Kind.WRONG_CHUNK)
    add_sub_cause(project, None, "still_wrong", "too_old", "Older than the corpus.")
    NoteSnapshot.objects.create(run=run, content_hash=hash_of(""))
    make_token(project, callers[Role.OWNER], "build", ["read"], days=7)
    hook = Webhook.objects.create(project=project, url="https://hooks.example/", kinds=["due"])
    Message.objects.create(webhook=hook, kind="due", message_id="due-1", state=Message.State.GIVEN_UP)
    upload = Upload.objects.create(project=project, file_name="a.jsonl", size_bytes=1, sha256="0" * 64)
    session = default_session(Run.objects.get(pk=run.pk))
    return World(project, run, session, judge, upload, callers, make_member(make_project(), Role.OWNER))


@pytest.fixture
def owner(world: World) -> Client:
    client = Client()
    client.force_login(world.callers[Role.OWNER])
    return client


@pytest.mark.parametrize("name", NAMES)
def test_an_address_that_takes_a_post_leaves_a_row_or_says_why_not(name: str, world: World, owner: Client) -> None:
    known = name in LEAVES or name in SILENT or name in FILES
    assert known or owner.post(address(name, world)).status_code == 405, (
        f"{name} takes a POST: let its verb call journal.note and add it to LEAVES, or say in SILENT why not"
    )


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_a_change_leaves_one_row_with_who_what_and_from_where(name: str, world: World, owner: Client) -> None:
    action, posted = LEAVES[name]
    data = posted(world)
    before = set(Change.objects.values_list("pk", flat=True))
    answer = owner.post(address(name, world), data)
    rows = Change.objects.exclude(pk__in=before).filter(action=action)
    assert rows, f"{answer.status_code}: {answer.content[:2000]!r}"
    for row in rows:
        assert (row.who, row.via, row.place) == (world.callers[Role.OWNER].username, "page", name)
        assert row.key
        assert row.old != row.new or row.old is None
        assert row.project_id == (None if action.startswith(("account.", "keys.")) else world.project.pk)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_file_that_leaves_the_product_leaves_a_row(name: str, world: World, owner: Client) -> None:
    answer = owner.get(address(name, world), ASKED.get(name, lambda _: {})(world))
    assert answer.status_code == 200
    assert "attachment" in answer.headers["Content-Disposition"]
    assert Change.objects.get(action=FILES[name]).who == world.callers[Role.OWNER].username


def test_every_address_of_a_file_leaves_a_row() -> None:
    ends = {"file", "export"}
    assert {name for name in NAMES if name.rpartition("_")[2] in ends} <= set(FILES)


def test_log_in_and_join_leave_rows_and_no_secret(world: World) -> None:
    token = invite(world.project, Role.VIEWER)
    joined = Client().post(f"/join/{token}/", {"username": "nina", "password": NEW, "password_again": NEW})
    assert joined.status_code == 302
    assert Client().post("/login/", {"username": "nina", "password": NEW}).status_code == 302
    assert list(Change.objects.filter(who="nina").order_by("pk").values_list("action", flat=True)) == [
        "member.joined",
        "account.logged_in",
        "account.logged_in",
    ]
    written = str(list(Change.objects.values()))
    assert token not in written
    assert NEW not in written


def test_the_journal_cannot_be_rewritten(world: World, owner: Client) -> None:
    owner.post(address("run_rename", world), {"name": "another"})
    rows = Change.objects.filter(action="run.renamed")
    for forge in (lambda: rows.update(who="somebody else"), rows.delete):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            forge()
    assert rows.get().who == world.callers[Role.OWNER].username


def test_a_row_outlives_the_person_and_the_run(world: World, owner: Client) -> None:
    owner.post(address("run_delete", world))
    name = world.callers[Role.OWNER].username
    world.callers[Role.OWNER].delete()
    assert Change.objects.get(action="run.deleted").who == name


def test_a_change_that_is_rolled_back_leaves_no_row(world: World) -> None:
    with transaction.atomic():
        rename(world.run, "another")
        transaction.set_rollback(True)
    assert not Change.objects.filter(action="run.renamed").exists()
