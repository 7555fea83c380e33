"""The next evaluation set: the plan and its file."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET

from labeling.forms.resampling import ResampleForm
from labeling.resample import Planned, handed_out, plan_set, resample_page
from triage import access
from triage.models import Project, Run


def _run(request: HttpRequest, project: Project, name: str) -> Run | None:
    """Return the run that a parameter names, through the same door as any run, and of this project."""
    key = request.GET.get(name, "")
    found = access.run(request, key) if key else None
    if found is not None and found.project_id != project.pk:
        raise Http404("This run is of another project.")
    return found


def _planned(request: HttpRequest, project: Project, form: ResampleForm) -> Planned | None:
    logs, last = _run(request, project, "logs"), _run(request, project, "last")
    return plan_set(logs, last, form.wanted()) if logs else None


@require_GET
def resample(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the plan of the next evaluation set."""
    project, form = access.project(request, slug), ResampleForm(request.GET if "logs" in request.GET else None)
    planned = _planned(request, project, form) if form.is_bound else None
    page = resample_page(project, planned, request.GET.urlencode())
    return render(request, "labeling/resample.html", {"page": page, "form": form})


@require_GET
def resample_file(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the planned set as a run file."""
    project = access.project(request, slug)
    planned = _planned(request, project, ResampleForm(request.GET))
    if planned is None:
        raise Http404("Name the logs to draw from: ?logs=<key of the run>.")
    response = StreamingHttpResponse(handed_out(planned), content_type="application/x-ndjson")
    response.headers["Content-Disposition"] = f'attachment; filename="evaluation-set-{planned.logs.key}.jsonl"'
    return response
