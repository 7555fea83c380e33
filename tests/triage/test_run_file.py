"""A run file as it arrives: odd bytes, odd lines, odd files; each is read, named by line, or refused as a whole."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from triage.core.limits import DEFAULT_LIMITS, Limits
from triage.core.records import Notice, QueryRecord, RowError
from triage.core.records.writing import line as written
from triage.formats import FileError, RunFile, open_run
from triage.formats.run_file import Item

QUERY: dict[str, Any] = {"id": "q1", "question": "How long?", "answer": "14 days."}


def rows(number: int, **more: Any) -> list[dict[str, Any]]:
    return [{**QUERY, "id": f"q{index}", **more} for index in range(1, number + 1)]


def text(*objects: object) -> bytes:
    lines = (item if isinstance(item, str) else json.dumps(item) for item in objects)
    return "".join(f"{line}\n" for line in lines).encode()


def read(data: bytes, limits: Limits = DEFAULT_LIMITS) -> tuple[RunFile, list[Item], list[RowError]]:
    run = RunFile(io.BytesIO(data), limits)
    found = list(run)
    return (
        run,
        [item for item in found if isinstance(item, Item)],
        [item for item in found if isinstance(item, RowError)],
    )


def refused(data: bytes, limits: Limits = DEFAULT_LIMITS) -> FileError:
    with pytest.raises(FileError) as caught:
        read(data, limits)
    assert caught.value.remedy
    return caught.value


def notices(run: RunFile) -> dict[str, Notice]:
    return {notice.code: notice for notice in run.notices()}


def only_error(data: bytes) -> RowError:
    (error,) = read(data)[2]
    return error


# --- lines -----------------------------------------------------------------------------------------------------------


def test_a_file_of_queries_alone_is_complete() -> None:
    run, items, errors = read(text(*rows(3)))
    assert [item.line for item in items] == [1, 2, 3]
    assert (run.counts["query"], errors, run.encoding) == (3, [], "UTF-8")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\n\n\n", "\n   \n"])
def test_F44_blank_lines_are_skipped_and_do_not_shift_line_numbers(ending: str) -> None:
    data = ending.join(json.dumps(row) for row in rows(2)).encode()
    _, items, errors = read(data)
    assert errors == []
    assert items[1].line == 1 + ending.count("\n")


def test_F44_a_last_line_without_newline_counts() -> None:
    assert read(text(*rows(2))[:-1])[0].counts["query"] == 2


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"\n\n \r\n", b"\xff\xfe"])
def test_F44_an_empty_file_is_refused_as_empty(data: bytes) -> None:
    assert refused(data).code == "empty"


def test_F44_one_bad_line_of_many_is_named_and_the_rest_is_read() -> None:
    lines: list[object] = list(rows(1000))
    lines[399] = json.dumps(lines[399])[:-9]
    run, items, errors = read(text(*lines))
    assert (len(items), [error.line for error in errors], run.lines, run.faulty) == (999, [400], 1000, 1)


def test_P31_a_corrupt_value_in_the_middle_does_not_end_the_import() -> None:
    lines = rows(1000)
    lines[399]["scores"] = {"faithfulness": "abc"}
    _, items, errors = read(text(*lines))
    assert len(items) + len(errors) == 1000
    assert (errors[0].line, errors[0].field) == (400, "scores.faithfulness")


def test_F44_too_many_faulty_lines_refuse_the_file_with_the_first_20() -> None:
    error = refused(text(*(["{"] * 30), *rows(300)))
    assert (error.code, len(error.errors)) == ("too_many_faulty_lines", 20)
    assert "30 faulty lines of 330" in error.found


@pytest.mark.parametrize(("bad", "good"), [(20, 20), (21, 399)])
def test_faulty_lines_up_to_20_or_up_to_5_percent_do_not_refuse_the_file(bad: int, good: int) -> None:
    run, items, _ = read(text(*(["x"] * 0), *rows(good), *(['{"id": 1}'] * bad)))
    assert (run.faulty, len(items)) == (bad, good)


def test_a_file_in_which_no_query_can_be_read_is_refused_with_its_errors() -> None:
    error = refused(text({"kind": "run", "name": "r"}, {"id": 1}))
    assert (error.code, error.errors[0].field) == ("no_queries", "question")


def test_F27_only_newlines_end_a_line() -> None:
    row = {**QUERY, "answer": "a\u2028b\u2029c\u0085d\x0be\x0cf"}
    (item,) = read((json.dumps(row, ensure_ascii=False) + "\n").encode())[1]
    assert isinstance(item.record, QueryRecord)
    assert item.record.answer == row["answer"]


def test_F26_lines_that_end_in_carriage_returns_alone_are_explained() -> None:
    data = b"\r".join(json.dumps(row).encode() for row in rows(2))
    assert "ending in \\n" in refused(data).errors[0].remedy


# --- bytes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [b"\xff", b"\xc0\xaf", b"\xe9"])
def test_F26_bytes_that_are_not_utf8_are_named_with_their_offset(bad: bytes) -> None:
    first = text(*rows(1))
    data = first + json.dumps({**QUERY, "answer": "caf@ au lait"}).encode().replace(b"@", bad) + b"\n"
    error = only_error(data)
    assert error.line == 2
    assert f"byte {data.index(bad):,}" in error.found
    assert "WINDOWS-1252" in error.remedy


def test_F26_text_cut_inside_a_character_at_the_end_of_the_file_is_said() -> None:
    data = text(*rows(1)) + json.dumps(QUERY, ensure_ascii=False).encode()[:-2] + "é".encode()[:1]
    assert "cut off inside a character" in only_error(data).remedy


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("utf-8-sig", "UTF-8"), ("utf-16", "UTF-16LE"), ("utf-16-le", "UTF-16LE"), ("utf-16-be", "UTF-16BE")],
)
def test_F26_marked_and_unmarked_encodings_are_read_and_named(encoding: str, name: str) -> None:
    rows_text = "".join(json.dumps({**row, "answer": "Käse 🧀"}, ensure_ascii=False) + "\r\n" for row in rows(300))
    run, items, errors = read(rows_text.encode(encoding))
    assert (len(items), errors, run.encoding) == (300, [], name)
    assert ("encoding" in notices(run)) == (name != "UTF-8")
    assert isinstance(items[0].record, QueryRecord)
    assert items[0].record.answer == "Käse 🧀"


def test_F26_broken_utf16_is_refused_with_its_place() -> None:
    assert refused(text(*rows(3)).decode().encode("utf-16-le") + b"\x00\xd8\x00\x00").code == "bad_utf_16"


def test_F26_utf32_is_refused_by_name() -> None:
    assert refused(text(*rows(1)).decode().encode("utf-32")).code == "utf_32"


def test_F24_F25_replaced_characters_are_counted_once_per_row() -> None:
    bad = json.dumps(QUERY).replace("14 days.", "a\\u0000b\\u0000c \\ud83d")
    good = json.dumps({**QUERY, "id": "q2"}).replace("14 days.", "\\ud83d\\ude00")
    run, items, _ = read(text(bad, good))
    assert notices(run)["bad_characters"].count == 1
    assert [item.record.answer for item in items if isinstance(item.record, QueryRecord)] == ["a�b�c �", "😀"]


# --- JSON ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "found", "remedy"),
    [
        ("# a comment", "a comment", "JSON has no comments"),
        ('{"id": 1, "question": "x",}', "trailing comma", ""),
        ('{"id": 1, "question": "x"},', "a comma after the object", "Remove the comma"),
        ('{"id": 1} {"id": 2}', "a second value", "line of its own"),
        ('{"id": 1, "question": "x', "text ends inside a string", "cut off"),
        ('{"id": 1, "question":', "text ends at character", "cut off"),
        ("{'id': 1, 'question': 'x'}", "single quotes", "double quotes"),
        ('{"id": 1, "question": "a\tb"}', "control character", "Escape"),
        ("[1, 2]", "[1, 2]", "one object"),
        ("17", "17, a number", "one object"),
        ('"x"', "“x”, a string", "one object"),
        ('{"id": nope}', "“nope}”", "Check the JSON"),
    ],
)
def test_F43_a_line_that_is_not_json_says_what_is_wrong_and_how_to_mend_it(line: str, found: str, remedy: str) -> None:
    error = only_error(text(QUERY, line))
    assert (error.line, error.field) == (2, "(whole line)")
    assert found in error.found or found in error.remedy
    assert remedy in error.remedy


def test_F30_a_key_that_stands_twice_is_refused_not_last_wins() -> None:
    error = only_error(text(QUERY, '{"id": 2, "question": "a", "answer": "x", "answer": "y"}'))
    assert (error.field, error.found) == ("answer", "the key twice in one object")


@pytest.mark.parametrize("levels", [65, 900, 5_000, 100_000])
def test_F31_JS1_deep_nesting_is_a_row_error(levels: int) -> None:
    deep = '{"id": 2, "question": "x", "meta": {"a": ' + "[" * levels + "]" * levels + "}}"
    assert "64 levels" in only_error(text(QUERY, deep)).expected


def test_F31_a_million_keys_are_a_row_error() -> None:
    keys = ",".join(f'"{number}":1' for number in range(1_000_000))
    many = f'{{"id": "2", "question": "x", "meta": {{{keys}}}}}'
    assert "keys" in only_error(text(QUERY, many)).found


@pytest.mark.parametrize("digits", [400, 5_000])
def test_F31_a_number_of_very_many_digits_is_a_row_error(digits: int) -> None:
    assert (
        "digits" in only_error(text(QUERY, '{"id": 2, "question": "x", "meta": {"n": ' + "9" * digits + "}}")).expected
    )


def test_F28_non_finite_numbers_in_a_file_are_missing() -> None:
    scores = '{"a": NaN, "b": Infinity, "c": -Infinity, "d": 1e999}'
    run, items, errors = read(text(json.dumps({**QUERY, "scores": 0}).replace('"scores": 0', f'"scores": {scores}')))
    assert errors == []
    assert isinstance(items[0].record, QueryRecord)
    assert {score.value for score in items[0].record.scores} == {None}
    assert notices(run)["not_finite"].count == 1


def test_P12_one_missing_score_leaves_the_others() -> None:
    _, items, _ = read(
        text(*({**row, "scores": {"f": value}} for row, value in zip(rows(3), (0.2, float("nan"), 0.6), strict=True)))
    )
    assert [item.record.scores[0].value for item in items if isinstance(item.record, QueryRecord)] == [0.2, None, 0.6]


# --- sizes -----------------------------------------------------------------------------------------------------------


def test_F32_a_line_over_the_limit_is_a_row_error_with_its_size_and_flat_memory() -> None:
    limits = Limits(line_bytes=1024**2)
    data = text(*rows(1)) + b'{"id": 2, "answer": "' + b"x" * 40 * 1024**2 + b'"}\n' + text({**QUERY, "id": "q3"})
    tracemalloc.start()
    try:
        _, items, (error,) = read(data, limits)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(items), error.line) == (2, 2)
    assert "41,943,0" in error.found
    assert peak < 12 * 1024**2


def test_F32_a_long_answer_under_the_limit_is_read() -> None:
    assert read(text({**QUERY, "answer": "x" * 10 * 1024**2}))[0].counts["query"] == 1


def test_F32_a_long_file_without_newlines_is_a_row_error() -> None:
    error = refused(b'{"id": 1' + b" " * 3_000_000, Limits(line_bytes=1_000_000)).errors[0]
    assert error.expected == "at most 1,000,000 bytes"


def test_the_size_of_the_file_is_bounded_at_its_edge() -> None:
    data = text(*rows(5))
    assert read(data, Limits(file_bytes=len(data)))[0].counts["query"] == 5
    assert refused(data, Limits(file_bytes=len(data) - 1)).code == "too_large"


# --- compression -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_compressed_files_are_read(pack: Any) -> None:
    plain, packed = text(*rows(500)), pack(text(*rows(500)))
    assert read(packed)[0].counts["query"] == 500
    assert read(packed)[0].content_hash() == read(plain)[0].content_hash()


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_F36_files_of_several_members_are_read_whole(pack: Any) -> None:
    both = pack(text(*rows(300))) + pack(text(*({**row, "id": f"x{row['id']}"} for row in rows(300))))
    assert read(both)[0].counts["query"] == 600


def test_F36_zeros_after_the_last_gzip_member_are_padding() -> None:
    assert read(gzip.compress(text(*rows(3))) + b"\0" * 1000)[0].counts["query"] == 3


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize("share", [0.01, 0.5, 0.999])
def test_F34_F36_a_cut_compressed_file_is_refused_as_cut(pack: Any, share: float) -> None:
    whole = pack(text(*({**row, "answer": str(hash(row["id"]))} for row in rows(2000))))
    error = refused(whole[: max(4, int(len(whole) * share))])
    assert error.code.startswith("cut_")
    assert "Upload or copy it again" in error.remedy


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_F36_damage_inside_a_compressed_file_is_refused(pack: Any) -> None:
    whole = bytearray(pack(text(*({**row, "answer": str(hash(row["id"]))} for row in rows(2000)))))
    whole[len(whole) // 2 : len(whole) // 2 + 64] = b"\xff" * 64
    assert refused(bytes(whole)).code in {"damaged_gzip", "damaged_zstd", "cut_gzip", "cut_zstd"}


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize(
    "inside",
    [gzip.compress(b"{}"), zstandard.compress(b"{}"), b"PK\x03\x04 [Content_Types].xml"],
    ids=["gzip", "zstd", "zip"],
)
def test_F36_SEC19_compression_nests_zero_levels(pack: Any, inside: bytes) -> None:
    assert refused(pack(inside)).code in {"gzip_in_gzip", "zstd_inside", "xlsx"}


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_SEC19_ZP1_a_bomb_is_stopped_by_what_comes_out_in_flat_memory(pack: Any) -> None:
    bomb = pack(text(QUERY) + b" " * 100 * 1024**2)
    tracemalloc.start()
    try:
        error = refused(bomb)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert error.code == "expands_too_much"
    assert peak < 100 * 1024**2


def test_SEC19_many_small_gzip_members_do_not_escape_the_ratio() -> None:
    member = gzip.compress(b" " * 200_000)
    assert refused(gzip.compress(text(QUERY)) + member * 100).code == "expands_too_much"


def test_SEC19_the_size_limit_counts_what_comes_out() -> None:
    packed = gzip.compress(text(*rows(1000)))
    assert refused(packed, Limits(file_bytes=2 * len(packed))).code == "too_large"


# --- other files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"PAR1\x15\x04", "parquet", "to_json"),
        (b"%PDF-1.7\n", "pdf", ""),
        (b"PK\x03\x04\x14\0 [Content_Types].xml xl/", "xlsx", "CSV"),
        (b"PK\x03\x04\x14\0 runs/a.jsonl", "zip", "Unpack"),
        (b"<!DOCTYPE html><html><body>502 Bad Gateway", "html", "signed in"),
        (b"  \n<html>", "html", ""),
        (b"<?xml version='1.0'?><a/>", "xml", ""),
        (b"id,question,answer\n1,How?,So.\n", "csv", "JSON Lines"),
        (b"id;question;answer\r\n", "csv", ""),
        (b"sep=;\nid;question\n", "csv", ""),
        (b"id\tquestion\n1\tHow?\n", "csv", ""),
        (b"q1 Q0 d7 1 12.5 bm25\n", "trec_run", "retrieved"),
        (b"q1 0 d7 1\n", "trec_qrels", "gold"),
        (b"\x80\x04\x95\x1a", "pickle", "JSON Lines"),
        (b"SQLite format 3\0", "sqlite", ""),
        (b"\x00\x01\x02\x03\x04\x05\x06", "binary", ""),
        (b"BZh91AY&SY", "bzip2", "gzip"),
        (b"---\nid: 1\n", "yaml", ""),
        (b'{\n  "testCases": [\n    {"input": "x"}\n  ]\n}', "pretty_printed", "one object a line"),
        (b'{\n  "id": 1,\n  "question": "x"\n}\n{\n  "id": 2\n}', "pretty_printed", "jq"),
    ],
)
def test_F43_another_kind_of_file_is_recognised_and_told_what_to_do(data: bytes, code: str, words: str) -> None:
    error = refused(data)
    assert error.code == code
    assert words in error.remedy


def test_F43_a_pretty_printed_file_names_the_tool_that_writes_such_files() -> None:
    assert "DeepEval" in refused(b'{\n  "testCases": [\n    {"input": "x"}\n  ]\n}').found


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf", b"\n\n  "])
def test_F43_a_json_array_is_read_like_lines_pretty_printed_or_not(indent: int | None, prefix: bytes) -> None:
    objects = [{"kind": "run", "name": 'a "quoted" [name] \\'}, *rows(200, meta={"deep": [[{"a": "}]"}]]})]
    run, items, errors = read(prefix + json.dumps(objects, indent=indent).encode() + b"\n")
    assert errors == []
    assert run.counts == {"run": 1, "chunk": 0, "query": 200}
    assert run.content_hash() == read(text(*objects))[0].content_hash()
    assert items[1].line == (1 if indent is None else 6) + (2 if prefix == b"\n\n  " else 0)


def test_F43_whatever_else_stands_in_an_array_is_a_row_error() -> None:
    _, items, errors = read(b'[1, "two",\n' + json.dumps(QUERY).encode() + b',\nnull, {"id": 2},]')
    assert len(items) == 1
    assert [error.line for error in errors] == [2, 3, 3]


def test_F43_an_array_that_is_never_closed_is_refused() -> None:
    assert refused(json.dumps(rows(3))[:-1].encode()).code == "cut_array"


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(FileError, match="run_file"):
        open_run(io.BytesIO(b""), name="ragas9")


# --- across lines ----------------------------------------------------------------------------------------------------


def test_F30_P39_an_id_with_other_content_is_refused_and_both_lines_named() -> None:
    error = only_error(text(QUERY, {**QUERY, "answer": "15 days."}))
    assert (error.line, error.field) == (2, "id")
    assert "“q1” again, other content than on line 1" in error.found


def test_F30_the_same_line_again_is_a_notice_and_counts_once() -> None:
    run, items, errors = read(text(QUERY, dict(reversed(QUERY.items()))))
    assert (len(items), errors, notices(run)["duplicate_line"].examples) == (1, [], ("line 2",))


def test_F30_one_and_1_are_the_same_id_and_01_is_another() -> None:
    run, items, errors = read(text(*({"id": key, "question": "x"} for key in (1, "1", 1.0, "01"))))
    assert (len(items), errors, notices(run)["duplicate_line"].count) == (2, [], 2)


def test_F30_ids_that_look_alike_are_kept_apart_and_said() -> None:
    keys = ["Café", "Cafe\u0301", "café ", "b"]
    run, items, _ = read(text(*({"id": key, "question": "x"} for key in keys)))
    assert len(items) == 4
    assert notices(run)["ids_look_alike"].count == 2


def test_a_chunk_line_again_is_a_notice_and_with_another_text_an_error() -> None:
    chunk = {"kind": "chunk", "id": "a", "text": "x"}
    run, _, errors = read(text(chunk, chunk, {**chunk, "text": "y"}, QUERY))
    assert notices(run)["duplicate_line"].count == 1
    assert errors[0].line == 3


def test_an_inline_text_that_contradicts_an_earlier_one_is_an_error_of_its_line() -> None:
    first, second = rows(2)
    error = only_error(
        text({**first, "retrieved": [{"id": "a", "text": "x"}]}, {**second, "retrieved": [{"id": "a", "text": "y"}]})
    )
    assert (error.line, error.field) == (2, "text")


def test_a_run_is_told_once_on_the_first_line() -> None:
    head = {"kind": "run", "name": "r"}
    assert read(text(head, QUERY))[0].counts["run"] == 1
    assert only_error(text(QUERY, head)).expected == "one run, on the first line"
    assert only_error(text(head, head, QUERY)).line == 2


def test_F40_ids_without_a_text_are_counted_and_listed() -> None:
    run, _, _ = read(text({"kind": "chunk", "id": "a", "text": "x"}, {**QUERY, "retrieved": ["a", "b"], "gold": ["c"]}))
    notice = notices(run)["text_not_supplied"]
    assert (notice.count, notice.examples) == (2, ("b", "c"))


def test_a_text_may_come_after_the_query_that_names_it() -> None:
    run, _, _ = read(text({**QUERY, "retrieved": ["a"]}, {"kind": "chunk", "id": "a", "text": "x"}))
    assert "text_not_supplied" not in notices(run)


def test_P08_a_run_that_retrieved_nothing_at_all_is_read_and_asked_about() -> None:
    run, items, _ = read(text(*rows(3, retrieved=[])))
    assert len(items) == 3
    assert notices(run)["retrieved_nothing_anywhere"].examples == ("3 of 3",)
    assert "retrieved_nothing_anywhere" not in notices(
        read(text(*rows(3, retrieved=[]), {**QUERY, "id": "q9", "retrieved": ["a"]}))[0]
    )


def test_P09_queries_without_reference_and_gold_are_counted() -> None:
    run, _, _ = read(text({**QUERY, "reference": None, "gold": ["a"]}, {**QUERY, "id": "q2", "reference": "r"}))
    found = notices(run)
    assert (found["no_reference"].count, found["no_gold"].count) == (1, 1)
    assert (found["undecided"].count, found["correct_by_match"].count) == (1, 1)


def test_F40_F41_more_context_or_gold_than_k_is_said() -> None:
    run, _, _ = read(text({"kind": "run", "config": {"k": 1}}, {**QUERY, "retrieved": ["a", "b"], "gold": ["a", "b"]}))
    assert notices(run).keys() >= {"context_over_k", "gold_over_k"}


def test_unknown_fields_are_listed_once() -> None:
    run, _, _ = read(text(*rows(4, session="s")))
    assert (notices(run)["unknown_field"].count, notices(run)["unknown_field"].examples) == (4, ("session",))


def test_faulty_lines_are_no_part_of_the_content() -> None:
    good = text(*rows(3))
    assert read(good)[0].content_hash() == read(good + b"{\n")[0].content_hash()


def test_each_item_carries_what_its_line_was_the_first_to_say_of_chunks() -> None:
    slot = {"id": "a", "text": "x"}
    _, items, _ = read(
        text({**rows(1)[0], "retrieved": [slot]}, {**QUERY, "id": "z", "retrieved": [{**slot, "title": "T"}]})
    )
    assert [item.chunks for item in items] == [{"a": {"text": "x"}}, {"a": {"title": "T"}}]


# --- real data -------------------------------------------------------------------------------------------------------

REAL = {
    "clapnq_arm_gold_only.jsonl.gz": 345,
    "clapnq_arm_k20.jsonl.gz": 345,
    "clapnq_arm_k5.jsonl.gz": 345,
    "clapnq_arm_rerank50to5.jsonl.gz": 345,
    "factcheck_gpt.jsonl": 94,
    "mtrag_gpt-4o.jsonl": 159,
    "mtrag_llama-3_1-405b-instruct.jsonl": 159,
}


@pytest.mark.parametrize(("name", "queries"), REAL.items())
def test_real_runs_are_read_without_an_error_and_survive_being_written_again(
    shared: Path, name: str, queries: int
) -> None:
    run, items, errors = read((shared / "data" / "runs" / name).read_bytes())
    assert (run.counts["query"], errors) == (queries, [])
    chunks = {}
    for item in items:
        for key, details in item.chunks.items():
            chunks.setdefault(key, {}).update(details)
    own = [json.dumps({"kind": "chunk", "id": key, **details}) for key, details in sorted(chunks.items())]
    head = [written(item.record) for item in items if not isinstance(item.record, QueryRecord) and item.line == 1]
    again = read(text(*head, *own, *(written(item.record) for item in items if isinstance(item.record, QueryRecord))))
    assert again[2] == []
    assert again[0].content_hash() == run.content_hash()


def test_every_40th_line_of_a_real_run_damaged_leaves_the_rest_and_names_each(shared: Path) -> None:
    packed = (shared / "data" / "runs" / "clapnq_arm_k20.jsonl.gz").read_bytes()
    lines = gzip.decompress(packed).split(b"\n")
    damaged = [line[: len(line) // 2] if number % 40 == 0 else line for number, line in enumerate(lines, 1)]
    run, items, errors = read(b"\n".join(damaged))
    assert [error.line for error in errors] == list(range(40, len(lines), 40))
    assert len(items) + len(errors) == run.lines == 1606


# --- anything --------------------------------------------------------------------------------------------------------


def outcome(data: bytes) -> None:
    """Read it; only our own refusal may come out."""
    try:
        read(data, Limits(line_bytes=4096))
    except FileError as error:
        assert str(error)  # noqa: PT017 - the point is that it is this error or none


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    outcome(data)


@given(st.binary(max_size=200), st.sampled_from([gzip.compress, zstandard.compress]), st.integers(0, 60))
def test_any_compressed_bytes_are_read_or_refused(data: bytes, pack: Any, cut: int) -> None:
    outcome(pack(data)[: -cut or None])


@given(st.data())
def test_any_damage_to_a_sound_file_is_read_or_refused(data: st.DataObject) -> None:
    sound = text({"kind": "run", "name": "r"}, *rows(3, retrieved=[{"id": "a", "text": "x"}], claims=["c"]))
    place = data.draw(st.integers(0, len(sound)))
    length = data.draw(st.integers(0, 20))
    noise = data.draw(st.binary(max_size=20) | st.sampled_from([b"[", b'"', b"\\", b"}", b"null", b"\n", b"1e999"]))
    wrap = data.draw(st.sampled_from([b"%s", b"[%s]", b"[%s"]))
    outcome(wrap % (sound[:place] + noise + sound[place + length :]))


@given(st.lists(st.integers(1, 50), max_size=8), st.sampled_from([None, 1]))
def test_where_blocks_are_cut_does_not_matter(sizes: list[int], indent: int | None) -> None:
    objects = rows(3, answer='é "quoted" \\ \n[{😀}]')
    whole = json.dumps(objects, indent=indent, ensure_ascii=False).encode() if indent else text(*objects)

    class Dribble(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(sizes.pop() if sizes else size)

    run = RunFile(Dribble(whole))
    assert all(isinstance(item, Item) for item in run)
    assert run.content_hash() == read(text(*objects))[0].content_hash()
