"""What people could not agree on: the list, and one query with every word beside the other."""

from __future__ import annotations

from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from labeling.cards import side_by_side
from labeling.codebook import codebook_of
from labeling.forms import RulingForm
from labeling.review import InvalidError, adjudicate, contradictory, disputed
from triage import access
from triage.models import Role


@require_GET
def adjudication(request: HttpRequest, key: str) -> HttpResponse:
    """List the queries of a run that need adjudication, and the labels their own marks speak against."""
    run = access.run(request, key, Role.LEAD)
    context = {"run": run, "queries": disputed(run), "conflicts": contradictory(run)}
    return render(request, "labeling/adjudication.html", context)


@require_http_methods(["GET", "POST"])
def adjudication_query(request: HttpRequest, key: str, position: int) -> HttpResponse:
    """Show everybody's word on one query, names hidden unless asked for, and take the final one."""
    query = access.query(request, key, position, Role.LEAD)
    form = RulingForm(codebook_of(query.run.project), request.POST or None, initial={"key": uuid4()})
    if form.is_valid():
        try:
            adjudicate(query, access.user(request), form.ruling())
            messages.success(request, f"Query {query.key} is decided.")
            return redirect("adjudication", key=key)
        except InvalidError as refusal:
            form.add_error(None, str(refusal))
    names = "names" in request.GET
    context = {"page": side_by_side(query, names=names), "run": query.run, "form": form, "names": names}
    return render(request, "labeling/adjudication_query.html", context, status=422 if form.errors else 200)
