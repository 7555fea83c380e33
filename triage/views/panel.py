"""The judges a project asks: who they are, in which order, and how they do on a few of its claims."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from triage import access
from triage.forms import PanelForm, TrialForm
from triage.models import JudgeTrial, Role
from triage.pages.panel import trial_cards
from triage.tasks import registry, trial_soon


@require_http_methods(["GET", "HEAD", "POST"])
def panel(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the judges and their order; a POST sets the order."""
    project = access.project(request, slug)
    entries = registry.roster_of(project)
    form = PanelForm(request.POST if request.method == "POST" else None, entries=entries)
    if request.method == "POST":
        access.enter(request, project, Role.LEAD)
        if form.is_valid():
            registry.order_judges(project, form.names())
            messages.success(
                request, "Saved. Runs ask these judges from now on; Rescore asks them about a finished run."
            )
            return redirect("panel", slug=slug)
    trials = trial_cards(JudgeTrial.objects.newest_of(project))
    context = {"project": project, "form": form, "trials": trials, "trial_form": TrialForm(entries=entries)}
    return render(request, "triage/panel.html", context, status=422 if form.is_bound else 200)


@require_POST
def panel_try(request: HttpRequest, slug: str) -> HttpResponse:
    """Have one or two judges read ten claims."""
    project = access.project(request, slug, Role.LEAD)
    form = TrialForm(request.POST, entries=registry.roster_of(project))
    if not form.is_valid():
        messages.error(request, "Choose one of the listed judges.")
    elif not trial_soon(registry.start_trial(project, form.names(), access.user(request).pk).pk):
        messages.error(request, "The queue does not answer, so nobody reads the claims now. Try again once it is back.")
    return redirect("panel", slug=slug)
