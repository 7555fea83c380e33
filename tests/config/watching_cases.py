"""Sentry and traces as they go out, kept in memory. They patch the process: test_watching.py starts one for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from celery import shared_task
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from sentry_sdk.envelope import Envelope
from sentry_sdk.transport import Transport

from config import sentry, tracing
from config.urls import urlpatterns as real
from tests.factories import make_member, make_project
from triage.models import Project, Role

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]
SECRETS = ["the-question-of-a-run", "a-local-variable", "somebody-by-name", "s3ss10n", "of-the-body", "one-time-link"]


class Kept(Transport):
    """Keeps what would be sent."""

    def __init__(self) -> None:
        super().__init__({"dsn": "https://key@sentry.example/1"})
        self.events: list[dict[str, Any]] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        """Keep every item."""
        self.events += [item.payload.json or {} for item in envelope.items]


def fails(request: HttpRequest, token: str) -> HttpResponse:
    """Fail with everything at hand that must stay here."""
    a_local = "a-local-variable"
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s", ["the-question-of-a-run"])
    raise ValueError(f"the-question-of-a-run {a_local} {token}")


def works(request: HttpRequest, token: str) -> HttpResponse:
    """Read a row by a parameter and send a task."""
    list(Project.objects.filter(name="the-question-of-a-run"))
    task_that_fails.delay("the-question-of-a-run")
    return HttpResponse("ok")


@shared_task(name="tests.task_that_fails")  # type: ignore[untyped-decorator]
def task_that_fails(text: str) -> None:
    """Fail with its argument in the message."""
    a_local = "a-local-variable"
    list(Project.objects.filter(name=text))
    raise KeyError(text, a_local)


urlpatterns = [*real, path("fails/<str:token>/", fails, name="fails"), path("works/<str:token>/", works, name="works")]
exporter = InMemorySpanExporter()


@pytest.fixture(scope="session")
def kept() -> Kept:
    transport = Kept()
    sentry.begin("https://key@sentry.example/1", "production", "0.1.0", transport)
    return transport


@pytest.fixture(scope="session")
def provider() -> TracerProvider:
    return tracing.begin("web", "", 100, exporter)


@pytest.fixture
def spans(provider: TracerProvider) -> Iterator[InMemorySpanExporter]:
    provider.force_flush()  # what other tests made
    exporter.clear()
    return exporter


def visit(where: str) -> int:
    """Ask for a page as somebody would whose everything must stay here."""
    client = Client(raise_request_exception=False)
    client.force_login(make_member(make_project(), Role.OWNER, "somebody-by-name"))
    answer = client.post(
        f"/{where}/one-time-link/?q=the-question-of-a-run",
        {"note": "of-the-body"},
        HTTP_COOKIE=f"sessionid={client.cookies['sessionid'].value}; extra=s3ss10n",
        HTTP_TRACEPARENT="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    )
    return answer.status_code


def test_SEC16_sentry_is_told_the_kind_and_the_lines_of_a_fault_and_nothing_else(kept: Kept) -> None:
    kept.events.clear()
    assert visit("fails") == 500
    (event,) = kept.events
    written = json.dumps(event)
    assert not [secret for secret in SECRETS if secret in written]
    assert set(event) <= {*sentry.EVENT, "exception"}
    (fault,) = event["exception"]["values"]
    assert fault["type"] == "ValueError"
    assert fault["stacktrace"]["frames"][-1]["function"] == "fails"
    assert set(fault["stacktrace"]["frames"][-1]) <= set(sentry.FRAME)
    assert event["transaction"].endswith("fails")


def test_SEC16_a_fault_of_a_task_is_told_without_its_arguments(kept: Kept) -> None:
    kept.events.clear()
    task_that_fails.apply(args=["the-question-of-a-run"])
    (event,) = kept.events
    assert not [secret for secret in SECRETS if secret in json.dumps(event)]
    assert event["transaction"] == "tests.task_that_fails"
    assert event["exception"]["values"][0]["type"] == "KeyError"


def test_SEC16_a_message_that_is_no_fault_is_not_sent(kept: Kept) -> None:
    import sentry_sdk

    kept.events.clear()
    sentry_sdk.capture_message("the-question-of-a-run")
    assert kept.events == []


def test_SEC16_spans_have_routes_and_placeholders_and_no_parameter(
    provider: TracerProvider, spans: InMemorySpanExporter
) -> None:
    tracing._watch_statements(connection)  # it was opened before the tests began
    assert visit("works") == 200
    provider.force_flush()
    made = spans.get_finished_spans()
    written = "".join(span.to_json() for span in made)
    assert not [secret for secret in SECRETS if secret in written]
    assert "0af7651916cd43dd8448eb211c80319c" not in written, "a caller's trace is not believed"
    (request,) = [span for span in made if span.kind.name == "SERVER"]
    assert request.name == "POST works/<str:token>/"
    assert request.attributes == {
        "http.request.method": "POST",
        "http.route": "works/<str:token>/",
        "http.response.status_code": 200,
    }
    statements = [str((span.attributes or {}).get("db.query.text")) for span in made if span.kind.name == "CLIENT"]
    assert [text for text in statements if '"triage_project"."name" = %s' in text]


def test_SEC16_a_task_belongs_to_the_trace_it_was_sent_in_and_says_only_what_kind_of_fault(
    provider: TracerProvider, spans: InMemorySpanExporter
) -> None:
    headers: dict[str, Any] = {}
    with tracing._tracer().start_as_current_span("request") as request:
        tracing._hand_on(headers)
    task_that_fails.apply(args=["the-question-of-a-run"], headers=headers)
    provider.force_flush()
    (task,) = [span for span in spans.get_finished_spans() if span.kind.name == "CONSUMER"]
    assert (task.name, task.status.description) == ("tests.task_that_fails", "KeyError")
    assert task.context.trace_id == request.get_span_context().trace_id
    written = "".join(span.to_json() for span in spans.get_finished_spans())
    assert not [secret for secret in SECRETS if secret in written]
