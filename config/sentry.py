"""Faults told to the Sentry that SENTRY_DSN names. What goes out is listed here, and nothing else does.

A fault is told by its kind and the lines of the program it came through. Its message may quote a file or a person,
so it stays here (the log has it, cut), and so do local variables, requests, people, breadcrumbs and arguments.
"""

from __future__ import annotations

from typing import Any

#: What an event keeps of itself, of each exception, and of each line of a trace.
EVENT = ("event_id", "timestamp", "level", "platform", "release", "environment", "transaction")
FAULT = ("type", "module")
FRAME = ("filename", "function", "module", "lineno", "in_app")


def begin(dsn: str, environment: str, release: str, transport: Any = None) -> None:  # noqa: ANN401 - Sentry's own
    """Tell this Sentry about every fault nobody caught, in views and in tasks. `transport`: where to in place of it."""
    import sentry_sdk
    from sentry_sdk.integrations.celery import CeleryIntegration
    from sentry_sdk.integrations.django import DjangoIntegration

    sentry_sdk.init(
        dsn=dsn,
        environment=environment,
        release=release,
        transport=transport,
        default_integrations=False,
        auto_enabling_integrations=False,
        # The name of the view, not the path: a path may hold a one-time link.
        integrations=[DjangoIntegration(transaction_style="function_name"), CeleryIntegration(propagate_traces=False)],
        before_send=scrubbed,
        before_send_transaction=lambda event, hint: None,
        include_local_variables=False,
        include_source_context=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        auto_session_tracking=False,
        send_client_reports=False,
    )


def scrubbed(event: Any, hint: object) -> Any:  # noqa: ANN401 - Sentry's own shapes
    """Return what goes out of an event, or None for one that is no fault."""
    faults = (event.get("exception") or {}).get("values") or []
    if not faults:
        return None
    return {**_only(EVENT, event), "exception": {"values": [_fault(fault) for fault in faults]}}


def _fault(fault: dict[str, Any]) -> dict[str, Any]:
    frames = (fault.get("stacktrace") or {}).get("frames") or []
    return {**_only(FAULT, fault), "stacktrace": {"frames": [_only(FRAME, frame) for frame in frames]}}


def _only(names: tuple[str, ...], given: dict[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in names if given.get(name) is not None}
