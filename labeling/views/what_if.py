"""What if the thresholds moved, and which policies were adopted?"""

from __future__ import annotations

from dataclasses import astuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling.calibrate import Wish, earlier_policy, policies_page, what_if_page
from triage import access
from triage.core.policy import Policy
from triage.models import Project, Role
from triage.tasks import advance_soon
from triage.tasks.what_if import adopt_and_reclassify
from triage.tasks.what_if import what_if as look_at


@require_http_methods(["GET", "POST"])
def what_if(request: HttpRequest, key: str) -> HttpResponse:
    """Show which labels flip under moved thresholds; a POST adopts the policy and re-classifies in the background."""
    run = access.run(request, key, Role.LEAD if request.method == "POST" else Role.VIEWER)
    if request.method == "POST":
        return _adopted(request, run.project, Wish.read(run, request.POST).policy)
    wish = Wish.read(run, request.GET)
    would_be = [astuple(one) for one in look_at(run, wish.policy)]
    return render(request, "labeling/what_if.html", {"page": what_if_page(run, wish, would_be)})


@require_http_methods(["GET", "POST"])
def policies(request: HttpRequest, slug: str) -> HttpResponse:
    """List the policies the project adopted; a POST adopts an earlier one again."""
    project = access.project(request, slug, Role.LEAD if request.method == "POST" else Role.VIEWER)
    if request.method == "POST":
        return _adopted(request, project, earlier_policy(project, request.POST.get("version", "")))
    return render(request, "labeling/policies.html", {"page": policies_page(project)})


def _adopted(request: HttpRequest, project: Project, policy: Policy) -> HttpResponse:
    """Adopt a policy, queue the classifications, lead on to the list of policies."""
    runs = adopt_and_reclassify(project, policy, access.user(request).pk)
    queued = [advance_soon(pk) for pk in runs]
    messages.success(request, f"Policy {policy.fingerprint} is adopted; runs to classify again: {len(queued)}.")
    return redirect("policies", slug=project.slug)
