"""What was changed in a project, by whom, from where: for its owners."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from triage import access, journal
from triage.forms.changes import ChangesForm
from triage.models import Change, Role
from triage.pages.changes import FILES, changes_page


@require_GET
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    """List the changes, newest first."""
    project = access.project(request, slug, Role.OWNER)
    form = ChangesForm(request.GET)
    page = changes_page(project, form.wanted(), form.before())
    return render(request, "triage/changes.html", {"page": page, "form": form})


@require_GET
def changes_file(request: HttpRequest, slug: str, to: str) -> StreamingHttpResponse:
    """Send the changes asked for, oldest first."""
    project = access.project(request, slug, Role.OWNER)
    rows = Change.objects.in_project(project).matching(**ChangesForm(request.GET).wanted())
    journal.note("changes.exported", project, project.slug, new={"format": to})
    content_type, lines = FILES[to]
    disposition = f'attachment; filename="changes-{project.slug}.{to}"'
    return StreamingHttpResponse(
        lines(rows.streamed()), content_type=content_type, headers={"Content-Disposition": disposition}
    )
