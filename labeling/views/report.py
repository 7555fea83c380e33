"""The release note: the page, its files, and the list of a project's notes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from labeling.report import NotClassifiedError, attachment, report_page, reports_page
from labeling.report import report as note_of
from triage import access
from triage.models import Run


def _against(request: HttpRequest) -> Run | None:
    """Return the run that `?against=` names, through the same door as any run."""
    key = request.GET.get("against", "")
    return access.run(request, key) if key else None


@require_GET
def report(request: HttpRequest, key: str) -> HttpResponse:
    """Show the release note of a run."""
    run, against = access.run(request, key), _against(request)
    try:
        page = report_page(run, note_of(run, against), against)
    except NotClassifiedError:
        return redirect("run", key=run.key)
    return render(request, "labeling/report.html", {"page": page})


@require_GET
def report_file(request: HttpRequest, key: str, to: str) -> HttpResponse:
    """Send the release note as a file."""
    run, against = access.run(request, key), _against(request)
    try:
        return attachment(note_of(run, against), to)
    except NotClassifiedError:
        return redirect("run", key=run.key)


@require_GET
def reports(request: HttpRequest, slug: str) -> HttpResponse:
    """List the project's classified runs, each with its release note."""
    project = access.project(request, slug)
    return render(request, "labeling/reports.html", {"page": reports_page(project)})
