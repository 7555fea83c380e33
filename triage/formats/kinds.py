"""Files that are no run file, recognised by their first bytes, each with what to do instead."""

from __future__ import annotations

import re

from triage.formats.errors import FileError

#: First bytes -> (code, what it is, what to do).
_MAGIC: tuple[tuple[bytes, str, str, str], ...] = (
    (b"PAR1", "parquet", "a Parquet file", "Write it as JSON Lines: df.to_json(path, orient='records', lines=True)."),
    (b"%PDF", "pdf", "a PDF document", "Import the run's results, not the documents it searched."),
    (b"\x1f\x8b", "gzip_in_gzip", "a gzip file inside a gzip file", "Unpack it once."),
    (b"\x28\xb5\x2f\xfd", "zstd_inside", "a zstd file inside a compressed file", "Unpack it once."),
    (b"BZh", "bzip2", "a bzip2 file", "Unpack it, or compress it with gzip."),
    (b"\xfd7zXZ", "xz", "an xz file", "Unpack it, or compress it with gzip."),
    (b"7z\xbc\xaf", "seven_zip", "a 7-Zip archive", "Unpack it and send the .jsonl file inside."),
    (b"SQLite format 3", "sqlite", "an SQLite database", "Export the run from the tool that wrote it."),
    (b"ARROW1", "arrow", "an Arrow file", "Write it as JSON Lines."),
    (b"\x89PNG", "picture", "a picture", "Send the run file."),
    (b"\xff\xd8\xff", "picture", "a picture", "Send the run file."),
    (b"\x80\x04", "pickle", "a Python pickle, which is never opened", "Write it as JSON Lines."),
    (b"\x80\x05", "pickle", "a Python pickle, which is never opened", "Write it as JSON Lines."),
    (b"\xd0\xcf\x11\xe0", "xls", "an old Excel workbook", "Save the sheet as CSV, or write JSON Lines."),
)
_EXPECTED = "a run file: JSON Lines, or a JSON array, plain or with gzip or zstd"
_TREC_RUN = re.compile(r"\S+\s+Q0\s+\S+\s+\d+\s+\S+\s+\S+\s*$")
_TREC_QRELS = re.compile(r"\S+\s+\S+\s+\S+\s+-?\d+\s*$")
#: A key near the top of a JSON object -> the tool that writes such files.
_TOOLS: tuple[tuple[bytes, str], ...] = (
    (b'"testCases"', "DeepEval"),
    (b'"test_cases"', "DeepEval"),
    (b'"retrieval.documents', "Phoenix (OpenInference)"),
    (b'"annotations"', "Label Studio"),
    (b'"user_input"', "ragas"),
    (b'"retrieved_contexts"', "ragas"),
    (b'"ground_truth"', "ragas (0.1)"),
    (b'"retrieved_context"', "RAGChecker"),
    (b'"gt_answer"', "RAGChecker"),
    (b'"observations"', "Langfuse"),
)


def refuse(code: str, found: str, remedy: str) -> FileError:
    """Return the refusal of a whole file that is something else than a run file."""
    return FileError(code, found, _EXPECTED, remedy)


def tool_of(head: bytes) -> str:
    """Return the tool that writes files beginning like this; blank where none is known."""
    return next((tool for key, tool in _TOOLS if key in head), "")


def foreign(head: bytes) -> FileError | None:
    """Return why a file that begins with `head` is no run file, or None where it may be one."""
    for magic, code, found, remedy in _MAGIC:
        if head.startswith(magic):
            return refuse(code, found, remedy)
    if head.startswith(b"PK"):
        return _zip(head)
    text = head.lstrip(b" \t\r\n")
    if not text:
        return None
    if text[:1] in b"{[":
        return None
    if text.startswith(b"<"):
        return _markup(text)
    if b"\0" in head:
        return refuse("binary", "a binary file", "Send the run as text.")
    return _plain_text(text)


def _zip(head: bytes) -> FileError:
    if b"[Content_Types].xml" in head or b"xl/" in head:
        return refuse("xlsx", "an Excel workbook", "Save the sheet as CSV, or write JSON Lines.")
    return refuse("zip", "a zip archive", "Unpack it and send the .jsonl file inside.")


def _markup(text: bytes) -> FileError:
    if b"<html" in text[:2000].lower() or b"<!doctype html" in text[:200].lower():
        return refuse("html", "a web page (an error page saved as a file?)", "Download the file again, signed in.")
    return refuse("xml", "an XML file", "Write it as JSON Lines.")


def _plain_text(text: bytes) -> FileError | None:
    first = text.split(b"\n", 1)[0][:2000].decode("utf-8", "replace").strip()
    if _TREC_RUN.match(first):
        return refuse("trec_run", "a TREC run", "Write one JSON object a line with id, question and retrieved.")
    if _TREC_QRELS.match(first):
        return refuse("trec_qrels", "TREC relevance judgements (qrels)", "Put the gold ids into each query's gold.")
    if first.startswith(("---", "- ")):
        return refuse("yaml", "a YAML file", "Write it as JSON Lines.")
    if not _looks_like_table(first):
        return None
    return refuse("csv", "a table (CSV or TSV)", "Write it as JSON Lines: one object a line with id and question.")


def _looks_like_table(first: str) -> bool:
    if first.startswith(("#", "//", '"{')):
        return False
    names = re.split(r"[,;\t|]", first)
    return len(names) > 1 and all(len(name) < 80 and "{" not in name for name in names)
