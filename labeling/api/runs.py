"""What people and judges come to on a run: verdicts, release note, gates, files; and the judges themselves."""

from __future__ import annotations

from enum import StrEnum

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from ninja import Router

from labeling.api.shapes import GateShape, JudgeShape, VerdictShape, VerdictsShape
from labeling.calibrate import judges_in
from labeling.files import EXPORTS, handed_out
from labeling.gate import as_json, gate, render
from labeling.models import Calibration, Verdict
from labeling.report import FORMATS, NotClassifiedError, attachment, report
from triage import access
from triage.api.building import endpoint, text_as
from triage.api.problems import ProblemError
from triage.api.shapes import FormWord, Key, Limit, Position, Slug
from triage.models import Role, Run, Scope

router = Router(tags=["results"])
NoteFormat = StrEnum("NoteFormat", {name.upper(): name for name in FORMATS})  # type: ignore[misc]
GateFormat = StrEnum("GateFormat", {"JSON": "json", "MD": "md", "JUNIT": "junit", "TEXT": "text"})
What = StrEnum("What", {name.upper().replace("-", "_"): name for name in EXPORTS})  # type: ignore[misc]
#: How each file is sent.
TYPES = {
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "ragas": "application/x-ndjson",
    "label_studio": "application/json",
}
PLAIN = "text/plain; charset=utf-8"
GATE_TYPES = {"md": "text/markdown; charset=utf-8", "junit": "application/xml", "text": PLAIN}
NOTE_TYPES = tuple(content_type.split(";")[0] for content_type, _ in FORMATS.values())
FILE_TYPES = ("application/x-ndjson", "text/csv", "application/json", "text/plain")


def _not_yet(run: Run, fault: Exception) -> ProblemError:
    remedy = "Follow the run until its state is done."
    return ProblemError(409, "not_classified", f"{str(fault).capitalize()}.", remedy=remedy, retry_after_s=5)


@endpoint(router, "get", "/runs/{key}/verdicts", Scope.READ, gives=VerdictsShape)
def verdicts(request: HttpRequest, key: Key, after: Position = 0, limit: Limit = 50) -> VerdictsShape:
    """List the verdicts on a run's queries that stand now. For leads: reviewers must not see each other's before."""
    run = access.run(request, key, Role.LEAD)
    found = list(Verdict.objects.standing(run, after)[: limit + 1])
    more = found[limit - 1].pk if len(found) > limit else None
    return VerdictsShape(items=[VerdictShape.of(verdict, run.project_id) for verdict in found[:limit]], next=more)


@endpoint(router, "get", "/projects/{slug}/judges", Scope.READ, gives=list[JudgeShape])
def judges(request: HttpRequest, slug: Slug) -> list[JudgeShape]:
    """List the judges that scored something here, each with its newest comparison with people."""
    project, now = access.project(request, slug), timezone.now()
    found = judges_in(project)
    newest = Calibration.objects.newest_of(project.pk, [judge.pk for judge in found])
    return [JudgeShape.of(judge, newest.get(judge.pk), now) for judge in found]


@endpoint(
    router,
    "get",
    "/runs/{key}/report",
    Scope.READ,
    gives={200: None},
    errors=(409,),
    openapi_extra=text_as(*NOTE_TYPES),
)
def run_report(
    request: HttpRequest,
    key: Key,
    to: NoteFormat = NoteFormat.JSON,  # type: ignore[attr-defined]
    against: Key | None = None,
) -> HttpResponse:
    """Return the release note of a run as Markdown, CSV, JSON or HTML; `against`: the run to compare with."""
    run = access.run(request, key)
    other = access.run(request, against) if against else None
    try:
        return attachment(run, report(run, other), str(to))
    except NotClassifiedError as fault:
        raise _not_yet(run, fault) from fault


@endpoint(
    router,
    "get",
    "/runs/{key}/gate",
    Scope.GATE,
    Scope.READ,
    gives=GateShape,
    errors=(409,),
    openapi_extra=text_as("text/markdown", "application/xml", "text/plain"),
)
def run_gate(
    request: HttpRequest,
    key: Key,
    strict: bool = False,
    to: GateFormat = GateFormat.JSON,
) -> GateShape | HttpResponse:
    """Say whether a run passes its project's gates: pass, fail or not_decided; `strict`: by the values alone."""
    run = access.run(request, key)
    try:
        found = gate(run, strict=strict)
    except ValueError as fault:
        raise _not_yet(run, fault) from fault
    if to == "json":
        return GateShape.model_validate(as_json(found))
    return HttpResponse(render(found, str(to)), content_type=GATE_TYPES[str(to)])


@endpoint(
    router, "get", "/runs/{key}/export/{what}", Scope.EXPORT, gives={200: None}, openapi_extra=text_as(*FILE_TYPES)
)
def run_export(
    request: HttpRequest, key: Key, what: What, to: FormWord | None = None, history: bool = False
) -> StreamingHttpResponse:
    """Send a file of a run, piece by piece: all of it, what people said, calibration data, or accepted gold.

    `to`: jsonl, csv, ... as this file comes; the first of its forms if not said. `history`: replaced verdicts too.
    """
    run = access.run(request, key, Role.LEAD)
    formats, _ = EXPORTS[str(what)]
    chosen = to or formats[0]
    if chosen not in formats:
        words = f"{what} comes as {', '.join(formats)}."
        raise ProblemError(422, "invalid", words, field="query.to", remedy="Choose one of these.")
    response = StreamingHttpResponse(
        handed_out(run, str(what), chosen, history=history), content_type=TYPES.get(chosen, PLAIN)
    )
    response.headers["Content-Disposition"] = f'attachment; filename="{what}-{run.key}.{chosen}"'
    return response
