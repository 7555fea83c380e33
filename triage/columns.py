"""Verb: say which column of a table is which field of a query. It is remembered for tables with the same columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triage.core.records import visible
from triage.formats import FileError, Preview, detect, preview, text_head
from triage.formats.table import FIELDS
from triage.models import Upload, import_limits

#: What a column can be besides a field: a score or a slice of its own name, or nothing but a note.
SCORE, SLICE, NOTE = "scores", "slice", ""
#: What `detect` says of a file that is no table as text.
_NO_TABLES = {"run_file", "trec", "beir"}


def table_of(upload: Upload) -> Preview:
    """Return the first rows of the stored table.

    Raises:
        FileError: no stored file, or no text table (Parquet has no such page: its columns are told by their names).
    """
    return preview(_head(upload), import_limits())


def _head(upload: Upload) -> bytes:
    if not upload.stored_as:
        raise FileError("gone", "no stored file", "the uploaded file", "Upload it again.")
    with upload.path.open("rb") as stream:
        return text_head(stream)


def remembered(upload: Upload, columns: list[str]) -> dict[str, str]:
    """Return what was said last in this project about a table with exactly these columns; empty = nothing yet."""
    earlier = Upload.objects.with_columns(upload.project_id, columns).exclude(pk=upload.pk).first()
    return dict(earlier.mapping) if earlier else {}


def kinds_of(upload: Upload, table: Preview) -> list[str]:
    """Return what each column is, in order: as chosen, as remembered, or as its name suggests.

    A kind is a field's name, `scores`, `slice`, or blank for a note.
    """
    mapping = upload.mapping or remembered(upload, table.columns) or table.mapping
    fields = {column: field for field, column in mapping.items() if column}
    return [fields.get(column, _by_prefix(column)).partition(".")[0] for column in table.columns]


def _by_prefix(column: str) -> str:
    kind, dot, _ = column.partition(".")
    return kind if dot and kind in {SCORE, SLICE} else NOTE


def mapping_of(columns: list[str], kinds: list[str]) -> dict[str, str]:
    """Return field -> column for every field of a query; blank = the table has none.

    Raises:
        ValueError: two columns for one field, or none for the question, in words for people.
    """
    mapping = dict.fromkeys(FIELDS, "")
    for column, kind in zip(columns, kinds, strict=True):
        if kind in {SCORE, SLICE}:
            mapping[f"{kind}.{column.removeprefix(f'{kind}.')}"] = column
        elif kind:
            if mapping[kind]:
                raise ValueError(f"“{visible(mapping[kind])}” and “{visible(column)}” cannot both be the {kind}.")
            mapping[kind] = column
    if not mapping["question"]:
        raise ValueError("Say which column holds the question: nothing can be imported without it.")
    return mapping


def choose(upload: Upload, columns: list[str], mapping: Mapping[str, str]) -> bool:
    """Keep what the columns are and let the import start. False = it has moved on meanwhile."""
    waiting = Upload.objects.filter(pk=upload.pk, state=Upload.State.CHOOSING).exclude(stored_as="")
    updated = waiting.update(
        state=Upload.State.WAITING,
        file_format="table",
        columns=columns,
        mapping=dict(mapping),
        reason="",
        attempts=0,
        finished_at=None,
    )
    return updated == 1


def recall(upload: Upload, *, ask: bool = False) -> None:
    """Take what is remembered about a table that just came in; hold it for a choice where `ask` and nothing is.

    A file that is no text table is left as it is: its reader says what is wrong with it.
    """
    try:
        head = _head(upload)
        columns = [] if detect(head) in _NO_TABLES else preview(head, import_limits()).columns
    except FileError:
        return
    if columns and (mapping := remembered(upload, columns)):
        _set(upload, file_format="table", columns=columns, mapping=mapping)
    elif columns and ask:
        hold(upload, "Say which column is which before the import starts.")


def hold(upload: Upload, reason: str) -> bool:
    """Keep the file until its columns are chosen. False = it is no text table, so there is nothing to choose from."""
    try:
        columns = table_of(upload).columns
    except FileError:
        return False
    _set(upload, state=Upload.State.CHOOSING, columns=columns, reason=reason[:1000])
    return True


def _set(upload: Upload, **fields: Any) -> None:
    Upload.objects.filter(pk=upload.pk).update(**fields)
    upload.refresh_from_db()
