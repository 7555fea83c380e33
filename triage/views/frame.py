"""What every page's frame shows: projects, the worker light."""

from __future__ import annotations

from django.http import HttpRequest


def frame(request: HttpRequest) -> dict[str, object]:
    """Return the frame's context. Values are lazy: a partial that shows no frame runs no query."""
    return {}
