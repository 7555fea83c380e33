"""Runs: the list, one run, how far it is, its name, its end."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from triage import access, housekeeping
from triage.forms import PageForm, RunNameForm
from triage.models import Role
from triage.pages.progress import progress_of
from triage.pages.run import run_page
from triage.pages.runs import runs_page
from triage.tasks import advance_soon, erase_soon, registry, steering


@require_GET
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    """List the project's runs, or say how to get the first one."""
    project = access.project(request, slug)
    page = runs_page(project, PageForm(request.GET).before())
    return render(request, "triage/runs.html", {"page": page})


@require_GET
def run(request: HttpRequest, key: str) -> HttpResponse:
    """Show one run; `slices` names the slice key to show."""
    found = access.run(request, key)
    context = {"page": run_page(found, request.GET.get("slices", "")), "spending": registry.spending_of(found)}
    return render(request, "triage/run.html", context)


@require_GET
def run_progress(request: HttpRequest, key: str) -> HttpResponse:
    """Show how far the run is; once it has moved on, tell htmx to load the page anew."""
    found = access.run(request, key)
    progress = progress_of(found)
    response = render(request, "triage/run.html#run-progress", {"run": found, "progress": progress})
    if progress is None or not progress.is_moving:
        response.headers["HX-Refresh"] = "true"
    return response


def run_rename(request: HttpRequest, key: str) -> HttpResponse:
    """Ask for a new name and set it."""
    found = access.run(request, key, Role.LEAD)
    form = RunNameForm(request.POST or None, initial={"name": found.name})
    if request.method == "POST" and form.is_valid():
        housekeeping.rename(found, form.cleaned_data["name"])
        messages.success(request, f"The run is now called {form.cleaned_data['name']}.")
        return redirect("run", key=found.key)
    return render(request, "triage/run_rename.html", {"run": found, "form": form})


def run_delete(request: HttpRequest, key: str) -> HttpResponse:
    """Ask first; then delete the run and everything that is only its own."""
    found = access.run(request, key, Role.LEAD)
    if request.method == "POST":
        housekeeping.delete(found)
        erase_soon(found.pk)
        messages.success(request, f"{found.name} is being deleted: nobody sees it any more, a worker removes its rows.")
        return redirect("runs", slug=found.project.slug)
    return render(request, "triage/run_delete.html", {"run": found, "queries": found.queries.count()})


@require_POST
def run_steer(request: HttpRequest, key: str, action: str) -> HttpResponse:
    """Pause, resume, cancel, retry or re-score the run; the first click counts."""
    found = access.run(request, key, Role.LEAD)
    if steering.ACTIONS[action](found):
        advance_soon(found.pk)
    else:
        messages.info(request, "Nothing to do: the run has moved on meanwhile.")
    return redirect("run", key=found.key)
