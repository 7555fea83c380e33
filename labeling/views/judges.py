"""Judges beside people: the list, one judge, the items behind a number, and the button that compares anew."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from labeling.calibrate import Wanted, items_of, items_page, judge_of, judge_page, judges_page
from labeling.export import attachment
from labeling.tasks import calibrate_all_soon, calibrate_soon
from triage import access
from triage.models import Role


@require_GET
def judges(request: HttpRequest, slug: str) -> HttpResponse:
    """List the judges that scored something in the project."""
    page = judges_page(access.project(request, slug), timezone.now())
    return render(request, "labeling/judges.html", {"page": page})


@require_POST
def judges_compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask a worker to compare every judge of the project, and every score that came with files."""
    project = access.project(request, slug, Role.REVIEWER)
    if calibrate_all_soon(project.pk):
        messages.success(request, "A worker compares every judge with people now. The figures follow in a moment.")
    else:
        messages.error(request, "No queue answers, so no worker was asked. `manage.py calibrate JUDGE` does without.")
    return redirect("judges", slug=project.slug)


@require_GET
def judge(request: HttpRequest, slug: str, fingerprint: str) -> HttpResponse:
    """Show one judge identity beside people."""
    project = access.project(request, slug)
    page = judge_page(project, judge_of(project, fingerprint), timezone.now(), access.user(request).pk)
    return render(request, "labeling/judge.html", {"page": page})


@require_GET
def judge_items(request: HttpRequest, slug: str, fingerprint: str) -> HttpResponse:
    """List the items of one cell of the matrix, or all disagreements, worst first."""
    project = access.project(request, slug)
    found = judge_of(project, fingerprint)
    page = items_page(project, found, Wanted.read(request.GET), access.user(request).pk)
    return render(request, "labeling/judge_items.html", {"page": page})


@require_POST
def judge_compare(request: HttpRequest, slug: str, fingerprint: str) -> HttpResponse:
    """Ask a worker to compare the judge with the labels as they are now."""
    project = access.project(request, slug, Role.REVIEWER)
    found = judge_of(project, fingerprint)
    if calibrate_soon(project.pk, found.pk):
        messages.success(request, "A worker compares the judge with people now. The figures follow in a moment.")
    else:
        command = f"manage.py calibrate {found.fingerprint} --project {project.slug}"
        messages.error(request, f"No queue answers, so no worker was asked. `{command}` does it without one.")
    return redirect("judge", slug=project.slug, fingerprint=found.fingerprint)


@require_GET
def judge_export(request: HttpRequest, slug: str, fingerprint: str, to: str) -> HttpResponse:
    """Send the judge's items with both words as a file. A reviewer reads others' words after their own, not here."""
    project = access.project(request, slug, Role.LEAD)
    found = judge_of(project, fingerprint)
    return attachment(project, found, items_of(project, found), to)
