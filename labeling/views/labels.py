"""Labels of claims that people gave elsewhere, previewed and kept."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling.forms import LabelsForm
from labeling.receive import receive_labels as receive
from triage import access
from triage.models import Role


@require_http_methods(["GET", "POST"])
def receive_labels(request: HttpRequest, key: str) -> HttpResponse:
    """Say what a file of labels comes to; kept when the reader says so."""
    run = access.run(request, key, Role.LEAD)
    form = LabelsForm(request.POST, request.FILES) if request.method == "POST" else LabelsForm()
    found = None
    if form.is_valid():
        found = receive(run, form.cleaned_data["text"], store=form.cleaned_data["keep"])
        if found.stored:
            messages.success(request, f"Labels kept: {found.new}. Compare the judges with people to use them.")
            return redirect("judges", slug=run.project.slug)
    text = form.cleaned_data.get("text", "") if found else ""
    context = {"run": run, "form": form, "found": found, "text": text}
    return render(request, "labeling/receive_labels.html", context, status=422 if form.errors else 200)
