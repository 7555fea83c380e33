"""Adapters from files to records: each knows one format and nothing of databases or paths."""

from __future__ import annotations

from collections.abc import Mapping

from triage.core.limits import DEFAULT_LIMITS, Limits
from triage.formats.beir import Beir
from triage.formats.deepeval import DeepEval
from triage.formats.detection import detect, recognise, text_head
from triage.formats.errors import FileError
from triage.formats.label_studio import LabelStudio
from triage.formats.langfuse import Langfuse
from triage.formats.openinference import OpenInference
from triage.formats.ragas import Ragas
from triage.formats.ragchecker import RagChecker
from triage.formats.run_file import TITLE, Item, RunFile
from triage.formats.stream import Readable
from triage.formats.table import PlainTable, Preview, preview
from triage.formats.trec import Trec

#: Format name -> (title for people, reader). A new format joins here, with its table in docs/formats.md.
FORMATS: dict[str, tuple[str, type[RunFile]]] = {
    "run_file": (TITLE, RunFile),
    "ragas": ("ragas dataset or result", Ragas),
    "ragchecker": ("RAGChecker result", RagChecker),
    "deepeval": ("DeepEval test run", DeepEval),
    "trec": ("TREC run or qrels", Trec),
    "beir": ("BEIR zip", Beir),
    "openinference": ("OpenInference spans (Phoenix)", OpenInference),
    "langfuse": ("Langfuse export", Langfuse),
    "label_studio": ("Label Studio export", LabelStudio),
    "table": ("table of questions and answers", PlainTable),
}
READERS: dict[str, type[RunFile]] = {name: reader for name, (_, reader) in FORMATS.items()}


def open_run(
    stream: Readable, limits: Limits = DEFAULT_LIMITS, name: str = "", mapping: Mapping[str, str] | None = None
) -> tuple[str, RunFile]:
    """Return the name of the format and a reader over `stream`.

    Blank `name` = told by content. Where another one is asked for than the content shows, the reader tries, and what
    it refuses it refuses with the likely one.
    `mapping` says which column of a plain table is which field; with one, a table is read as nothing else.

    Raises:
        FileError: no such format.
    """
    if name and name not in FORMATS:
        known = ", ".join(FORMATS)
        raise FileError("unknown_format", f"the format “{name}”", f"one of {known}", "Leave the format out.")
    if mapping and name in {"", "table"}:
        return "table", PlainTable(stream, limits, mapping)
    likely, stream = recognise(stream, limits)
    name = name or likely or "run_file"
    reader = READERS[name](stream, limits)
    reader.looks_like = FORMATS[likely][0] if likely not in {"", name} else ""
    return name, reader


__all__ = [
    "FORMATS",
    "READERS",
    "FileError",
    "Item",
    "PlainTable",
    "Preview",
    "RunFile",
    "detect",
    "open_run",
    "preview",
    "text_head",
]
