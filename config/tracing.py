"""Traces for the operator's collector (OpenTelemetry), where TRACES_ENDPOINT names one: requests, statements, tasks.

The spans are made here, not by instrumentation that decides for itself what to tell: a request is its route and
status, a statement its text with placeholders, a task its name. No path, no parameter, no argument, no message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from celery.signals import before_task_publish, task_failure, task_postrun, task_prerun
from django.db.backends.signals import connection_created
from django.http import HttpRequest, HttpResponseBase
from opentelemetry import context as current
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

#: A statement with many placeholders is as long as it has rows.
STATEMENT_MAX_CHARS = 1_000
#: Where a task keeps its span and what to go back to, while it runs.
KEPT = "_rag_triage_span"
#: Which trace a message belongs to: 55 characters among its headers.
HANDED_ON = TraceContextTextMapPropagator()


def begin(part: str, endpoint: str, percent: int, exporter: SpanExporter | None = None) -> TracerProvider:
    """Send this share of the traces of this part (web, worker) to a collector. `exporter`: where to in place of it."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    resource = Resource.create({"service.name": f"rag-triage-{part}"})
    provider = TracerProvider(resource=resource, sampler=ParentBased(TraceIdRatioBased(percent / 100)))
    provider.add_span_processor(BatchSpanProcessor(exporter or OTLPSpanExporter(endpoint=endpoint)))
    trace.set_tracer_provider(provider)
    connection_created.connect(_watch_statements, dispatch_uid=__name__)
    before_task_publish.connect(_hand_on, weak=False, dispatch_uid=__name__)
    task_prerun.connect(_task_begins, weak=False, dispatch_uid=__name__)
    task_failure.connect(_task_fails, weak=False, dispatch_uid=__name__)
    task_postrun.connect(_task_ends, weak=False, dispatch_uid=__name__)
    return provider


def _tracer() -> trace.Tracer:
    return trace.get_tracer("rag_triage")


class Traced:
    """Makes one span of a request. What a caller says about traces is not believed: each is a trace of its own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer within a span."""
        with _tracer().start_as_current_span("request", kind=SpanKind.SERVER, record_exception=False) as span:
            response = self._get_response(request)
            match = request.resolver_match
            route = match.route if match else "none"
            span.update_name(f"{request.method} {route}")
            span.set_attribute("http.request.method", str(request.method))
            span.set_attribute("http.route", route)
            span.set_attribute("http.response.status_code", response.status_code)
            if response.status_code >= 500:
                span.set_status(Status(StatusCode.ERROR))
            return response


def _watch_statements(connection: Any, **_: object) -> None:  # noqa: ANN401 - Django's own
    if _statement not in connection.execute_wrappers:
        connection.execute_wrappers.append(_statement)


def _statement(execute: Callable[..., Any], sql: str, params: object, many: bool, context: dict[str, Any]) -> Any:  # noqa: ANN401 - Django's own
    """Make a span of a statement that belongs to a traced request or task; `params` stay here."""
    if not trace.get_current_span().is_recording():
        return execute(sql, params, many, context)
    told = {"db.system.name": "postgresql", "db.query.text": str(sql)[:STATEMENT_MAX_CHARS]}
    name = str(sql).split(None, 1)[0].upper() if str(sql).strip() else "statement"
    with _tracer().start_as_current_span(name, kind=SpanKind.CLIENT, attributes=told, record_exception=False):
        return execute(sql, params, many, context)


def _hand_on(headers: dict[str, Any] | None = None, **_: object) -> None:
    """Give a message the trace it was sent in."""
    if headers is not None:
        HANDED_ON.inject(headers)


def _task_begins(task: Any, **_: object) -> None:  # noqa: ANN401 - Celery's own
    # A worker finds a message's headers as attributes; a task called in the process itself has them in a dictionary.
    given = getattr(task.request, "traceparent", None) or (task.request.headers or {}).get("traceparent")
    parent = HANDED_ON.extract({"traceparent": str(given or "")})
    span = _tracer().start_span(task.name, context=parent, kind=SpanKind.CONSUMER)
    setattr(task.request, KEPT, (span, current.attach(trace.set_span_in_context(span, parent))))


def _task_fails(sender: Any, exception: BaseException, **_: object) -> None:  # noqa: ANN401 - Celery's own
    if kept := getattr(sender.request, KEPT, None):
        kept[0].set_status(Status(StatusCode.ERROR, type(exception).__name__))


def _task_ends(task: Any, **_: object) -> None:  # noqa: ANN401 - Celery's own
    if kept := getattr(task.request, KEPT, None):
        span, before = kept
        current.detach(before)
        span.end()
