"""What is written down: one JSON event a line, imported text escaped and cut short, secrets blotted out."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote, urlsplit

MESSAGE_MAX_CHARS = 2_000
TRACE_MAX_CHARS = 8_000
BLOT = "[secret]"
#: What a log record carries anyway; the rest was added on purpose by `extra=`.
STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """Writes an event as one line of ASCII: no line break, escape code or direction mark of anybody's text survives."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = sorted({secret for secret in secrets if len(secret) >= 6}, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        event: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": self._cut(record.getMessage(), MESSAGE_MAX_CHARS),
        }
        for name, value in record.__dict__.items():
            if name not in STANDARD and not name.startswith("_"):
                told = _without_query(value) if name == "request" else value
                event[name] = told if isinstance(told, int | float | bool) else self._cut(str(told), MESSAGE_MAX_CHARS)
        if record.exc_info:
            event["trace"] = self._cut(self.formatException(record.exc_info), TRACE_MAX_CHARS, keep_end=True)
        return json.dumps(event, ensure_ascii=True, default=str)

    def _cut(self, text: str, limit: int, *, keep_end: bool = False) -> str:
        for secret in self._secrets:
            text = text.replace(secret, BLOT)
        if len(text) <= limit:
            return text
        left_out = f"[{len(text) - limit} characters left out]"
        return left_out + text[-limit:] if keep_end else text[:limit] + left_out


def _without_query(request: object) -> str:
    """Return method and path of a request that Django logs: what somebody looked for is not written down."""
    return f"{getattr(request, 'method', '')} {getattr(request, 'path', '')}".strip()


def secrets_in(*urls_and_keys: str) -> list[str]:
    """Return what must never be written: keys as they are, and the passwords inside URLs, as written and decoded."""
    found = []
    for text in urls_and_keys:
        password = urlsplit(text).password if "://" in text else text
        if password:
            found += [password, unquote(password)]
    return found


def django_logging(secrets: Iterable[str]) -> dict[str, Any]:
    """Return Django's LOGGING: everything of INFO and above to standard error; Django's own chatter from WARNING on."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": JsonLines, "secrets": list(secrets)}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {
            "django": {"level": "WARNING", "propagate": True, "handlers": []},
            "celery.app.trace": {"level": "INFO", "propagate": True},
        },
    }


def gunicorn_logging() -> dict[str, Any]:
    """Return gunicorn's logging: the same lines, no access log (a path may hold a one-time link)."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": JsonLines}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {
            "gunicorn.error": {"level": "INFO", "handlers": [], "propagate": True},
            "gunicorn.access": {"level": "CRITICAL", "handlers": [], "propagate": False},
        },
    }
