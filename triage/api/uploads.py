"""Files in: stream one, follow it, cancel it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router
from ninja.responses import Status

from triage import access, intake, replay
from triage.api.building import endpoint
from triage.api.problems import ProblemError
from triage.api.replaying import PARAMETER, again, at_most_once, begin, caller, key_of
from triage.api.shapes import Key, Slug, UploadShape, Words
from triage.formats import FORMATS
from triage.formats.stream import too_large
from triage.models import Role, Scope, Upload, import_limits
from triage.tasks import ingest_soon

router = Router(tags=["import"])
BLOCK_BYTES = 256 * 1024
FormatWord = StrEnum("FormatWord", {name.upper(): name for name in FORMATS})  # type: ignore[misc]  # the registry is the list
FILE_BODY: dict[str, Any] = {
    **PARAMETER,
    "requestBody": {
        "required": True,
        "description": "The file as it is: JSON Lines, CSV, a zip ..., plain or compressed.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary", "minLength": 1}}},
    },
}


@endpoint(
    router,
    "post",
    "/projects/{slug}/uploads",
    Scope.IMPORT,
    gives={202: UploadShape},
    errors=(400, 411, 413, 507),
    openapi_extra=FILE_BODY,
)
def upload_new(
    request: HttpRequest, slug: Slug, file_name: Words = "upload.jsonl", file_format: FormatWord | None = None
) -> Status[UploadShape] | HttpResponse:
    """Take a file in as the body of the request, up to the size limit; it is never held in memory.

    The import goes on by itself: follow the upload until it is done, then its run.
    """
    project, key = access.project(request, slug, Role.LEAD), key_of(request)
    if key and replay.find(caller(request), key):
        return again(begin(request, key, _digest(_blocks(request)))[0])
    user = access.user(request)
    upload = intake.store(project, user, file_name, _blocks(request), str(file_format or ""))
    if key and (earlier := _kept(request, key, upload)):
        return earlier
    ingest_soon(upload.pk)
    return Status(202, UploadShape.of(upload))


def _kept(request: HttpRequest, key: str, upload: Upload) -> HttpResponse | None:
    """Keep the answer under its key; return the earlier one where a request beside this one was first."""
    try:
        kept, is_new = begin(request, key, upload.sha256)
    except ProblemError:
        intake.cancel(upload)
        raise
    if is_new and replay.finish(kept, 202, UploadShape.of(upload).model_dump(mode="json")):
        return None
    intake.cancel(upload)
    kept.refresh_from_db()
    return again(kept)


def _digest(blocks: Iterator[bytes]) -> str:
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()


def _blocks(request: HttpRequest) -> Iterator[bytes]:
    """Yield the body, block by block. Raises where its length is not told, too large, or not what came."""
    told = request.headers.get("Content-Length") or ""
    if not told.isdecimal() or int(told) == 0:
        words, remedy = "The request has no body, or does not say its length.", "Send the file with Content-Length."
        raise ProblemError(411, "no_length", words, field="body", remedy=remedy)
    left = int(told)
    if left > (limits := import_limits()).file_bytes:
        raise too_large(limits)
    while left and (block := request.read(min(BLOCK_BYTES, left))):
        left -= len(block)
        yield block
    if left:
        words = f"The body ended {left} bytes early; nothing of it was kept."
        raise ProblemError(400, "cut_off", words, field="body", remedy="Send it again.")


@endpoint(router, "get", "/uploads/{key}", Scope.IMPORT, Scope.READ, gives=UploadShape)
def upload(request: HttpRequest, key: Key) -> UploadShape:
    """Return one upload: how far it is, which lines were left out, and its run once all of it has been read."""
    return UploadShape.of(access.upload(request, key))


@endpoint(router, "post", "/uploads/{key}/cancel", Scope.IMPORT, gives=UploadShape, openapi_extra=PARAMETER)
@at_most_once
def upload_cancel(request: HttpRequest, key: Key) -> UploadShape:
    """Stop an import; nothing of it is kept. One that has ended already is returned as it is."""
    found = access.upload(request, key, Role.LEAD)
    intake.cancel(found)
    found.refresh_from_db()
    return UploadShape.of(found)
