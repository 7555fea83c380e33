"""The release note: the page, its files, and the list of a project's notes."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from labeling.report import (
    NotClassifiedError,
    attachment,
    confirmed_page,
    draw_more,
    live_page,
    more_page,
    read_half_width,
    reports_page,
)
from labeling.report import report as note_of
from triage import access
from triage.models import Role, Run


def _against(request: HttpRequest) -> Run | None:
    """Return the run that `?against=` names, through the same door as any run."""
    key = request.GET.get("against", "")
    return access.run(request, key) if key else None


@require_GET
def report(request: HttpRequest, key: str) -> HttpResponse:
    """Show the release note of a run."""
    run, against = access.run(request, key), _against(request)
    try:
        page = live_page(run, note_of(run, against), against)
    except NotClassifiedError:
        return redirect("run", key=run.key)
    return render(request, "labeling/report.html", {"page": page})


@require_GET
def report_file(request: HttpRequest, key: str, to: str) -> HttpResponse:
    """Send the release note as a file."""
    run, against = access.run(request, key), _against(request)
    try:
        return attachment(run, note_of(run, against), to)
    except NotClassifiedError:
        return redirect("run", key=run.key)


@require_GET
def confirmed(request: HttpRequest, key: str) -> HttpResponse:
    """List the failing queries with a final verdict: by class, by sub-cause, fifty at a time."""
    asked = (request.GET.get(name, "") for name in ("label", "sub_cause", "after"))
    page = confirmed_page(access.run(request, key), *asked)
    return render(request, "labeling/confirmed.html", {"page": page})


@require_GET
def reports(request: HttpRequest, slug: str) -> HttpResponse:
    """List the project's classified runs, each with its release note."""
    project = access.project(request, slug)
    return render(request, "labeling/reports.html", {"page": reports_page(project)})


@require_http_methods(["GET", "POST"])
def more(request: HttpRequest, key: str) -> HttpResponse:
    """Say how many more reads a precision takes; a POST draws exactly those."""
    run = access.run(request, key, Role.LEAD if request.method == "POST" else Role.VIEWER)
    if request.method == "POST":
        half_width = read_half_width(request.POST.get("half_width", ""))
        session = draw_more(run, access.user(request), half_width or 1)
        messages.success(request, f"Session “{session.name}” holds {session.frame['items']:,} queries.")
        return redirect("session_review", key=session.key)
    page = more_page(run, read_half_width(request.GET.get("half_width", "")))
    return render(request, "labeling/more.html", {"page": page})
