"""Webhooks: rows beside the event, sent signed to a real local server, tried again, given up."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import jsonschema_rs
import pytest
from celery import current_app
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings
from ragtriage import verify_webhook

from tests.factories import make_chunk, make_claim, make_member, make_project, make_query, make_run
from tests.receiver import Receiver, receiving
from triage import housekeeping, tasks
from triage.models import Change, Event, Message, Project, Role, Run, Webhook
from triage.outbound import RefusedError
from triage.tasks import driver, run_to_end
from triage.webhooks import (
    LOST,
    MOST_ATTEMPTS,
    WAITS_S,
    add,
    delete,
    deliver,
    disable,
    enable,
    forget_old,
    next_of,
    ping,
    retry,
    secret_of,
    tell,
    to_deliver,
)

pytestmark = pytest.mark.django_db
SCHEMA = json.loads((django_settings.BASE_DIR / "docs" / "schema" / "webhook-1.json").read_text("utf-8"))
ALL = [str(kind) for kind, _ in Event.to_choose()]


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    with receiving() as server:
        settings.WEBHOOKS, settings.OUTBOUND_PRIVATE_HOSTS, settings.OUTBOUND_TIMEOUT_S = True, ["127.0.0.1"], 2
        yield server


@pytest.fixture
def project() -> Project:
    return make_project(name="Help desk")


@pytest.fixture
def owner(project: Project) -> User:
    return make_member(project, Role.OWNER)


@pytest.fixture
def hook(receiver: Receiver, project: Project, owner: User) -> Webhook:
    return add(project, owner, receiver.url, ALL)[0]


def told(project: Project, about: str = "a") -> Message:
    """Return the newest message after an event of this name."""
    tell(project.pk, Event.DUE, about, {"due": 0, "new": []})
    return Message.objects.latest("pk")


def later(message: Message) -> None:
    """Let the wait of a message pass."""
    Message.objects.filter(pk=message.pk).update(next_attempt_at=timezone.now() - timedelta(seconds=1))


def events(receiver: Receiver) -> list[dict[str, Any]]:
    """Return the bodies that came in, each as the schema says."""
    bodies = [json.loads(taken.body) for taken in receiver.taken]
    for body in bodies:
        jsonschema_rs.validator_for(SCHEMA).validate(body)
    return bodies


def test_a_finished_run_is_told_signed_and_once(receiver: Receiver, project: Project, hook: Webhook) -> None:
    run = make_run(project, release="2026.11")
    make_claim(make_query(run, [make_chunk(run)], gold=["x"]))
    run_to_end(run.pk)
    driver.end_classifying(run.pk)  # a second worker comes too late
    (pk,) = Message.objects.filter(kind="run_finished").values_list("pk", flat=True)
    sent = deliver(pk)
    assert sent is not None
    assert (sent.state, sent.attempts, sent.body, sent.last_error) == ("delivered", 1, "", "")
    assert deliver(pk) is None
    (taken,) = receiver.taken
    event = verify_webhook(taken.body, taken.headers, secret_of(hook))
    assert events(receiver) == [event]
    assert event["data"] | {"reason": ""} == {
        "project": project.slug, "run": run.key, "name": run.name, "release": "2026.11", "state": "done", "reason": "",
        "outcomes": {"failing": 1, "correct": 0, "undecided": 0}, "classes": {"retrieval_miss": 1},
        "url": f"/runs/{run.key}/",
    }  # fmt: skip
    assert taken.headers["webhook-id"] == sent.message_id
    assert taken.headers["x-ragtriage-event"] == "run_finished"


def test_a_failed_run_is_told_too(receiver: Receiver, project: Project, hook: Webhook) -> None:
    project.judge_order = ["nobody"]
    project.save()
    run = make_run(project)
    driver.next_step(run.pk)
    assert Run.objects.get(pk=run.pk).state == "failed"
    deliver(Message.objects.get().pk)
    (event,) = events(receiver)
    assert (event["data"]["state"], event["data"]["classes"]) == ("failed", None)
    assert "Retry" in event["data"]["reason"]


def test_an_event_that_is_undone_leaves_no_message(project: Project, hook: Webhook) -> None:
    @transaction.atomic
    def die_half_way() -> None:
        told(project)
        raise RuntimeError("the process died here")

    with pytest.raises(RuntimeError):
        die_half_way()
    assert not Message.objects.exists()


def test_twice_is_once(project: Project, hook: Webhook) -> None:
    counts = [tell(project.pk, Event.DUE, about, {"due": 0, "new": []}) for about in ("a", "a", "b")]
    assert counts == [1, 0, 1]
    assert Message.objects.count() == 2


def test_nothing_is_kept_while_sending_is_off(project: Project, hook: Webhook, settings: Settings) -> None:
    waiting = told(project)
    settings.WEBHOOKS = False
    assert tell(project.pk, Event.DUE, "b", {}) == 0
    assert (to_deliver(), deliver(waiting.pk)) == ([], None)
    settings.WEBHOOKS = True
    assert to_deliver() == [waiting.pk]


def test_a_fault_is_tried_again_under_the_same_id_with_growing_waits(
    receiver: Receiver, project: Project, hook: Webhook
) -> None:
    message, waits = told(project), []
    receiver.status = 500
    for _ in range(MOST_ATTEMPTS):
        sent = deliver(message.pk)
        assert sent is not None
        assert sent.last_error == "The receiver answered 500."
        if sent.state == "waiting":
            waits.append(round((sent.next_attempt_at - timezone.now()).total_seconds()))
            assert deliver(message.pk) is None, "before its time nobody sends it"
        later(message)
    assert (sent.state, sent.attempts, MOST_ATTEMPTS) == ("given_up", 8, 8)
    assert waits == pytest.approx(WAITS_S, abs=5)
    assert deliver(message.pk) is None
    assert len({taken.headers["webhook-id"] for taken in receiver.taken}) == 1
    assert len({taken.body for taken in receiver.taken}) == 1
    assert len(receiver.taken) == 8
    receiver.status = 204
    assert [retry(message), retry(message)] == [True, False]
    again = deliver(message.pk)
    assert again is not None
    assert (again.state, again.attempts) == ("delivered", 1)
    assert not retry(again)


def test_SEC03_a_redirect_is_not_followed(receiver: Receiver, project: Project, hook: Webhook) -> None:
    receiver.status, receiver.location = 302, receiver.url.replace("/hook", "/other")
    sent = deliver(told(project).pk)
    assert sent is not None
    assert sent.state == "waiting"
    assert "302. Redirects are not followed" in sent.last_error
    assert len(receiver.taken) == 1


def test_SEC03_an_inside_address_is_given_up_at_once(
    receiver: Receiver, project: Project, owner: User, settings: Settings
) -> None:
    settings.OUTBOUND_PRIVATE_HOSTS = []
    add(project, owner, f"https://127.0.0.1:{receiver.server_port}/", ["due"])
    sent = deliver(told(project).pk)
    assert sent is not None
    assert (sent.state, sent.attempts) == ("given_up", 1)
    assert "inside the network" in sent.last_error
    assert receiver.taken == []


def test_a_worker_that_is_lost_costs_an_attempt_and_never_loops(
    receiver: Receiver, project: Project, hook: Webhook
) -> None:
    message = told(project)
    Message.objects.filter(pk=message.pk).update(attempts=MOST_ATTEMPTS)
    assert deliver(message.pk) is None
    message.refresh_from_db()
    assert (message.state, message.last_error) == ("given_up", LOST)
    assert receiver.taken == []


def test_a_dead_receiver_holds_up_no_other(receiver: Receiver, project: Project, owner: User, hook: Webhook) -> None:
    other = add(project, owner, receiver.url + "&b=2", ["due"])[0]
    for about in "abc":
        told(project, about)
    first = to_deliver()
    assert sorted(Message.objects.filter(pk__in=first).values_list("webhook", flat=True)) == [hook.pk, other.pk]
    sent = deliver(first[0])
    assert sent is not None
    assert next_of(sent) not in {None, *first}


def test_SEC13_a_dump_of_the_database_signs_nothing(project: Project, owner: User, receiver: Receiver) -> None:
    hook, secret = add(project, owner, receiver.url, ["due"])
    other = add(project, owner, receiver.url, ["due"])[1]
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", secret)
    assert secret != other
    with connection.cursor() as cursor:
        cursor.execute("SELECT row_to_json(w)::text FROM triage_webhook AS w")
        dump = "".join(row[0] for row in cursor.fetchall())
    assert hook.key in dump
    assert secret.removeprefix("whsec_")[:20] not in dump


def test_a_rotated_key_signs_as_before_until_it_is_forgotten(
    receiver: Receiver, project: Project, hook: Webhook, settings: Settings
) -> None:
    secret, old = secret_of(hook), settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "a new long key of the server", [old]
    assert secret_of(hook) == secret
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(RefusedError, match="add the webhook anew"):
        secret_of(hook)
    sent = deliver(told(project).pk)
    assert sent is not None
    assert sent.state == "given_up"
    assert "SECRET_KEY was replaced" in sent.last_error


def test_a_disabled_webhook_is_told_nothing_and_keeps_what_waits(
    receiver: Receiver, project: Project, hook: Webhook
) -> None:
    message = told(project)
    disable(hook)
    assert tell(project.pk, Event.DUE, "b", {"due": 0, "new": []}) == 0
    assert (to_deliver(), deliver(message.pk)) == ([], None)
    enable(hook)
    assert to_deliver() == [message.pk]
    delete(hook)
    assert not Message.objects.exists()


def test_the_sweep_sends_what_an_emptied_queue_forgot(receiver: Receiver, project: Project, hook: Webhook) -> None:
    """The rows are the truth: no message was ever queued for these, as after a wiped Redis."""
    for about in "abc":
        told(project, about)
    current_app.conf.task_always_eager = True
    try:
        tasks.sweep()
    finally:
        current_app.conf.task_always_eager = False
    assert [event["type"] for event in events(receiver)] == ["due"] * 3
    assert set(Message.objects.values_list("state", flat=True)) == {"delivered"}
    tasks.sweep()
    assert len(receiver.taken) == 3


def test_old_messages_are_forgotten_and_waiting_ones_are_not(project: Project, hook: Webhook) -> None:
    ended, waiting = told(project, "a"), told(project, "b")
    deliver(ended.pk)
    Message.objects.update(created_at=timezone.now() - timedelta(days=31))
    assert forget_old() == 1
    assert Message.objects.get() == waiting


def test_a_deleted_run_leaves_no_message(project: Project, hook: Webhook) -> None:
    run = make_run(project)
    tell(project.pk, Event.RUN_FINISHED, run.key, {}, run_key=run.key)
    assert housekeeping.delete(run)
    assert not Message.objects.exists()


@pytest.fixture
def page(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def test_an_owner_adds_tests_and_reads_what_became_of_it(receiver: Receiver, project: Project, page: Client) -> None:
    address = f"/p/{project.slug}/webhooks/"
    made = page.post(address, {"url": receiver.url, "kinds": ["due", "gate_failed"]})
    (secret,) = re.findall(r"whsec_[A-Za-z0-9+/=]+", made.content.decode())
    assert made.headers["Cache-Control"] == "no-store"
    assert "whsec_" not in page.get(address).content.decode()
    hook = Webhook.objects.get()
    page.post(f"{address}{hook.pk}/test/")
    deliver(Message.objects.get().pk)
    verify_webhook(receiver.taken[0].body, receiver.taken[0].headers, secret)
    assert events(receiver)[0]["data"] == {"project": project.slug}
    assert "Delivered" in page.get(address).content.decode()
    ping(hook)
    receiver.status = 410
    message = Message.objects.latest("pk")
    Message.objects.filter(pk=message.pk).update(attempts=7)
    deliver(message.pk)
    listed = page.get(address).content.decode()
    assert "Given up" in listed
    assert "The receiver answered 410." in listed
    page.post(f"{address}messages/{message.pk}/retry/")
    assert Message.objects.get(pk=message.pk).state == "waiting"
    page.post(f"{address}{hook.pk}/disable/")
    assert "Disabled" in page.get(address).content.decode()
    page.post(f"{address}{hook.pk}/enable/")
    page.post(f"{address}{hook.pk}/delete/")
    journal = Change.objects.filter(action__startswith="webhook.").order_by("pk")
    assert [row.action.partition(".")[2] for row in journal] == [
        "added", "tested", "tested", "message_resent", "disabled", "enabled", "deleted"
    ]  # fmt: skip
    assert journal[0].new == {"host": "127.0.0.1", "kinds": ["due", "gate_failed"]}
    assert "hook?a=1" not in str(list(journal.values())), "an address may hold a key of the receiver"


def test_a_bad_address_is_refused_with_the_remedy(project: Project, page: Client, receiver: Receiver) -> None:
    address = f"/p/{project.slug}/webhooks/"
    told = page.post(address, {"url": "http://hooks.example/", "kinds": ["due"]}).content.decode()
    assert "must start with https" in told
    assert "required" in page.post(address, {"url": receiver.url, "kinds": []}).content.decode()
    assert not Webhook.objects.exists()


def test_the_page_says_that_sending_is_off(project: Project, page: Client) -> None:
    address = f"/p/{project.slug}/webhooks/"
    assert "WEBHOOKS=1" in page.get(address).content.decode()
    assert "Sending is off" in page.post(address, {"url": "https://a.example/", "kinds": ["due"]}).content.decode()


def test_SEC07_a_message_of_another_project_does_not_exist(
    project: Project, page: Client, receiver: Receiver, hook: Webhook
) -> None:
    other = make_project()
    theirs = add(other, make_member(other, Role.OWNER), receiver.url, ["due"])[0]
    message = told(other)
    assert page.post(f"/p/{project.slug}/webhooks/{theirs.pk}/delete/").status_code == 404
    assert page.post(f"/p/{project.slug}/webhooks/messages/{message.pk}/retry/").status_code == 404


def test_the_page_asks_the_database_as_often_for_many(
    project: Project, owner: User, page: Client, receiver: Receiver
) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            page.get(f"/p/{project.slug}/webhooks/")
        return len(queries)

    add(project, owner, receiver.url, ["due"])
    told(project, "a")
    asked()
    few = asked()
    for number in range(15):
        add(project, make_member(project, Role.OWNER), receiver.url, ["due"])
        told(project, str(number))
    assert asked() == few
