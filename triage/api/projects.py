"""The token's own facts and its project."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from triage import access
from triage.api.building import endpoint
from triage.api.shapes import ProjectShape, Slug, TokenShape
from triage.models import ApiToken, Scope

router = Router(tags=["project"])


@endpoint(router, "get", "/token", gives=TokenShape)
def token(request: HttpRequest) -> TokenShape:
    """Say what this token may do, and until when."""
    mine: ApiToken | None = access.api_token(request)
    assert mine is not None
    return TokenShape(
        prefix=mine.prefix,
        name=mine.name,
        project=mine.project.slug,
        scopes=mine.scopes,
        expires_at=mine.expires_at,
    )


@endpoint(router, "get", "/projects", Scope.READ, gives=list[ProjectShape])
def projects(request: HttpRequest) -> list[ProjectShape]:
    """List the projects this token opens: its own."""
    mine: ApiToken | None = access.api_token(request)
    assert mine is not None
    return [ProjectShape.of(access.project(request, mine.project.slug))]


@endpoint(router, "get", "/projects/{slug}", Scope.READ, gives=ProjectShape)
def project(request: HttpRequest, slug: Slug) -> ProjectShape:
    """Return one project."""
    return ProjectShape.of(access.project(request, slug))
