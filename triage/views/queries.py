"""Queries of a run: the list behind every number, and the manifest of one."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from triage import access
from triage.forms import QueryFilterForm
from triage.pages.queries import queries_page
from triage.pages.query import query_page


@require_GET
def queries(request: HttpRequest, key: str) -> HttpResponse:
    """List the queries that match the filter, fifty at a time."""
    found = access.run(request, key)
    form = QueryFilterForm(request.GET)
    wanted = form.wanted()
    page = queries_page(found, wanted, form.after_position, form.before_position)
    return render(request, "triage/queries.html", {"page": page, "form": form, "wanted": wanted})


@require_GET
def query(request: HttpRequest, key: str, position: int) -> HttpResponse:
    """Show the manifest of one query."""
    found = access.query(request, key, position)
    return render(request, "triage/query.html", {"page": query_page(found, access.user(request).pk)})
