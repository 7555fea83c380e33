"""Import: take files in, show how far they are and what was left out, cancel, retry, load the demo."""

from __future__ import annotations

import json
from collections.abc import Iterable

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from triage import access, columns, intake
from triage.formats import FileError
from triage.forms import PageForm, UploadForm
from triage.forms.columns import ColumnsForm
from triage.models import Project, Role, Upload
from triage.pages.columns import columns_page
from triage.pages.row_errors import errors_csv
from triage.pages.uploads import upload_card, upload_page, uploads_page
from triage.tasks import ingest_soon

NO_QUEUE = "The queue does not answer. The file is kept; its import starts by itself once the queue is back."


@require_http_methods(["GET", "HEAD", "POST"])
def uploads(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the files that came and take new ones."""
    project = access.project(request, slug)
    form = UploadForm()
    if request.method == "POST":
        access.enter(request, project, Role.LEAD)
        form = UploadForm(request.POST, request.FILES, stopped=getattr(request, "too_large", ()))
        if form.is_valid() and (taken := _take(request, project, form)):
            return _onward(request, taken)
    page = uploads_page(project, PageForm(request.GET).before())
    return render(request, "triage/uploads.html", {"page": page, "form": form}, status=422 if form.is_bound else 200)


def _onward(request: HttpRequest, taken: list[Upload]) -> HttpResponse:
    """Send the browser to the file, or to the list where there are several; htmx loads a page only if told so."""
    first = taken[0]
    if len(taken) > 1:
        url = reverse("uploads", args=[first.project.slug])
    else:
        url = reverse("upload_columns" if first.state == Upload.State.CHOOSING else "upload", args=[first.key])
    return HttpResponseClientRedirect(url) if getattr(request, "htmx", False) else redirect(url)


def _take(request: HttpRequest, project: Project, form: UploadForm) -> list[Upload]:
    """Store each file; one that is refused is named, the others are taken all the same."""
    taken, refusals = [], form.refusals
    for file in form.cleaned_data["run_files"]:
        try:
            taken.append(_store(request, project, file, form.cleaned_data["file_format"]))
        except FileError as error:
            refusals.append(f"{file.name}: {error}")
    for words in refusals:
        messages.error(request, words)
    _hand_on(request, taken)
    return taken


def _store(request: HttpRequest, project: Project, file: UploadedFile[bytes], file_format: str) -> Upload:
    ask = file_format == "table"
    return intake.store(project, access.user(request), file.name or "", file.chunks(), file_format, ask=ask)


def _hand_on(request: HttpRequest, taken: Iterable[Upload]) -> None:
    """Queue the imports. The first that the queue does not hear is the last that is tried: nobody waits for each."""
    if not all(ingest_soon(upload.pk) for upload in taken if upload.state != Upload.State.CHOOSING):
        messages.warning(request, NO_QUEUE)


@require_GET
def upload(request: HttpRequest, key: str) -> HttpResponse:
    """Show one file: how far it is, then what came of it."""
    return render(request, "triage/upload.html", {"page": upload_page(access.upload(request, key))})


@require_http_methods(["GET", "HEAD", "POST"])
def upload_columns(request: HttpRequest, key: str) -> HttpResponse:
    """Ask which column of a table is which field; the import starts with the answer."""
    found = access.upload(request, key, Role.LEAD)
    try:
        table = columns.table_of(found)
    except FileError as error:
        return _moved_on(request, found, f"The columns cannot be chosen: {error}")
    kinds = columns.kinds_of(found, table)
    form = ColumnsForm(request.POST or None, columns=table.columns, kinds=kinds)
    if form.is_valid():
        if not columns.choose(found, table.columns, form.mapping):
            return _moved_on(request, found, "Nothing to do: the import has moved on meanwhile.")
        _hand_on(request, [found])
        return redirect("upload", key=found.key)
    page = columns_page(found, table, form)
    status = 422 if form.is_bound else 200
    return render(request, "triage/upload_columns.html", {"page": page, "form": form}, status=status)


def _moved_on(request: HttpRequest, found: Upload, words: str) -> HttpResponse:
    messages.info(request, words)
    return redirect("upload", key=found.key)


@require_GET
def upload_progress(request: HttpRequest, key: str) -> HttpResponse:
    """Show how far a file is; once nothing moves any more, tell htmx to load the page anew."""
    card = upload_card(access.upload(request, key))
    response = render(request, "triage/parts/upload_card.html", {"card": card, "alone": "alone" in request.GET})
    if not card.is_moving:
        response.headers["HX-Refresh"] = "true"
    return response


@require_GET
def upload_errors(request: HttpRequest, key: str, ending: str) -> HttpResponse:
    """Hand out the lines left out, as CSV or JSON."""
    errors = access.upload(request, key).errors
    body = errors_csv(errors) if ending == "csv" else json.dumps(errors, ensure_ascii=False, indent=1)
    kind = "text/csv; charset=utf-8" if ending == "csv" else "application/json"
    disposition = f'attachment; filename="lines-left-out-{key}.{ending}"'
    return HttpResponse(body, content_type=kind, headers={"Content-Disposition": disposition})


@require_POST
def upload_steer(request: HttpRequest, key: str, action: str) -> HttpResponse:
    """Cancel or retry an import; the first click counts."""
    found = access.upload(request, key, Role.LEAD)
    if not intake.ACTIONS[action](found):
        messages.info(request, "Nothing to do: the import has moved on meanwhile.")
    elif action == "retry":
        _hand_on(request, [found])
    return redirect("upload", key=found.key)


@require_POST
def demo(request: HttpRequest, slug: str) -> HttpResponse:
    """Load the runs that ship with the product."""
    project = access.project(request, slug, Role.LEAD)
    _hand_on(request, intake.demo(project, access.user(request)))
    return redirect("uploads", slug=slug)
