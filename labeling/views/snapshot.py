"""Published release notes: publish, read, download, withdraw."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from labeling import access as doors
from labeling.forms import WithdrawalForm
from labeling.report import DamagedError, NotClassifiedError, WithdrawnError, snapshot_page, withdraw
from labeling.report import publish as keep
from labeling.report import snapshot_file as file_of
from triage import access
from triage.models import Role


@require_POST
def publish(request: HttpRequest, key: str) -> HttpResponse:
    """Keep the run's release note as it stands and lead on to it."""
    run = access.run(request, key, Role.LEAD)
    against = access.run(request, request.POST["against"]) if request.POST.get("against") else None
    try:
        found = keep(run, access.user(request), against)
    except NotClassifiedError as fault:
        messages.error(request, str(fault))
        return redirect("run", key=run.key)
    messages.success(request, f"Release note {found.release} is published as {found.short_hash}.")
    return redirect("snapshot", key=found.key)


@require_GET
def snapshot(request: HttpRequest, key: str) -> HttpResponse:
    """Show a published note exactly as it was."""
    found = doors.snapshot(request, key)
    return render(request, "labeling/snapshot.html", {"page": snapshot_page(found)})


@require_GET
def snapshot_file(request: HttpRequest, key: str, to: str) -> HttpResponse:
    """Send a published file byte for byte."""
    try:
        return file_of(doors.snapshot(request, key), to)
    except DamagedError as fault:
        messages.error(request, str(fault))
        return redirect("snapshot", key=key)


@require_http_methods(["GET", "POST"])
def snapshot_withdraw(request: HttpRequest, key: str) -> HttpResponse:
    """Ask why; then mark the note as withdrawn. It stays readable."""
    found = doors.snapshot(request, key, Role.LEAD)
    form = WithdrawalForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            withdraw(found, access.user(request), form.cleaned_data["reason"])
        except WithdrawnError as fault:
            messages.info(request, str(fault))
        return redirect("snapshot", key=key)
    status = 422 if form.errors else 200
    return render(request, "labeling/snapshot_withdraw.html", {"snapshot": found, "form": form}, status=status)
