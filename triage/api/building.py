"""Builds the API out of its routers: every error documented, problems as problems, strict JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from inspect import cleandoc
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from ninja import NinjaAPI, Router
from ninja.openapi.schema import OpenAPISchema
from ninja.parser import Parser

from triage.api.door import Bearer, at_the_door
from triage.api.problems import handle_problems, not_there
from triage.core.problem import MEDIA_TYPE, Problem
from triage.models import Scope

VERSION = "1"
PATH = "api/v1/"
JSON = "application/json"
#: Stands in a call's description before the scopes that open it.
SCOPES_BELOW = "\n\nScope: "
#: Errors any endpoint may give.
ALWAYS = (401, 403, 404, 422, 429)


class StrictParser(Parser):
    """Reads a JSON body; numbers JSON does not have are refused."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """Return the body. Raises ValueError, which becomes a 400."""
        body: dict[str, Any] = json.loads(request.body, parse_constant=_no_number)
        return body


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number in JSON")


class Api(NinjaAPI):
    """The API with its errors told as what they are."""

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        """Return the schema; errors come as problems."""
        schema = super().get_openapi_schema(**options)
        for operations in schema["paths"].values():
            for operation in operations.values():
                for status, response in operation["responses"].items():
                    if int(status) >= 400 and "application/json" in response.get("content", {}):
                        response["content"] = {MEDIA_TYPE: response["content"].pop("application/json")}
        return schema


def build(routers: Iterable[Router]) -> Api:
    """Return the API of these routers."""
    api = Api(
        title="RAG Triage",
        version=VERSION,
        description="Import runs, follow them, read what failed and why, ask the gates, check answers.",
        docs_url=None,
        openapi_url=None,
        parser=StrictParser(),
    )
    handle_problems(api)
    for router in routers:
        api.add_router("", router)
    return api


def addresses(api: Api) -> list[URLPattern]:
    """Return the API's addresses, each behind the door."""
    patterns = [pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern) and pattern.name != "api-root"]
    for pattern in patterns:
        pattern.callback = at_the_door(pattern.callback)
    return [*patterns, *(path(rest, at_the_door(_nowhere)) for rest in ("", "<path:rest>"))]


def _nowhere(request: HttpRequest, rest: str = "") -> HttpResponse:
    """Answer for an address that is none."""
    return not_there(request)


def text_as(*media_types: str) -> dict[str, Any]:
    """Return what the document says of an answer that is a file: it comes as one of these."""
    content = {media_type: {"schema": {"type": "string"}} for media_type in media_types if media_type != JSON}
    if JSON in media_types:
        content[JSON] = {"schema": {"type": "object"}}
    return {"responses": {200: {"content": content}}}


def endpoint(
    router: Router,
    method: str,
    address: str,
    *scopes: Scope,
    gives: Any,  # noqa: ANN401 - a type, or a dict of types
    errors: Iterable[int] = (),
    **more: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register an endpoint for tokens with one of these scopes. `gives`: its shape, or status -> shape."""
    shapes = gives if isinstance(gives, dict) else {200: gives}
    faults = dict.fromkeys(sorted({*ALWAYS, *errors}), Problem)
    register = getattr(router, method)

    def registered(view: Callable[..., Any]) -> Callable[..., Any]:
        words = f"{cleandoc(view.__doc__ or '')}{SCOPES_BELOW}{' or '.join(scopes) or 'any'}."
        made = register(
            address,
            auth=Bearer(*scopes),
            response={**shapes, **faults},
            operation_id=view.__name__,
            description=words,
            **more,
        )
        found: Callable[..., Any] = made(view)
        return found

    return registered
