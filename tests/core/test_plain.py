"""The quick reading of plain queries, held against the one validator: the same record, remarks and bytes, or none."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from triage.core.collector import frozen
from triage.core.injection import _PHRASES, SIGNS
from triage.core.limits import DEFAULT_LIMITS, Limits
from triage.core.records import ClaimRecord, QueryRecord, RecordError, Remarks, RetrievedRecord, ScoreRecord, parse
from triage.core.records.claim import VerdictRecord
from triage.core.records.content import canonical_query
from triage.core.records.ledger import slots
from triage.core.records.plain import (
    PlainClaim,
    PlainQuery,
    PlainScore,
    PlainSlot,
    PlainVerdict,
    plain_query,
    said,
)
from triage.formats import Item, RunFile
from triage.formats.json_text import decode, strict

PLAIN: dict[str, Any] = {
    "kind": "query",
    "id": "q1",
    "question": "How long?",
    "answer": "14 days.",
    "retrieved": [
        {"id": "c1", "text": "A return takes 14 days.", "document": "d", "tokens": 0, "score": 0.9, "rank": 1},
        {"id": "c2", "text": "", "summary_of": ["c1"], "score": 1, "in_context": False, "rank": 2},
    ],
    "gold": ["c1", "c1"],
    "gold_from": {"c9": ["bm25"], "c1": ["human"]},
    "correct": False,
    "claims": [
        {
            "text": "14 days.",
            "span": [0, 8],
            "cites": ["c1"],
            "verdicts": [{"chunk": None, "score": 2, "judge": "j"}, {}],
        },
        "It takes long.",
    ],
    "scores": {"recall@10": 0.5, "faithfulness": 3},
    "slice": {"topic": "returns", "n": "one"},
    "latency_ms": 12,
    "reranker": "ok",
    "meta": {"b": 1.0, "a": {"z": [1e300]}},
    "extra": {"y": 1},
}
#: A field -> values for it, plain and odd.
_IDS = ["c1", "", " ", "é", 7, 1.5, None, "x" * 501, "\x1c", "\x85"]
_NUMBERS = [None, 0, -0.0, 1, 0.25, -3.5, 1e15, 1e16, 1e-7, 10**400, "0.5", True]
_TEXTS = ["words", "", " ", "tab\tand\\n", 'quo"te', "\u2028", None, 3]
ODD: dict[str, list[Any]] = {
    "id": _IDS,
    "question": _TEXTS,
    "answer": _TEXTS,
    "retrieved": [None, [], ["c1", "c2"], ["c1", "c1"], [3], [{}], {"c1": 1}, [{"id": "c1", "unknown": 1}]],
    "gold": [None, [], ["c1"], ["a b c d e f g h i j"], [["c1"]], "c1", [" "]],
    "gold_from": [None, {}, {"c1": "bm25"}, {"c1": []}],
    "reference": _TEXTS,
    "answerable": [True, False, None, "yes"],
    "correct": [True, False, None, 1],
    "abstained": [True, False, None],
    "claims": [None, [], [""], [" "], [{"text": "x", "span": [3, 1]}], [{"text": "x", "span": [0, 99]}], [1]],
    "claims_from": ["file", "split", None],
    "scores": [{}, None, [], {"": 1}, {" ": 1}, [{"metric": "m", "scale": [1, 5], "value": 3}], {"m": None}, {"m": {}}],
    "human": [[], [{"label": "still_wrong"}]],
    "slice": [None, {}, {"b": "1", "a": "2"}, {"a": 1}, {"a": None}],
    "latency_ms": _NUMBERS,
    "context_tokens": _NUMBERS,
    "cost": _NUMBERS,
    "reranker": ["", "timeout", "never", None],
    "trace_id": _TEXTS,
    "url": _TEXTS,
    "meta": [None, {}, {"extra": 1}, {"n": 10**400}, {"deep": [[[[]]]]}],
    "question_": [1],
}
_SLOTS = st.fixed_dictionaries(
    {"id": st.sampled_from(_IDS[:4] + _IDS[:1] * 4)},
    optional={
        "text": st.sampled_from(["same", "", " ", None]),
        "document": st.sampled_from(["d", "", " ", None, 4]),
        "title": st.sampled_from(["t", "", None]),
        "tokens": st.sampled_from([0, 5, 5.0, -1, None, True]),
        "updated_at": st.sampled_from([None, "2026-01-01"]),
        "superseded_by": st.sampled_from(["c2", "", " "]),
        "summary_of": st.sampled_from([[], ["c2"], [" "], None]),
        "rank": st.sampled_from([None, 1, 2, 1.5]),
        "score": st.sampled_from(_NUMBERS),
        "rerank_score": st.sampled_from([None, 0.5]),
        "in_context": st.sampled_from([True, False, None]),
        "meta": st.sampled_from([{}, {"a": 1}]),
    },
)
_CLAIMS = st.fixed_dictionaries(
    {"text": st.sampled_from(["14 days.", " ", "é"])},
    optional={
        "span": st.sampled_from([None, [0, 2], [2, 2], [0, 1.0]]),
        "cites": st.sampled_from([[], ["c1", "c1"], [" "], None]),
        "verdicts": st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "chunk": st.sampled_from([None, "c1", " "]),
                    "label": st.sampled_from(["supported", "wrong", None]),
                    "score": st.sampled_from(_NUMBERS),
                    "judge": st.sampled_from(["", "me", None]),
                },
            ),
            max_size=2,
        ),
        "human": st.sampled_from([[], [{"label": "supported"}]]),
    },
)
#: Lines are big and machines busy: how long it takes to make them says nothing.
QUIETLY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
LINES = st.builds(
    lambda base, more: {**base, **more},
    st.sampled_from([PLAIN, {"id": "q1", "question": "Why?", "retrieved": ["c1"]}]),
    st.fixed_dictionaries(
        {},
        optional={
            **{name: st.sampled_from(values) for name, values in ODD.items()},
            "retrieved": st.sampled_from(ODD["retrieved"]) | st.lists(_SLOTS, max_size=3),
            "claims": st.sampled_from(ODD["claims"]) | st.lists(_CLAIMS, max_size=2),
        },
    ),
)


def seen(value: Any) -> Any:
    """Return a record of either kind as plain values."""
    if isinstance(value, list | tuple):
        return [seen(item) for item in value]
    if isinstance(value, BaseModel):
        return {name: seen(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, PlainQuery | PlainSlot | PlainClaim | PlainVerdict | PlainScore):
        return {name: seen(getattr(value, name)) for name in FULL[type(value)].model_fields if hasattr(value, name)}
    return value


FULL: dict[type, type[BaseModel]] = {
    PlainQuery: QueryRecord,
    PlainSlot: RetrievedRecord,
    PlainClaim: ClaimRecord,
    PlainVerdict: VerdictRecord,
    PlainScore: ScoreRecord,
}


def quickly(line: dict[str, Any], limits: Limits = DEFAULT_LIMITS) -> tuple[PlainQuery | None, Remarks]:
    remarks = Remarks()
    return plain_query(line, remarks, limits), remarks


def same(line: dict[str, Any], limits: Limits = DEFAULT_LIMITS) -> bool:
    """Compare the two readings of a line; False where it is not plain."""
    plain, remarks = quickly(line, limits)
    if plain is None:
        return False
    full_remarks = Remarks()
    full = parse(line, full_remarks, limits, storable_text=True)
    assert isinstance(full, QueryRecord)
    told = seen(full)
    for slot in told["retrieved"]:
        assert slot.pop("updated_at") is None
    assert seen(plain) == told
    assert canonical_query(plain) == canonical_query(full)
    assert remarks.found == full_remarks.found
    assert slots(plain.retrieved) == slots(full.retrieved or [])
    for mine, theirs in ((plain.scores, full.scores), *zip_verdicts(plain, full)):
        assert [said(each) for each in mine] == [said(each) for each in theirs]
    return True


def zip_verdicts(plain: PlainQuery, full: QueryRecord) -> list[tuple[Any, Any]]:
    return [(a.verdicts, b.verdicts) for a, b in zip(plain.claims or (), full.claims or (), strict=True)]


def test_a_plain_line_is_the_record_that_the_validator_makes_of_it() -> None:
    assert same(PLAIN)


@QUIETLY
@given(line=LINES)
def test_whatever_is_read_quickly_is_read_as_the_validator_reads_it(line: dict[str, Any]) -> None:
    same(line)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in ODD.items() for value in values])
def test_a_line_with_one_odd_value_is_read_the_same_or_left_to_the_validator(name: str, value: Any) -> None:
    line = {**PLAIN, name: value}
    try:
        parse(line, Remarks(), storable_text=True)
    except RecordError:
        assert quickly(line)[0] is None
    else:
        same(line)


@pytest.mark.parametrize("limits", [Limits(chunks=1), Limits(claims=1), Limits(nesting=2)])
def test_the_limits_that_hold_are_kept_to(limits: Limits) -> None:
    assert quickly(PLAIN, limits)[0] is None


def test_floats_are_spelt_alike_up_to_the_bound_beyond_which_lines_are_left_to_the_validator() -> None:
    numbers = [0.1, 1e-7, 1e-300, 5e-324, 123456.789, 999999999999999.0, 1.5e-5, 2**-20, 0.30000000000000004]
    for number in numbers:
        assert same({**PLAIN, "latency_ms": number, "scores": {"m": -number}})
    assert quickly({**PLAIN, "latency_ms": 1e15})[0] is None


def test_every_plain_field_is_one_of_the_format_in_the_same_order_where_it_is_written() -> None:
    for plain, full in FULL.items():
        assert set(plain.__struct_fields__) <= set(full.model_fields)
    for plain in (PlainClaim, PlainVerdict, PlainScore):
        order = [name for name in FULL[plain].model_fields if name in plain.__struct_fields__]
        assert list(plain.__struct_fields__) == order


# --- JSON ------------------------------------------------------------------------------------------------------------

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", 'b":', " c", '"']), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    value=st.dictionaries(st.text(max_size=3), _JSON, max_size=4),
    separators=st.sampled_from([(",", ":"), (", ", ": "), (" ,\r", "\t:"), (",", " : ")]),
    ascii_only=st.booleans(),
)
@settings(deadline=None)
@example(value={"a": 'x":y'}, separators=(",", ":"), ascii_only=True)
def test_json_is_strict_only_where_it_says_what_the_decoder_says(
    value: dict[str, Any], separators: tuple[str, str], ascii_only: bool
) -> None:
    data = json.dumps(value, separators=separators, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    found = strict(data, DEFAULT_LIMITS)
    if found is not None:
        assert json.dumps(found) == json.dumps(decode(data, 0, DEFAULT_LIMITS)[0])
        assert decode(data, 0, DEFAULT_LIMITS)[1]


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1,"a":1}',
        b'{"a":{"b":1,"b":2}}',
        b'{"a" :1,"a":1}',
        b'{"a":NaN}',
        b'{"a":1e999}',
        b'{"a":"\\u0000"}',
        b'{"a":"\\ud800"}',
        b'{"a":"\xff"}',
        b'{"a":1',
        b'{"a":"x\\":y","a":1}',
        b"[1]",
        b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)
def test_json_that_is_odd_is_left_to_the_decoder(data: bytes) -> None:
    assert strict(data, DEFAULT_LIMITS) is None


def test_json_with_too_many_keys_is_left_to_the_decoder() -> None:
    data = b'{"a":1,"b":{"c":2}}'
    assert strict(data, Limits(keys=3)) == {"a": 1, "b": {"c": 2}}
    assert strict(data, Limits(keys=2)) is None


# --- whole files -----------------------------------------------------------------------------------------------------


def read(lines: list[str], *, quick: bool) -> tuple[Any, ...]:
    file = RunFile(io.BytesIO("\n".join(lines).encode()))
    file.quick = quick
    items = list(file)
    chunks = [(item.line, item.chunks) for item in items if isinstance(item, Item)]
    counts = (file.lines, file.faulty, dict(file.counts))
    return file.content_hash(), file.errors, file.notices(), counts, chunks


@QUIETLY
@given(lines=st.lists(LINES, max_size=6))
def test_a_file_says_the_same_whichever_way_it_is_read(lines: list[dict[str, Any]]) -> None:
    whole = ['{"kind": "run", "config": {"k": 1}}', json.dumps(PLAIN)]
    whole += [json.dumps({"id": f"q{number}", **line}) for number, line in enumerate(lines)]
    whole += [json.dumps(PLAIN), json.dumps({**PLAIN, "human": [{"label": "still_wrong"}]}), "{", '{"a":1,"a":2}']
    assert read(whole, quick=True) == read(whole, quick=False)


def test_plain_queries_are_what_a_quick_reader_hands_out() -> None:
    file = RunFile(io.BytesIO(json.dumps(PLAIN).encode()))
    file.quick = True
    (item,) = file
    assert isinstance(item, Item)
    assert isinstance(item.record, PlainQuery)


# --- what else an import asks of every line ---------------------------------------------------------------------------


def test_every_phrase_that_talks_to_a_judge_has_one_of_the_signs_asked_for_first() -> None:
    assert [phrase for phrase in _PHRASES if not any(sign in phrase for sign in SIGNS)] == []


def test_the_collector_leaves_out_what_was_there_and_nothing_stays_left_out() -> None:
    import gc

    with frozen():
        assert gc.isenabled()
        held = gc.get_freeze_count()
        with frozen():
            assert 0 < gc.get_freeze_count() <= held, "what is left out may die meanwhile"
        assert gc.get_freeze_count() > 0
    assert gc.get_freeze_count() == 0


class Ring:
    """A cycle of some thousand objects that counts how many of its kind are alive."""

    alive = 0

    def __init__(self) -> None:
        self.ring = [[self] for _ in range(5_000)]
        Ring.alive += 1

    def __del__(self) -> None:
        Ring.alive -= 1


def test_cycles_that_die_between_freezes_do_not_pile_up() -> None:
    for _ in range(50):
        Ring()
        with frozen():
            pass
    assert Ring.alive <= 1


def test_cycles_that_die_while_they_are_frozen_are_found_before_they_are_many() -> None:
    import gc

    gc.collect()
    most = len(gc.get_objects()) // 4 // 5_000 + 20
    for _ in range(3 * most):
        ring = Ring()
        with frozen():
            del ring
        assert Ring.alive <= most
    gc.collect()
    assert Ring.alive == 0
