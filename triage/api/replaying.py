"""`Idempotency-Key`: the same request sent twice counts once; another request under the same key is refused."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from pydantic import BaseModel

from triage import replay
from triage.access import api_token
from triage.api.problems import ProblemError
from triage.models import ApiToken, Replay

Shape = TypeVar("Shape", bound=BaseModel)
HEADER = "Idempotency-Key"
LONGEST = 200
#: For the OpenAPI document.
PARAMETER = {
    "parameters": [
        {
            "in": "header",
            "name": HEADER,
            "required": False,
            "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST, "pattern": "^[!-~]+$"},
            "description": "Any text of your own, new for each thing you want done; kept for a day.",
        }
    ]
}


def at_most_once(view: Callable[..., Shape]) -> Callable[..., Shape | HttpResponse]:
    """Return the view so that a key's second request gets the first one's answer and does nothing."""

    @wraps(view)
    def answered(request: HttpRequest, *args: object, **kwargs: object) -> Shape | HttpResponse:
        key = key_of(request)
        if not key:
            return view(request, *args, **kwargs)
        with transaction.atomic():
            kept, is_new = begin(request, key, hashlib.sha256(request.body).hexdigest())
            if not is_new:
                return again(kept)
            shape = view(request, *args, **kwargs)
            replay.finish(kept, 200, shape.model_dump(mode="json"))
        return shape

    # The annotations are read by the API: resolved here, where the view's own module is known.
    answered.__signature__ = inspect.signature(view, eval_str=True)  # type: ignore[attr-defined]
    return answered


def key_of(request: HttpRequest) -> str:
    """Return the request's key, or "". Raises ProblemError for one that cannot be kept."""
    key = request.headers.get(HEADER, "")
    if len(key) > LONGEST or not all("!" <= letter <= "~" for letter in key):
        words = f"An {HEADER} has 1 to {LONGEST} visible ASCII characters."
        raise ProblemError(422, "invalid", words, field=f"header.{HEADER}", remedy="Send a UUID.")
    return key


def begin(request: HttpRequest, key: str, body_hash: str) -> tuple[Replay, bool]:
    """Return the key's answer and whether it still has to be made. Raises ProblemError for a key used otherwise."""
    words = "\n".join((request.method or "", request.get_full_path(), body_hash))
    try:
        return replay.begin(caller(request), key, hashlib.sha256(words.encode()).hexdigest())
    except replay.ReusedError as fault:
        words = f"This {HEADER} was used for another request."
        remedy = "Take a new key for each thing you want done."
        raise ProblemError(422, "key_reused", words, field=f"header.{HEADER}", remedy=remedy) from fault


def again(kept: Replay) -> HttpResponse:
    """Return a kept answer as it was given."""
    return JsonResponse(kept.body, status=kept.status, headers={"Idempotent-Replayed": "true"})


def caller(request: HttpRequest) -> ApiToken:
    """Return the token of a request that has passed the door."""
    token = api_token(request)
    assert token is not None
    return token
