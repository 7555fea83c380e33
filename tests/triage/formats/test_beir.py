"""BEIR zips: a sound data set, and every archive that is not what it says."""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
import warnings
import zipfile

import pytest

from tests.triage.formats.reading import ids, read, refused
from tests.triage.formats.zips import packed
from triage.core.limits import Limits

QUERIES = [
    {"_id": "q1", "text": "How long?"},
    {"_id": "q2", "text": "Returns?"},
    {"_id": "q9", "text": "Of another split"},
]
CORPUS = [
    {"_id": "d1", "title": "Warranty", "text": "Two years.", "metadata": {"lang": "en"}},
    {"_id": "d2", "title": "", "text": "Shipping."},
    {"_id": "d3", "title": "", "text": "Nobody asks for this."},
]


def jsonl(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def beir(**more: str | bytes) -> dict[str, str | bytes]:
    """Return the members of a data set folder as BEIR lays it out."""
    return {
        "shop/corpus.jsonl": jsonl(CORPUS),
        "shop/queries.jsonl": jsonl(QUERIES),
        "shop/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td4\t2\n",
        "shop/qrels/train.tsv": "query-id\tcorpus-id\tscore\nq9\td3\t1\n",
        **more,
    }


def test_a_data_set_gives_questions_gold_and_the_chunks_they_need() -> None:
    found = read(packed(beir()))
    assert (found.format, found.errors) == ("beir", [])
    assert {query.id: (query.question, query.gold, query.retrieved) for query in found.queries} == {
        "q1": ("How long?", ["d1"], None),
        "q2": ("Returns?", ["d4"], None),
    }
    assert [(chunk.id, chunk.title, chunk.meta) for chunk in found.chunk_lines] == [("d1", "Warranty", {"lang": "en"})]
    assert found.notices["text_not_supplied"].examples == ("d4",)


def test_a_run_in_the_zip_gives_what_was_retrieved() -> None:
    found = read(packed(beir(**{"run.trec": "q1 Q0 d2 0 0.5 bm25\nq1 Q0 d1 0 0.7 bm25\n"})))
    assert {query.id: ids(query.retrieved) for query in found.queries} == {"q1": ["d1", "d2"], "q2": []}
    assert (found.run.pipeline, sorted(found.chunks)) == ("bm25", ["d1", "d2"])


def test_queries_without_judgements_are_all_read() -> None:
    assert len(read(packed({"queries.jsonl": jsonl(QUERIES)})).queries) == 3


def test_a_faulty_line_is_named_with_its_member() -> None:
    found = read(packed(beir(**{"shop/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\thigh\nq2\td4\t1\n"})))
    assert (found.error.line, found.error.field) == (2, "shop/qrels/test.tsv: score")


def test_F36_what_systems_leave_in_archives_is_ignored() -> None:
    junk = {"__MACOSX/shop/._corpus.jsonl": b"\0\5", "shop/.DS_Store": b"x", "Thumbs.db": b"x"}
    assert len(read(packed({**junk, **beir()})).queries) == 2


def test_F36_a_jsonl_file_inside_a_zip_is_named_with_what_to_do() -> None:
    error = refused(packed({"run.jsonl": '{"id": "1", "question": "x"}\n'}))
    assert (error.code, error.found) == ("zip", "a zip archive that holds run.jsonl")
    assert "unpacked" in error.remedy


@pytest.mark.parametrize(
    "name", ["../queries.jsonl", "/etc/queries.jsonl", "a/../../queries.jsonl", "C:\\queries.jsonl"]
)
def test_F36_members_that_point_outside_refuse_the_archive(name: str) -> None:
    assert refused(packed(beir(**{name: "{}"}))).code == "member_outside"


def test_F36_a_member_twice_refuses_the_archive() -> None:
    out = io.BytesIO(packed(beir()))
    with warnings.catch_warnings(), zipfile.ZipFile(out, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("shop/queries.jsonl", jsonl(QUERIES[:1]))
    assert refused(out.getvalue()).code == "member_twice"


def test_F36_a_link_refuses_the_archive() -> None:
    out = io.BytesIO(packed(beir()))
    link = zipfile.ZipInfo("shop/link")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    assert refused(out.getvalue()).code == "member_link"


def test_F36_an_archive_whose_beginning_is_lost_is_refused() -> None:
    assert refused(packed(beir())[1:], "beir").code == "damaged_zip"


def test_F36_an_encrypted_archive_is_refused() -> None:
    data = bytearray(packed(beir()))
    for at in range(len(data)):
        if data[at : at + 4] == b"PK\x01\x02":
            data[at + 8] |= 1
    assert refused(bytes(data)).code == "encrypted"


@pytest.mark.parametrize("inner", [packed({"a": "b"}), b"\x1f\x8b\x08\0rest"], ids=["zip", "gzip"])
def test_F36_archives_inside_are_refused(inner: bytes) -> None:
    assert refused(packed(beir(**{"shop/queries.jsonl": inner}))).code == "nested"


def test_SEC19_a_bomb_is_stopped_by_what_comes_out_not_by_its_header() -> None:
    data = bytearray(packed({"queries.jsonl": b'{"_id": "' + b"0" * 40_000_000}))
    at = data.index(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, 100)
    tracemalloc.start()
    try:
        error = refused(bytes(data))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert error.code in {"expands_too_much", "damaged_zip"}
    assert peak < 50 * 1024**2


def test_SEC19_bytes_are_counted_over_all_members_together() -> None:
    many = {f"shop/qrels/{n}.tsv": b"x" for n in range(3)} | {
        "shop/queries.jsonl": b" " * 3000,
        "shop/corpus.jsonl": b" " * 3000,
    }
    assert refused(packed(beir(**many), zipfile.ZIP_STORED), limits=Limits(file_bytes=5000)).code == "too_large"


def test_SEC19_too_many_members_are_refused_before_their_list_is_read() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(1500):
            archive.writestr(f"{number}.txt", b"")
    error = refused(out.getvalue())
    assert (error.code, error.found) == ("members", "1,500 members")


def test_F36_a_zip64_list_that_claims_a_million_members_is_refused() -> None:
    data = packed(beir())
    at = data.rindex(b"PK\x05\x06")
    count = 1_000_000
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, 46 * count, 0)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, at, 1)
    assert refused(data[:at] + record + locator + data[at:]).code == "members"


@pytest.mark.parametrize("cut", [10, 200, -30])
def test_F36_a_zip_that_is_cut_off_is_refused(cut: int) -> None:
    assert refused(packed(beir())[:cut]).code == "damaged_zip"


def test_F36_a_damaged_member_is_refused() -> None:
    data = bytearray(packed({"queries.jsonl": jsonl(QUERIES)}, zipfile.ZIP_STORED))
    at = data.index(b"How long?")
    data[at : at + 3] = b"Why"
    assert refused(bytes(data)).code == "damaged_zip"


def test_two_runs_in_one_zip_are_refused() -> None:
    runs = {"a.trec": "q1 Q0 d1 1 1 a\n", "b.trec": "q1 Q0 d1 1 1 b\n"}
    assert refused(packed(beir(**runs))).code == "two_runs"


def test_F36_names_in_another_encoding_do_no_harm() -> None:
    data = bytearray(packed(beir(**{"shop/cafe.txt": "x"})).replace(b"cafe", b"caf\xff"))
    assert len(read(bytes(data)).queries) == 2
    for at in range(len(data) - 4):
        if data[at : at + 4] == b"PK\x01\x02" and b"caf\xff" in data[at : at + 60]:
            data[at + 9] |= 8
    assert refused(bytes(data)).code == "damaged_zip", "a name that says it is UTF-8 and is not"


def test_a_compression_that_is_rare_is_refused() -> None:
    assert refused(packed(beir(), zipfile.ZIP_LZMA)).code == "compression"
