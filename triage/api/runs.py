"""Runs: list, one, its queries; cancel and delete."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router
from ninja.responses import Status

from triage import access, housekeeping
from triage.api.building import endpoint
from triage.api.replaying import PARAMETER, at_most_once
from triage.api.shapes import (
    Key,
    LabelWord,
    Limit,
    OutcomeWord,
    Position,
    QueriesShape,
    QueryRecordShape,
    QueryShape,
    RunShape,
    RunsShape,
    Slug,
    Words,
)
from triage.core.filters import QueryFilter
from triage.export import chunks_beside, record_of
from triage.models import Query, Role, Run, Scope
from triage.tasks import steering

router = Router(tags=["runs"])


@endpoint(router, "get", "/projects/{slug}/runs", Scope.READ, Scope.IMPORT, Scope.GATE, gives=RunsShape)
def runs(request: HttpRequest, slug: Slug, name: Words = "", after: Key | None = None, limit: Limit = 50) -> RunsShape:
    """List the project's runs, the newest first; `name`: only those called exactly so."""
    project = access.project(request, slug)
    found = list(Run.objects.for_api(project, name, after)[: limit + 1])
    more = found[limit - 1].key if len(found) > limit else None
    return RunsShape(items=[RunShape.of(run) for run in found[:limit]], next=more)


@endpoint(router, "get", "/runs/{key}", Scope.READ, Scope.IMPORT, Scope.GATE, gives=RunShape)
def run(request: HttpRequest, key: Key) -> RunShape:
    """Return one run: its state, how far it is, and once it is classified its classes and metrics."""
    return RunShape.of(access.run(request, key), with_progress=True)


@endpoint(router, "post", "/runs/{key}/cancel", Scope.IMPORT, gives=RunShape, openapi_extra=PARAMETER)
@at_most_once
def run_cancel(request: HttpRequest, key: Key) -> RunShape:
    """Stop a run for good; the scores it has stay. One that has ended already is returned as it is."""
    found = access.run(request, key, Role.LEAD)
    steering.cancel(found)
    found.refresh_from_db()
    return RunShape.of(found, with_progress=True)


@endpoint(router, "delete", "/runs/{key}", Scope.DELETE, gives={204: None})
def run_delete(request: HttpRequest, key: Key) -> Status[None]:
    """Delete a run with its verdicts, its uploads and the chunks no other run uses."""
    housekeeping.delete(access.run(request, key, Role.LEAD))
    return Status(204, None)


@endpoint(router, "get", "/runs/{key}/queries", Scope.READ, gives=QueriesShape)
def queries(
    request: HttpRequest,
    key: Key,
    outcome: OutcomeWord | None = None,
    label: LabelWord | None = None,
    text: Words = "",
    after: Position = 0,
    limit: Limit = 50,
) -> QueriesShape:
    """List queries in file order, by outcome, automatic label, or words in question, answer or id."""
    wanted = QueryFilter(outcome=outcome or "", label=label or "", text=text)
    rows = Query.objects.matching(access.run(request, key), wanted).for_queries_page()
    found = list(rows.filter(position__gt=after)[: limit + 1])
    more = found[limit - 1].position if len(found) > limit else None
    return QueriesShape(items=[QueryShape.of(query) for query in found[:limit]], next=more)


@endpoint(router, "get", "/runs/{key}/queries/{position}", Scope.READ, gives=QueryRecordShape)
def query(request: HttpRequest, key: Key, position: Position) -> QueryRecordShape:
    """Return one query as a line of the run file: question, answer, what was retrieved, claims. No verdicts."""
    found = access.query(request, key, position)
    return QueryRecordShape(position=position, record=record_of(found), chunks=chunks_beside(found))
