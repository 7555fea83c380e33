"""The worklist for content owners: the page, its marks and its files."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from labeling.core.mending import Fault
from labeling.forms.mending import MendForm
from labeling.mend import handed_out, mark_mended, mend_page, unmark
from triage import access
from triage.models import Project, Role, Run

CONTENT_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


def _run(request: HttpRequest, project: Project, key: str) -> Run | None:
    """Return the run named, through the same door as any run, and of this project."""
    found = access.run(request, key) if key else None
    if found is not None and found.project_id != project.pk:
        raise Http404("This run is of another project.")
    return found


@require_GET
def mend(request: HttpRequest, slug: str) -> HttpResponse:
    """List the documents to mend by what a run shows."""
    project = access.project(request, slug)
    may = access.role_in(request, project).rank >= Role.REVIEWER.rank
    page = mend_page(project, _run(request, project, request.GET.get("run", "")), can_mark=may)
    return render(request, "labeling/mend.html", {"page": page})


@require_POST
def mend_mark(request: HttpRequest, slug: str) -> HttpResponse:
    """Mark a document as mended, or take it back."""
    project, form = access.project(request, slug, Role.REVIEWER), MendForm(request.POST)
    run = _run(request, project, form.cleaned_data["run"]) if form.is_valid() else None
    if run is None:
        raise BadRequest("Name the run, the document, its fault, and mend or undo.")
    fault, document = Fault(form.cleaned_data["fault"]), form.cleaned_data["document"]
    if form.cleaned_data["act"] == "undo":
        unmark(run, access.user(request), fault, document)
        messages.success(request, f"“{document}” is open again.")
    else:
        mark_mended(run, access.user(request), fault, document, form.cleaned_data["note"])
        messages.success(request, f"“{document}” is marked as mended. A later run that still shows it opens it again.")
    return redirect(f"{reverse('mend', args=[slug])}?run={run.key}")


@require_GET
def mend_export(request: HttpRequest, key: str, to: str) -> HttpResponse:
    """Send the worklist of a run as a file."""
    run = access.run(request, key)
    response = HttpResponse(handed_out(run, to), content_type=CONTENT_TYPES[to])
    response.headers["Content-Disposition"] = f'attachment; filename="mend-{run.key}.{to}"'
    return response
