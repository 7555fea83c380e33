"""What is newly due is told once a day, by mail and by a signed message to a real local server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core import mail
from django.core.management import call_command
from django.db import connection, transaction
from pytest_django import Settings

from labeling.due import announce, announce_all
from labeling.models import DueNotice
from labeling.tasks import announce_due
from tests.factories import make_project, make_run
from tests.receiver import Receiver, receiving
from triage.models import Project, Run

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def unclassified(project: Project, name: str) -> Run:
    facts = {"built_at": NOW.date().isoformat()}
    return make_run(project, name=name, release=name, summary={}, evaluation_set_facts=facts)


@pytest.fixture
def project(settings: Settings) -> Project:
    settings.DUE_MAIL_TO = ["lead@example.org"]
    settings.PUBLIC_URL = "https://triage.example.org"
    project = make_project(name="Help\ndesk")
    unclassified(project, "2026.10")
    return project


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    with receiving() as server:
        settings.WEBHOOKS, settings.WEBHOOK_SECRET = True, "a secret of the operator"
        settings.OUTBOUND_PRIVATE_HOSTS, settings.DUE_WEBHOOK_URL = ["127.0.0.1"], server.url
        settings.DUE_MAIL_TO = []
        yield server


def test_a_mail_names_what_is_due_and_where(project: Project) -> None:
    assert announce(project, NOW) == ["mail"]
    (sent,) = mail.outbox
    assert sent.to == ["lead@example.org"]
    assert sent.subject == "[RAG Triage] Help desk: 1 newly due"
    assert "classify: 2026.10 is scoring" in sent.body
    assert f"https://triage.example.org/runs/{project.runs.get().key}/" in sent.body


def test_it_is_told_once_and_what_is_new_the_next_day(project: Project) -> None:
    announce(project, NOW)
    unclassified(project, "2026.11")
    for hours in (0, 1, 14):
        assert announce(project, NOW + timedelta(hours=hours)) == []
    assert announce(project, NOW + timedelta(days=1)) == ["mail"]
    assert announce(project, NOW + timedelta(days=2)) == []
    first, second = mail.outbox
    assert "2026.11" not in first.body
    assert "2026.11 is scoring" in second.body
    assert "2026.10" not in second.body
    assert "Due in all: 2." in second.body


def test_what_was_mended_and_is_due_again_is_new(project: Project) -> None:
    announce(project, NOW)
    Run.objects.update(summary={"metrics": {}})
    assert announce(project, NOW + timedelta(days=1)) == []
    Run.objects.update(summary={})
    assert announce(project, NOW + timedelta(days=2)) == ["mail"]


def test_nothing_is_sent_where_nothing_is_due_or_no_way_is_set(project: Project, settings: Settings) -> None:
    healthy = make_project()
    assert announce(healthy, NOW) == []
    settings.DUE_MAIL_TO = []
    assert announce(project, NOW) == []
    assert announce_all(NOW) == 0
    assert mail.outbox == []


def test_the_task_tells_every_project_once(project: Project) -> None:
    unclassified(make_project(name="Other"), "2026.12")
    announce_due()
    announce_due()
    assert len(mail.outbox) == 2


def test_a_webhook_is_signed_and_carries_the_same(project: Project, receiver: Receiver) -> None:
    assert announce(project, NOW) == ["webhook"]
    assert announce(project, NOW) == []
    (taken,) = receiver.taken
    body = json.loads(taken.body)
    assert (body["type"], body["data"]["project"], body["data"]["due"]) == ("due", project.slug, 1)
    assert body["data"]["new"][0]["url"].startswith("https://triage.example.org/runs/")
    assert taken.headers["webhook-signature"].startswith("v1,")


def test_a_receiver_that_fails_is_tried_again_under_the_same_id_and_blocks_no_other(
    project: Project, receiver: Receiver
) -> None:
    unclassified(make_project(), "other")
    receiver.status = 503
    assert announce_all(NOW) == 0
    assert DueNotice.objects.get(project=project).fault == "UndeliveredError: the receiver answered 503"
    receiver.status = 200
    assert announce_all(NOW + timedelta(hours=1)) == 2
    ids = [taken.headers["webhook-id"] for taken in receiver.taken]
    assert ids[:2] == ids[2:]
    assert DueNotice.objects.get(project=project).fault == ""


def test_SEC03_an_inside_address_is_refused_and_said(project: Project, receiver: Receiver, settings: Settings) -> None:
    settings.OUTBOUND_PRIVATE_HOSTS = []
    settings.DUE_WEBHOOK_URL = f"https://127.0.0.1:{receiver.server_port}/"
    assert announce(project, NOW) == []
    assert "inside the network" in DueNotice.objects.get().fault
    assert receiver.taken == []


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_send_one_message(project: Project) -> None:
    from threading import Thread

    found: list[list[str]] = []

    def other() -> None:
        found.append(announce(project, NOW))
        connection.close()

    DueNotice.objects.create(project=project, channel="mail")
    with transaction.atomic():
        DueNotice.objects.select_for_update().get()
        thread = Thread(target=other)
        thread.start()
        thread.join()
    assert found == [[]]
    assert announce(project, NOW) == ["mail"]


def test_the_command_sends_too(project: Project) -> None:
    told = StringIO()
    call_command("due", project=project.slug, announce=True, stdout=StringIO(), stderr=told)
    call_command("due", project=project.slug, announce=True, stdout=StringIO(), stderr=told)
    assert told.getvalue().splitlines() == [
        "told by mail",
        "nothing was sent: nothing new, told today, or not set up",
    ]
    assert len(mail.outbox) == 1
