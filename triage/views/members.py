"""Who is in a project: invite, change a role, remove."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from triage import access
from triage.forms import ProjectForm, RoleForm
from triage.invite import invite
from triage.models import Role
from triage.people import LastOwnerError, change_role, configure, remove


def members(request: HttpRequest, slug: str) -> HttpResponse:
    """List the members; a POST makes a single-use link and shows it once."""
    project = access.project(request, slug, Role.LEAD)
    form = RoleForm(request.POST or None, prefix="invite", most=access.role_in(request, project))
    link = ""
    if request.method == "POST" and form.is_valid():
        token = invite(project, Role(form.cleaned_data["role"]), by=access.user(request))
        link = request.build_absolute_uri(reverse("join", args=[token]))
    people = project.members.select_related("user").order_by("user__username")
    context = {"project": project, "members": people, "form": form, "link": link, "roles": Role.choices}
    return render(request, "triage/members.html", context)


@require_POST
def member_role(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Give a member another role."""
    project = access.project(request, slug, Role.OWNER)
    member = get_object_or_404(project.members, pk=pk)
    form = RoleForm(request.POST, most=Role.OWNER)
    try:
        if form.is_valid():
            change_role(member, Role(form.cleaned_data["role"]))
            messages.success(request, f"{member.user.get_username()} is now {form.cleaned_data['role']}.")
        else:
            messages.error(request, "Choose one of the listed roles.")
    except LastOwnerError as error:
        messages.error(request, str(error))
    return redirect("members", slug=slug)


@require_POST
def member_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take a member out; what they reviewed stays."""
    project = access.project(request, slug, Role.OWNER)
    member = get_object_or_404(project.members, pk=pk)
    try:
        remove(member)
        messages.success(request, f"{member.user.get_username()} is no longer a member. Their verdicts stay.")
    except LastOwnerError as error:
        messages.error(request, str(error))
    return redirect("members", slug=slug)


def project_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the project's name, targets, gates and owners."""
    project = access.project(request, slug, Role.LEAD)
    form = ProjectForm(request.POST or None, initial=ProjectForm.values_of(project))
    if request.method == "POST" and form.is_valid():
        configure(project, **form.changes())
        messages.success(request, "Saved. Pages use the new values from now on.")
        return redirect("project_settings", slug=slug)
    return render(request, "triage/project_settings.html", {"project": project, "form": form})
