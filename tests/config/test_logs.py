"""One event a line, whatever anybody's text contains; no secret in any."""

from __future__ import annotations

import json
import logging

import pytest
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from config.logs import MESSAGE_MAX_CHARS, TRACE_MAX_CHARS, JsonLines, django_logging, gunicorn_logging, secrets_in

FORGED = "row\r\n2026-01-01 CRITICAL forged \x1b[31mred\x1b[0m \u202eright to left \u2028 \x00 \ud83d"


def line(message: str, *args: object, secrets: tuple[str, ...] = (), **extra: object) -> str:
    """Return the line that is written for a message."""
    record = logging.LogRecord("triage.ingest", logging.WARNING, __file__, 1, message, args, None)
    record.__dict__.update(extra)
    return JsonLines(secrets).format(record)


def test_SEC16_hostile_text_stays_one_line_of_ascii() -> None:
    written = line("upload %r", FORGED, row=FORGED)
    assert written.isascii()
    assert written.isprintable()
    event = json.loads(written)
    assert event["level"] == "warning"
    assert event["logger"] == "triage.ingest"
    assert "forged" in event["event"]


@given(st.text())
def test_SEC16_any_text_gives_exactly_one_event(text: str) -> None:
    written = line("%s", text, name_of_file=text)
    assert len(written.splitlines()) == 1
    assert json.loads(written)["name_of_file"] == text[:MESSAGE_MAX_CHARS]


def test_SEC16_long_text_is_cut_and_the_cut_is_said() -> None:
    event = json.loads(line("%s", "x" * 1_000_000))["event"]
    assert event.startswith("x" * MESSAGE_MAX_CHARS)
    assert event.endswith("[998000 characters left out]")


def test_SEC16_secrets_are_blotted_out_of_messages_extras_and_traces() -> None:
    secrets = tuple(secrets_in("k" * 50, "postgresql://u:p%40ssw0rd!@h/n", "redis://:redispass@h/0", ""))
    assert set(secrets) == {"k" * 50, "p%40ssw0rd!", "p@ssw0rd!", "redispass"}
    try:
        raise ValueError("cannot reach redis://:redispass@h/0")
    except ValueError as error:
        record = logging.LogRecord("x", logging.ERROR, __file__, 1, "p@ssw0rd! " + "k" * 50, (), None)
        record.exc_info = (type(error), error, error.__traceback__)
        record.url = "p%40ssw0rd!"
    written = JsonLines(secrets).format(record)
    assert not [secret for secret in secrets if secret in written]
    assert written.count("[secret]") == 5


def test_SEC16_what_somebody_looked_for_or_came_back_with_is_not_written_down() -> None:
    request = RequestFactory().get("/login/single-sign-on/return/", {"code": "spent-once", "state": "of-a-browser"})
    written = line("Bad Request: %s", request.path, request=request, status_code=400)
    assert json.loads(written)["request"] == "GET /login/single-sign-on/return/"
    assert "spent-once" not in written


def test_a_trace_keeps_its_end_where_the_error_is() -> None:
    try:
        raise ValueError("x" * 3 * TRACE_MAX_CHARS + " the end")
    except ValueError as error:
        record = logging.LogRecord("x", logging.ERROR, __file__, 1, "failed", (), None)
        record.exc_info = (type(error), error, error.__traceback__)
    assert json.loads(JsonLines().format(record))["trace"].endswith(" the end")


def test_numbers_stay_numbers() -> None:
    event = json.loads(line("imported", rows=345, seconds=1.5, whole=True))
    assert (event["rows"], event["seconds"], event["whole"]) == (345, 1.5, True)


@pytest.mark.parametrize("made", [django_logging(["secret-word"]), gunicorn_logging()])
def test_every_logger_writes_json_lines(made: dict[str, object]) -> None:
    assert made["formatters"]
    assert all(entry["()"] is JsonLines for entry in made["formatters"].values())  # type: ignore[attr-defined]
