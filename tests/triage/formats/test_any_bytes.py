"""Whatever bytes come, under whatever name: records, row errors, or one refusal. Never anything else."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.triage.formats.reading import FILES
from tests.triage.formats.zips import packed
from triage.formats import READERS, FileError, open_run

SOUND = {path.name: path.read_bytes() for path in sorted(FILES.iterdir()) if path.suffix != ".md"}
SOUND["beir.zip"] = packed({"queries.jsonl": '{"_id": "1", "text": "How?"}\n', "qrels/test.tsv": "1\td\t1\n"})
NAMES = ["", *READERS]

few = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def end_of(data: bytes, name: str) -> str:
    """Return how reading ended: read, or the code of the refusal."""
    try:
        _, reader = open_run(io.BytesIO(data), name=name)
        for _ in reader:
            pass
    except FileError as error:
        return error.code if all((error.found, error.expected, error.remedy)) else "a refusal that says too little"
    reader.notices()
    reader.content_hash()
    return "read"


@few
@given(data=st.binary(max_size=400), name=st.sampled_from(NAMES))
def test_any_bytes_end_in_a_refusal_or_are_read(data: bytes, name: str) -> None:
    assert " " not in end_of(data, name)


@few
@given(
    file=st.sampled_from(sorted(SOUND)),
    name=st.sampled_from(NAMES),
    cuts=st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=3), st.integers(0, 20)), max_size=4),
)
def test_a_damaged_file_ends_in_a_refusal_or_is_read(
    file: str, name: str, cuts: list[tuple[float, bytes, int]]
) -> None:
    data = SOUND[file]
    for place, put, drop in cuts:
        at = int(place * len(data))
        data = data[:at] + put + data[at + drop :]
    assert " " not in end_of(data, name)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = {
    "ragas": [
        "user_input",
        "retrieved_contexts",
        "reference_contexts",
        "retrieved_context_ids",
        "reference",
        "faithfulness",
    ],
    "ragchecker": [
        "query_id",
        "query",
        "response",
        "retrieved_context",
        "response_claims",
        "retrieved2response",
        "metrics",
    ],
    "deepeval": [
        "input",
        "actualOutput",
        "retrievalContext",
        "context",
        "metricsData",
        "success",
        "tags",
        "completionTime",
    ],
    "openinference": [
        "context",
        "context.trace_id",
        "parent_id",
        "span_kind",
        "attributes",
        "input",
        "document_position",
    ],
    "langfuse": [
        "id",
        "traceId",
        "type",
        "input",
        "output",
        "observations",
        "scores",
        "name",
        "value",
        "dataType",
        "latency",
    ],
    "label_studio": ["id", "data", "annotations"],
    "table": ["id", "question", "answer", "retrieved", "gold", "correct", "latency_ms", "scores.x", "slice.y"],
}


@few
@given(data=st.data(), name=st.sampled_from(sorted(KEYS)))
def test_any_json_under_the_names_of_a_tool_ends_in_records_row_errors_or_a_refusal(data: Any, name: str) -> None:
    rows = data.draw(st.lists(st.dictionaries(st.sampled_from(KEYS[name]), JSON, max_size=6), min_size=1, max_size=4))
    text = "".join(json.dumps(row) + "\n" for row in rows)
    assert " " not in end_of(text.encode("utf-8", "surrogatepass"), name)


@pytest.mark.parametrize("file", sorted(SOUND))
def test_a_sound_file_cut_anywhere_never_ends_in_a_crash(file: str) -> None:
    data = SOUND[file]
    for at in range(0, len(data), max(1, len(data) // 40)):
        end_of(data[:at], "")


@pytest.mark.parametrize("file", sorted(SOUND))
def test_a_sound_file_is_read_whole(file: str) -> None:
    assert end_of(SOUND[file], "") == "read"
