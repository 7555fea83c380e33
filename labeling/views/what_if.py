"""What if the thresholds moved?"""

from __future__ import annotations

from dataclasses import astuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling.calibrate import Wish, what_if_page
from triage import access
from triage.models import Role
from triage.tasks import advance_soon
from triage.tasks.what_if import adopt_and_reclassify
from triage.tasks.what_if import what_if as look_at


@require_http_methods(["GET", "POST"])
def what_if(request: HttpRequest, key: str) -> HttpResponse:
    """Show which labels flip under moved thresholds; a POST adopts the policy and re-classifies in the background."""
    run = access.run(request, key, Role.LEAD if request.method == "POST" else Role.VIEWER)
    if request.method == "POST":
        wish = Wish.read(run, request.POST)
        runs = adopt_and_reclassify(run.project, wish.policy, access.user(request).pk)
        queued = [advance_soon(pk) for pk in runs]
        messages.success(request, f"Policy {wish.policy.fingerprint} is adopted; {len(queued)} runs are re-classified.")
        return redirect("run", key=run.key)
    wish = Wish.read(run, request.GET)
    would_be = [astuple(one) for one in look_at(run, wish.policy, wish.thresholds)]
    return render(request, "labeling/what_if.html", {"page": what_if_page(run, wish, would_be)})
