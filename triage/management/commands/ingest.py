"""Import run files; with --wait, score and classify them in this process too."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug

from triage import intake
from triage.formats import FORMATS, FileError
from triage.formats.table import FIELDS
from triage.ingest import ingest
from triage.invite import DEFAULT_PROJECT, project_by_slug
from triage.management.imported import lines, told
from triage.models import Project, Run, Upload
from triage.tasks import ingest_soon, run_to_end

BAD_INPUT = 2
BLOCK = 1024**2


class Command(BaseCommand):
    """Take files in; import them here and now, or leave them to a worker."""

    help = "Import run files. With --wait everything up to the classes happens here, without Redis or a worker."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the files, the project, the format, and how to go about it."""
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="run file, also .gz or .zst")
        parser.add_argument("--project", default=DEFAULT_PROJECT, help="slug of the project, made on demand")
        parser.add_argument("--format", choices=list(FORMATS), help="format of the files (default: told by content)")
        parser.add_argument(
            "--map",
            action="append",
            type=_pair,
            metavar="FIELD=COLUMN",
            help="which column of a table is which field, e.g. --map question=Frage (repeat it; FIELD= says none)",
        )
        parser.add_argument("--wait", action="store_true", help="import, score and classify in this process")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import each file and say what came of it. Exit 2 when a file was not imported, 1 when its run failed."""
        project = _project(options["project"])
        mapping = dict(options["map"] or ())
        uploads = [self._store(project, path, options["format"] or "", mapping) for path in options["files"]]
        if not options["wait"]:
            self._leave_to_worker(uploads, as_json=options["json"])
            return
        runs = [_to_end(ingest(upload.pk)) for upload in uploads]
        done = [Upload.objects.get(pk=upload.pk) for upload in uploads]
        self._report(done, runs, as_json=options["json"])

    def _store(self, project: Project, path: Path, file_format: str, mapping: dict[str, str]) -> Upload:
        try:
            return intake.store(project, None, path.name, _blocks(path), file_format, mapping=mapping)
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.", returncode=BAD_INPUT) from error
        except FileError as error:
            raise CommandError(f"{path}: {error}", returncode=BAD_INPUT) from error

    def _leave_to_worker(self, uploads: list[Upload], *, as_json: bool) -> None:
        heard = [ingest_soon(upload.pk) for upload in uploads]
        answer = [{"upload": upload.key, "file": upload.file_name, "state": upload.state} for upload in uploads]
        if as_json:
            self.stdout.write(json.dumps({"uploads": answer, "queued": all(heard)}))
            return
        for upload in uploads:
            self.stdout.write(f"{upload.file_name}: stored ({upload.key}), waits for a worker.")
        if not all(heard):
            self.stderr.write("The queue does not answer: start the product (make run), or use --wait.")

    def _report(self, uploads: list[Upload], runs: list[Run | None], *, as_json: bool) -> None:
        answers = [told(upload, run) for upload, run in zip(uploads, runs, strict=True)]
        if as_json:
            self.stdout.write(json.dumps(answers[0] if len(answers) == 1 else {"imports": answers}, allow_nan=False))
        else:
            for upload, run, answer in zip(uploads, runs, answers, strict=True):
                self.stdout.write("\n".join(lines(upload, run, answer)))
        _exit(uploads, runs)


def _pair(text: str) -> tuple[str, str]:
    """Read FIELD=COLUMN."""
    field, equals, column = text.partition("=")
    if not equals or (field not in FIELDS and field.partition(".")[0] not in {"scores", "slice"}):
        known = ", ".join(FIELDS)
        raise argparse.ArgumentTypeError(f"{text!r}: write FIELD=COLUMN with one of {known}, scores.NAME, slice.NAME")
    return field, column


def _project(slug: str) -> Project:
    try:
        validate_slug(slug)
    except ValidationError as error:
        remedy = "use letters, digits, - and _"
        raise CommandError(f"{slug!r} cannot be a project's slug: {remedy}.", returncode=BAD_INPUT) from error
    return project_by_slug(slug)


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            yield block


def _to_end(upload: Upload) -> Run | None:
    return None if upload.run_id is None else run_to_end(upload.run_id)


def _exit(uploads: list[Upload], runs: list[Run | None]) -> None:
    """Leave with the exit code of the worst file."""
    refused = [upload for upload, run in zip(uploads, runs, strict=True) if run is None]
    if refused:
        names = ", ".join(upload.file_name for upload in refused)
        raise CommandError(f"Not imported: {names}. {refused[0].reason}", returncode=BAD_INPUT)
    failed = [run for run in runs if run is not None and run.state != Run.State.DONE]
    if failed:
        raise CommandError(f"{failed[0].name} is {failed[0].state}. {failed[0].state_reason}", returncode=1)
