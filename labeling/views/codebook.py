"""The codebook, the project's own sub-causes, and notes turned into them."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from labeling.codebook import CodebookError, add_sub_cause, codebook_of, retire_sub_cause
from labeling.forms import NotesForm, SubCauseForm
from labeling.models import CodebookVersion
from labeling.review import categorise, noted, saturation
from triage import access
from triage.core.labels import CODEBOOK
from triage.models import Role


@require_http_methods(["GET", "POST"])
def codebook(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what the labels mean; a lead adds a sub-cause of the project's own."""
    is_change = request.method == "POST"
    project = access.project(request, slug, Role.LEAD if is_change else Role.VIEWER)
    form = SubCauseForm(request.POST or None)
    if is_change and form.is_valid():
        try:
            add_sub_cause(project, access.user(request), **form.cleaned_data)
            return redirect("codebook", slug=slug)
        except CodebookError as refusal:
            form.add_error(None, str(refusal))
    now = codebook_of(project)
    entries = [(entry, now.sub_causes[str(entry.label)]) for entry in CODEBOOK]
    versions = CodebookVersion.objects.filter(project=project).order_by("-version")[:50]
    context = {"project": project, "codebook": now, "entries": entries, "versions": versions, "form": form}
    return render(request, "labeling/codebook.html", context, status=422 if form.errors else 200)


@require_POST
def codebook_retire(request: HttpRequest, slug: str) -> HttpResponse:
    """Offer a sub-cause of the project's own no more."""
    project = access.project(request, slug, Role.LEAD)
    try:
        retire_sub_cause(project, access.user(request), request.POST.get("label", ""), request.POST.get("name", ""))
    except CodebookError as refusal:
        messages.error(request, str(refusal))
    return redirect("codebook", slug=slug)


@require_http_methods(["GET", "POST"])
def notes(request: HttpRequest, key: str) -> HttpResponse:
    """List notes without a label; a POST turns the ticked ones into a label and sub-cause."""
    run = access.run(request, key, Role.LEAD)
    form = NotesForm(codebook_of(run.project), request.POST or None)
    if form.is_valid():
        chosen = [int(pk) for pk in request.POST.getlist("note") if pk.isdecimal()]
        done = categorise(run, access.user(request), chosen, *form.said)
        messages.success(request, f"{done:,} notes are decided.")
        return redirect("notes", key=key)
    context = {"run": run, "notes": noted(run)[:500], "form": form, "saturation": saturation(run)}
    return render(request, "labeling/notes.html", context, status=422 if form.errors else 200)
