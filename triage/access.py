"""The one door to every object: it starts from the caller's memberships, so a foreign object does not exist.

Each door returns the object or raises `Http404`; a member whose role is too small gets `PermissionDenied`.
"""

from __future__ import annotations

from typing import cast

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from triage.models import ApiToken, Member, Project, Query, Role, Run, Upload


def user(request: HttpRequest) -> User:
    """Return the logged-in user. LoginRequiredMiddleware has turned everybody else away."""
    return cast("User", request.user)


def api_token(request: HttpRequest) -> ApiToken | None:
    """Return the token a program came with; None for a person. `request.user` is then the token's maker."""
    return getattr(request, "api_token", None)


def current_project(request: HttpRequest) -> Project | None:
    """Return the project of the object a door was opened to, for the frame around the page."""
    return getattr(request, "current_project", None)


def enter(request: HttpRequest, project: Project, role: Role) -> None:
    """Refuse a member whose role does not include `role`; remember the project for the frame.

    Doors of `labeling` call this too, after finding their object through the caller's memberships. A program's token
    is bounded by its own project and by the role its maker has now.
    """
    if (token := api_token(request)) is not None and token.project_id != project.pk:
        raise Http404("A token opens its own project only.")
    allowed = Member.objects.filter(project=project.pk, user=user(request).pk, role__in=Role.at_least(role))
    if role is not Role.VIEWER and not allowed.exists():
        raise PermissionDenied(f"This needs the role {role.label.lower()} in the project.")
    request.current_project = project  # type: ignore[attr-defined]


def enter_as(request: HttpRequest, project: Project, held: Role, role: Role) -> None:
    """Enter with a role that was read together with the object: what `enter` does, without asking again."""
    if held.rank < role.rank:
        raise PermissionDenied(f"This needs the role {role.label.lower()} in the project.")
    request.current_project = project  # type: ignore[attr-defined]


def role_in(request: HttpRequest, project: Project) -> Role:
    """Return the caller's role in a project they have entered."""
    return Role(Member.objects.values_list("role", flat=True).get(project=project.pk, user=user(request).pk))


def project(request: HttpRequest, slug: str, role: Role = Role.VIEWER) -> Project:
    """Return the project with this slug."""
    found = get_object_or_404(Project.objects.of(user(request)), slug=slug)
    enter(request, found, role)
    return found


def run(request: HttpRequest, key: str, role: Role = Role.VIEWER) -> Run:
    """Return the run with this key, its project beside it."""
    if "\0" in key:  # typed into a form, where no address takes it off
        raise Http404("No run has such a key.")
    found = get_object_or_404(Run.objects.of(user(request)).select_related("project"), key=key)
    enter(request, found.project, role)
    return found


def query(request: HttpRequest, run_key: str, position: int, role: Role = Role.VIEWER) -> Query:
    """Return the query at this place of the run, its run and project beside it."""
    found = get_object_or_404(
        Query.objects.filter(run__in=Run.objects.of(user(request))).select_related("run__project"),
        run__key=run_key,
        position=position,
    )
    enter(request, found.run.project, role)
    return found


def upload(request: HttpRequest, key: str, role: Role = Role.VIEWER) -> Upload:
    """Return the upload with this key, its project and run beside it."""
    found = get_object_or_404(Upload.objects.of(user(request)).select_related("project", "run"), key=key)
    enter(request, found.project, role)
    return found
