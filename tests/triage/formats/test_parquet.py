"""Parquet, for those who install the extra; for the others a sentence that says so."""

from __future__ import annotations

import importlib.util
import io
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.triage.formats.reading import ids, read, refused
from triage.core.limits import Limits
from triage.formats.parquet_rows import plain

ROW: dict[str, Any] = {
    "user_input": "How long?",
    "retrieved_contexts": ["Two years.", "Three days."],
    "response": "Two years.",
    "faithfulness": float("nan"),
}
INSTALLED = importlib.util.find_spec("pyarrow") is not None
needs_extra = pytest.mark.skipif(not INSTALLED, reason="the optional extra `parquet` (pyarrow) is not installed")


def parquet(*rows: dict[str, Any]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows)), out)
    return out.getvalue()


@pytest.mark.skipif(INSTALLED, reason="the optional extra `parquet` is installed")
@pytest.mark.parametrize("name", ["", "ragas", "table"])
def test_without_the_extra_a_parquet_file_is_refused_with_both_ways_out(name: str) -> None:
    error = refused(b"PAR1" + b"\0" * 60 + b"PAR1", name)
    assert (error.code, "extra `parquet`" in error.remedy, "lines=True" in error.remedy) == ("parquet", True, True)


@needs_extra
def test_a_ragas_result_is_read() -> None:
    found = read(parquet(ROW, {**ROW, "user_input": "Why?"}))
    assert (found.format, found.errors, len(found.queries)) == ("ragas", [], 2)
    assert [slot.text for slot in found.queries[0].retrieved or ()] == ROW["retrieved_contexts"]
    assert found.queries[0].scores[0].value is None


@needs_extra
def test_a_data_frame_of_spans_is_read_with_its_times() -> None:
    start, end = datetime(2026, 11, 30, 10, tzinfo=UTC), datetime(2026, 11, 30, 10, 0, 2, tzinfo=UTC)
    times = {"start_time": start, "end_time": end}
    documents = [{"document.id": "k1", "document.content": "Two years."}]
    root = {"context.span_id": "1", "context.trace_id": "t", "span_kind": "CHAIN", "parent_id": None}
    found = read(
        parquet(
            {**root, "attributes.input.value": "How?", "attributes.retrieval.documents": None, **times},
            {**root, "span_kind": "RETRIEVER", "parent_id": "1", "attributes.retrieval.documents": documents},
        )
    )
    assert (found.format, ids(found.query.retrieved), found.query.latency_ms) == ("openinference", ["k1"], 2000.0)


@needs_extra
@pytest.mark.parametrize("cut", [-1, -20, 100])
def test_a_damaged_file_is_refused(cut: int) -> None:
    assert refused(parquet(ROW)[:cut], "ragas").code == "damaged_parquet"


@needs_extra
def test_a_file_over_the_limit_is_refused() -> None:
    assert refused(parquet(ROW), "ragas", Limits(file_bytes=100)).code == "too_large"


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (datetime(2026, 11, 30, tzinfo=UTC), "2026-11-30T00:00:00+00:00"),
        (Decimal("1.50"), "1.50"),
        (b"caf\xc3\xa9", "café"),
        ({"a": [b"x", None, True, 1.5]}, {"a": ["x", None, True, 1.5]}),
    ],
)
def test_values_that_json_cannot_hold_are_written_out(value: object, kept: object) -> None:
    assert plain(value) == kept
