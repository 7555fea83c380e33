"""Run file version 1 as values: what one object may say, what is missing, what is refused and how that is told."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.core.limits import Limits
from triage.core.records import (
    NOTICES,
    ChunkRecord,
    Notices,
    QueryRecord,
    RecordError,
    Remarks,
    RetrievedRecord,
    RunRecord,
    parse,
)
from triage.core.records.book import Book
from triage.core.records.content import canonical_query
from triage.core.records.ledger import Details, Learned, Ledger, slots
from triage.core.records.writing import line

BASE: dict[str, Any] = {"id": "q1", "question": "How long?", "answer": "14 days."}


def query(**fields: Any) -> QueryRecord:
    return read(fields)[0]


def read(fields: dict[str, Any], **kwargs: Any) -> tuple[QueryRecord, dict[str, list[str]]]:
    remarks = Remarks()
    record = parse({**BASE, **fields}, remarks, **kwargs)
    assert isinstance(record, QueryRecord)
    return record, remarks.found


def fault(fields: dict[str, Any]) -> RecordError:
    with pytest.raises(RecordError) as caught:
        parse({**BASE, **fields}, Remarks())
    return caught.value


def test_a_line_without_kind_is_a_query_and_needs_no_more_than_id_and_question() -> None:
    record = parse({"id": 1, "question": "Why?"}, Remarks())
    assert isinstance(record, QueryRecord)
    assert (record.id, record.answer, record.retrieved, record.gold, record.answerable) == ("1", None, None, None, True)


@pytest.mark.parametrize(("kind", "model"), [("run", RunRecord), ("query", QueryRecord), ("chunk", ChunkRecord)])
def test_kind_decides_what_a_line_is(kind: str, model: type) -> None:
    assert isinstance(parse({**BASE, "kind": kind} if kind != "run" else {"kind": kind}, Remarks()), model)


def test_an_unknown_kind_is_refused() -> None:
    assert fault({"kind": "trace"}).expected == "run, chunk or query"


@pytest.mark.parametrize(
    ("given_id", "text"),
    [(1, "1"), ("1", "1"), ("01", "01"), (1.0, "1"), (2.5, "2.5"), (1e21, "1" + 21 * "0"), (-0.0, "0"), ("a b", "a b")],
)
def test_F30_numbers_become_their_shortest_decimal_string_and_text_stays(given_id: object, text: str) -> None:
    assert query(id=given_id).id == text


@pytest.mark.parametrize("bad", [None, "", "  ", True, ["a"], math.nan, "x" * 501])
def test_F30_an_id_that_names_nothing_is_refused(bad: object) -> None:
    assert fault({"id": bad}).field == "id"


def test_F30_an_id_of_300_characters_is_an_id() -> None:
    assert len(query(id="x" * 300).id) == 300


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, "NaN", "", " ", "-Infinity"])
def test_F28_a_number_that_is_none_is_missing_with_a_notice_and_never_0(value: object) -> None:
    record, remarks = read({"scores": {"faithfulness": value}, "retrieved": [{"id": "a", "score": value}]})
    assert record.scores[0].value is None
    assert not record.scores[0].usable
    assert record.retrieved is not None
    assert record.retrieved[0].score is None
    assert "not_finite" in remarks


def test_F28_null_is_missing_without_a_notice() -> None:
    record, remarks = read({"scores": {"faithfulness": None}, "retrieved": []})
    assert record.scores[0].value is None
    assert "not_finite" not in remarks


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (True, "true and false are not scores"),
        ("0,85", "Write 0.85"),
        ("85%", "without a percent sign"),
        ("abc", "null"),
    ],
)
def test_F28_booleans_locale_text_and_words_are_refused_as_scores_with_a_hint(value: object, hint: str) -> None:
    error = fault({"scores": {"faithfulness": value}})
    assert error.field == "scores.faithfulness"
    assert hint in error.remedy


def test_F28_a_number_in_quotes_is_read_and_said() -> None:
    record, remarks = read({"scores": {"faithfulness": "0.85"}})
    assert record.scores[0].value == 0.85
    assert "number_as_text" in remarks


@pytest.mark.parametrize("value", [-0.1, 1.2, 85])
def test_F29_a_score_out_of_range_is_kept_raw_flagged_and_not_used(value: float) -> None:
    record, remarks = read({"scores": {"relevance": value}})
    assert record.scores[0].value == value
    assert not record.scores[0].usable
    assert remarks["score_out_of_range"] == [f"relevance {value:g}"]


def test_F29_a_score_on_a_declared_scale_is_kept_and_not_used() -> None:
    record, remarks = read({"scores": [{"metric": "faithfulness", "value": 85, "scale": [0, 100]}]})
    assert (record.scores[0].value, record.scores[0].usable) == (85, False)
    assert "score_on_other_scale" in remarks


def test_P29_odd_metric_names_are_kept_and_an_empty_one_is_refused() -> None:
    names = ["rouge.l", "a b", "__class__"]
    assert sorted(score.metric for score in query(scores=dict.fromkeys(names, 0.4)).scores) == sorted(names)
    assert fault({"scores": {"": 0}}).field == 'scores[""]'


def test_scores_may_be_a_list_with_tool_version_definition_and_scale() -> None:
    given_scores = [{"metric": "f", "value": 1, "judge": "j", "tool": "t", "version": "1", "definition": "d"}]
    assert query(scores=given_scores).scores[0].tool == "t"


def test_P14_reasons_beside_scores_are_kept_in_meta() -> None:
    record, remarks = read({"reasons": {"faithfulness": "none found"}, "scores": {"faithfulness": 0.0}})
    assert record.meta == {"reasons": {"faithfulness": "none found"}}
    assert record.scores[0].value == 0.0
    assert remarks["unknown_field"] == ["reasons"]


def test_a_score_told_as_an_object_names_the_list_form() -> None:
    assert "list of" in fault({"scores": {"f": {"score": 1}}}).remedy


@pytest.mark.parametrize(
    "text", ["ok\x00end", chr(0xD83D), chr(0xDC81), chr(0xDE00) + chr(0xD83D)], ids=["nul", "high", "low", "reversed"]
)
def test_F24_F25_P26_nul_and_lone_surrogates_become_the_replacement_character(text: str) -> None:
    record, remarks = read({"answer": text, "meta": {text: [text]}})
    assert record.answer is not None
    assert "\ufffd" in record.answer
    record.model_dump_json().encode()
    assert "bad_characters" in remarks


def test_F25_whole_emoji_stay_whole() -> None:
    record, remarks = read({"answer": json.loads('"\\ud83d\\ude00"')})
    assert record.answer == "😀"
    assert "bad_characters" not in remarks


def test_F24_keys_that_become_one_once_cleaned_are_refused() -> None:
    assert "twice" not in fault({"meta": {"a\x00": 1, "a\ufffd": 2}}).found


def test_F27_line_separators_inside_text_stay() -> None:
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf"
    assert query(answer=text).answer == text


def test_F38_direction_marks_and_joined_emoji_stay_in_text_and_are_written_out_in_messages() -> None:
    text = "\u202eevil 👩‍👩‍👧 \x1b[31m"
    assert query(answer=text).answer == text
    assert "\\u202e" in fault({"correct": text}).found
    assert "\x1b" not in fault({"correct": text}).found


def test_SEC16_a_message_never_carries_a_line_break_or_a_long_text() -> None:
    found = fault({"correct": "x\r\n2026 CRITICAL forged" + 1000 * "y"}).found
    assert "\n" not in found
    assert len(found) < 120


def test_F39_nothing_retrieved_unknown_and_blank_are_three_states() -> None:
    nothing, said = read({"retrieved": []})
    unknown, unsaid = read({"retrieved": None})
    blank, remarked = read({"retrieved": [{"id": "a", "text": " \n"}]})
    assert (nothing.retrieved, unknown.retrieved) == ([], None)
    assert "retrieved_nothing" in said
    assert "retrieval_unknown" in unsaid
    assert blank.retrieved is not None
    assert blank.retrieved[0].text == " \n"
    assert "blank_chunk" in remarked


def test_F39_a_slot_without_an_id_is_refused_by_its_place() -> None:
    assert fault({"retrieved": [""]}).field == "retrieved[0].id"
    assert fault({"retrieved": ["a", "b", "c", {"id": None}]}).field == "retrieved[3].id"
    assert fault({"retrieved": ["a", None]}).field == "retrieved[1]"


def test_F39_retrieved_as_an_object_is_refused_and_says_how() -> None:
    assert "best first" in fault({"retrieved": {"a": 0.9}}).remedy


def test_F39_P39_a_chunk_retrieved_twice_is_said() -> None:
    assert "duplicate_chunk" in read({"retrieved": ["a", "b", "a"]})[1]


def test_F39_the_limit_of_chunks_holds_at_its_edge() -> None:
    limits = Limits(chunks=3)
    assert len(read({"retrieved": ["a", "b", "c"]}, limits=limits)[0].retrieved or ()) == 3
    with pytest.raises(RecordError, match="at most 3 chunks"):
        parse({**BASE, "retrieved": ["a", "b", "c", "d"]}, Remarks(), limits)


def test_the_limit_of_claims_holds_at_its_edge() -> None:
    with pytest.raises(RecordError, match="at most 2 claims"):
        parse({**BASE, "claims": ["a", "b", "c"]}, Remarks(), Limits(claims=2))


def test_P03_nothing_retrieved_with_gold_and_chunks_without_gold_both_stand() -> None:
    assert query(retrieved=[], gold=["d1"]).gold == ["d1"]
    record, remarks = read({"retrieved": ["d1"], "gold": []})
    assert record.gold is None
    assert "empty_gold" in remarks


def test_F40_empty_gold_of_an_unanswerable_query_says_that_there_is_none() -> None:
    record, remarks = read({"gold": [], "answerable": False})
    assert record.gold == []
    assert "empty_gold" not in remarks


@pytest.mark.parametrize(
    ("gold", "words"), [("b#2", 'Write ["b#2"].'), ([["a"], ["b"]], "one flat list"), ([{"id": "a"}], "one flat list")]
)
def test_F40_gold_in_another_shape_is_refused_with_the_way_to_write_it(gold: object, words: str) -> None:
    assert words in fault({"gold": gold}).remedy


def test_F40_gold_given_twice_or_as_text_or_on_an_unanswerable_query_is_said() -> None:
    assert read({"gold": ["a", "a"]})[1].keys() >= {"duplicate_gold"}
    assert "gold_looks_like_text" in read({"gold": ["The refund is paid within 14 days of the request."]})[1]
    assert "gold_but_unanswerable" in read({"gold": ["a"], "answerable": False})[1]


@pytest.mark.parametrize("ranks", [[0, 1, 2], [1, 1, 2], [1, 3, 4], [1, None, 2], [1.5, 2, 3]])
def test_F41_ranks_with_gaps_or_repeats_or_from_0_are_said_and_list_order_is_used(ranks: list[object]) -> None:
    given_slots = [{"id": key, "rank": rank} for key, rank in zip("abc", ranks, strict=True)]
    record, remarks = read({"retrieved": given_slots})
    assert [slot.id for slot in record.retrieved or ()] == ["a", "b", "c"]
    assert "ranks_not_contiguous" in remarks


def test_F41_sound_ranks_decide_the_order() -> None:
    record, remarks = read({"retrieved": [{"id": "b", "rank": 2}, {"id": "a", "rank": 1}]})
    assert [slot.id for slot in record.retrieved or ()] == ["a", "b"]
    assert "sorted_by_rank" in remarks


def test_F41_scores_that_rise_along_the_ranks_are_said_unless_a_reranker_ordered_them() -> None:
    rising = [{"id": "a", "score": 0.1}, {"id": "b", "score": 0.9}]
    assert "scores_not_descending" in read({"retrieved": rising})[1]
    reranked = [{**slot, "rerank_score": 1 - slot["score"]} for slot in rising]
    assert "scores_not_descending" not in read({"retrieved": reranked})[1]


def test_F41_a_metric_named_for_more_chunks_than_were_retrieved_is_said() -> None:
    assert "metric_over_k" in read({"retrieved": ["a", "b"], "scores": {"recall@10": 1}})[1]
    assert "metric_over_k" not in read({"retrieved": ["a", "b"], "scores": {"recall@2": 1}})[1]


@pytest.mark.parametrize("answer", ["", " ", "🙂", None])
def test_F42_empty_answers_stay_what_they_are(answer: str | None) -> None:
    record = query(answer=answer, claims=[])
    assert (record.answer, record.claims) == (answer, [])


def test_P09_a_null_reference_stays_missing() -> None:
    assert query(reference=None).reference is None


def test_P13_claims_as_strings_and_objects_are_read_and_nested_ones_refused_by_field() -> None:
    assert [claim.text for claim in query(claims=["c1", {"text": "c2"}]).claims or ()] == ["c1", "c2"]
    error = fault({"claims": [{"sentence": "s", "simpler": ["c1", "c2"]}]})
    assert (error.field, error.found) == ("claims[0].text", "field missing")
    assert "Rename" in error.remedy


@pytest.mark.parametrize("span", [[4, 3], [3, 3], [0, 9], [-1, 2], [1], [0, 1, 2], ["0", 1]])
def test_a_span_outside_the_answer_is_refused(span: list[object]) -> None:
    assert fault({"claims": ["x", {"text": "a", "span": span}]}).field.startswith("claims[1].span")


def test_a_span_counts_code_points_and_may_reach_the_end() -> None:
    assert query(answer="a😀c", claims=[{"text": "c", "span": [2, 3]}]).claims[0].span == [2, 3]


def test_a_claim_keeps_cites_verdicts_and_marks() -> None:
    claim = {
        "text": "It is 14 days.",
        "cites": ["a", 7],
        "verdicts": [{"chunk": "a", "label": "supported", "score": 0.9, "judge": "j"}],
        "human": [{"label": "contradicted", "chunk": "a", "span": [0, 3], "reviewer": 5, "blind": True}],
    }
    read_claim = query(claims=[claim]).claims[0]
    assert read_claim.cites == ["a", "7"]
    assert read_claim.verdicts[0].label == "supported"
    assert read_claim.human[0].reviewer == "5"


def test_a_verdict_that_says_nothing_is_said() -> None:
    assert "empty_verdict" in read({"claims": [{"text": "a", "verdicts": [{"judge": "j"}]}]})[1]


def test_human_verdicts_use_our_labels_and_their_sub_causes() -> None:
    verdict = {"label": "still_wrong", "sub_cause": "wrong_gold", "reviewer": "r", "drawn": "random", "blind": True}
    assert query(human=[verdict]).human[0].sub_cause == "wrong_gold"
    assert fault({"human": [{"label": "retr"}]}).field == "human[0].label"
    assert fault({"human": [{"label": "still_wrong", "sub_cause": "unreachable"}]}).field == "human[0].sub_cause"


def test_a_rating_outside_its_scale_is_kept_and_said() -> None:
    record, remarks = read({"human_scores": [{"metric": "faithfulness", "value": 5, "scale": [1, 4]}]})
    assert record.human_scores[0].value == 5
    assert "rating_out_of_scale" in remarks


def test_times_are_utc_and_a_missing_zone_is_said() -> None:
    record, remarks = read({"human": [{"label": "still_wrong", "at": "2026-11-30T10:00:00+02:00"}]})
    assert record.human[0].at is not None
    assert record.human[0].at.isoformat() == "2026-11-30T08:00:00+00:00"
    assert "time_without_zone" not in remarks
    assert "time_without_zone" in read({"human": [{"label": "still_wrong", "at": "2026-11-30"}]})[1]
    assert fault({"human": [{"label": "still_wrong", "at": "yesterday"}]}).field == "human[0].at"


@pytest.mark.parametrize("value", ["true", 1, 0, "no"])
def test_a_verdict_on_the_answer_is_true_false_or_null(value: object) -> None:
    assert fault({"correct": value}).expected == "true or false"


def test_null_says_the_same_as_leaving_a_field_out() -> None:
    assert query(answerable=None, slice=None, scores=None, human=None, meta=None, reranker=None) == query()


def test_slices_become_text() -> None:
    assert query(slice={"n": 2, "multi": True, "topic": "billing", "gone": None}).slice == {
        "multi": "true",
        "n": "2",
        "topic": "billing",
    }


def test_a_negative_duration_is_missing_and_said() -> None:
    record, remarks = read({"latency_ms": -3})
    assert record.latency_ms is None
    assert "negative_amount" in remarks


def test_unknown_fields_are_kept_in_meta_at_every_level_and_listed_by_path() -> None:
    record, remarks = read(
        {
            "session": "s",
            "meta": {"own": 1},
            "retrieved": [{"id": "a", "distance": 0.2}],
            "claims": [{"text": "c", "importance": 3}],
        }
    )
    assert record.meta == {"own": 1, "session": "s"}
    assert record.retrieved is not None
    assert record.retrieved[0].meta == {"distance": 0.2}
    assert set(remarks["unknown_field"]) == {"retrieved[].distance", "claims[].importance", "session"}


def test_an_unknown_field_never_overwrites_what_meta_already_says() -> None:
    assert query(session="new", meta={"session": "old"}).meta == {"session": "old", "session_": "new"}


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_F31_nesting_is_bounded_at_its_edge() -> None:
    query(meta={"a": nested(62)})
    assert "64 levels" in fault({"meta": {"a": nested(63)}}).expected
    assert "64 levels" in fault({"unknown": nested(900)}).expected


def test_F31_a_whole_number_of_thousands_of_digits_is_refused() -> None:
    assert "digits" in fault({"meta": {"a": 10**4000}}).expected


def test_a_missing_question_names_the_field_that_may_have_been_meant() -> None:
    with pytest.raises(RecordError) as caught:
        parse({"id": 1, "query": "Why?"}, Remarks())
    assert (caught.value.field, caught.value.found) == ("question", "field missing")
    assert "Rename “query” to “question”" in caught.value.remedy


def test_every_notice_is_counted_per_record_and_keeps_its_first_examples() -> None:
    notices = Notices()
    for number in range(9):
        remarks = Remarks()
        parse({**BASE, "id": number, "retrieved": ["a", "a"]}, remarks)
        notices.take(remarks, str(number))
    (notice,) = notices.all()
    assert (notice.code, notice.count, notice.examples) == ("duplicate_chunk", 9, ("0", "1", "2", "3", "4"))
    assert notice.as_dict()["done"] == NOTICES["duplicate_chunk"]


def test_a_notice_of_unknown_kind_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        Notices().add("surprise")


def digest(*objects: dict[str, Any]) -> bytes:
    book = Book()
    for number, data in enumerate(objects, 1):
        remarks = Remarks()
        book.take(parse(data, remarks), remarks, number, first=number == 1)
    return book.content_hash()


CHUNK = {"kind": "chunk", "id": "a", "text": "Fourteen days.", "title": "Refunds", "tokens": 3}
INLINE = {key: value for key, value in CHUNK.items() if key != "kind"}


def test_the_content_hash_is_pinned() -> None:
    """A change here makes every imported run a stranger to its own file: raise the format's version instead."""
    assert digest({**BASE, "retrieved": [INLINE]}).hex()[:16] == "27b1e7d5582dca4d"


def test_content_does_not_depend_on_where_a_chunk_is_described_or_on_order_of_chunks() -> None:
    other = {"kind": "chunk", "id": "b", "text": "Elsewhere."}
    with_lines = digest(CHUNK, other, {**BASE, "retrieved": ["a"]})
    assert digest(other, CHUNK, {**BASE, "retrieved": ["a"]}) == with_lines
    assert digest({**BASE, "retrieved": [INLINE]}, other) == with_lines
    assert digest(CHUNK, other, {**BASE, "retrieved": [INLINE]}) == with_lines


def test_content_does_not_depend_on_spelling() -> None:
    spelled = {
        "answer": "14 days.",
        "question": "How long?",
        "id": "q1",
        "gold": ["a"],
        "answerable": True,
        "correct": None,
    }
    assert digest({**BASE, "gold": ["a", "a"], "latency_ms": 3}) == digest(
        {**spelled, "latency_ms": 3.0, "kind": "query"}
    )
    assert digest({**BASE, "meta": {"a": 1, "b": 2.0}}) == digest({**BASE, "meta": {"b": 2, "a": 1.0}})


def test_content_does_not_depend_on_what_people_added() -> None:
    claims = [{"text": "It is 14 days."}]
    marked = [{**claims[0], "human": [{"label": "supported"}]}]
    added = {"human": [{"label": "still_wrong"}], "challenges": [{"kind": "wrong_chunk", "remove": ["a"]}]}
    assert digest({**BASE, "claims": marked, **added}) == digest({**BASE, "claims": claims})


def test_claims_that_we_split_are_no_content() -> None:
    split = {**BASE, "claims": ["It is 14 days."], "claims_from": "split"}
    assert digest(split) == digest(BASE)
    assert digest({**BASE, "claims": []}) != digest(BASE)


@pytest.mark.parametrize(
    "change",
    [
        {"answer": "15 days."},
        {"gold": ["b"]},
        {"retrieved": ["a", "b"]},
        {"retrieved": ["b"]},
        {"scores": {"f": 1}},
        {"correct": True},
        {"claims": ["x"]},
        {"meta": {"a": 1}},
        {"retrieved": [{"id": "a", "in_context": False}]},
    ],
)
def test_content_changes_with_what_the_run_says(change: dict[str, Any]) -> None:
    original = {**BASE, "retrieved": ["a"], "gold": ["a"]}
    assert digest(CHUNK, {**original, **change}) != digest(CHUNK, original)


def test_content_depends_on_the_order_of_queries_and_on_chunk_texts() -> None:
    first, second = {**BASE, "id": 1}, {**BASE, "id": 2}
    assert digest(first, second) != digest(second, first)
    assert digest(CHUNK, first) != digest({**CHUNK, "text": "Fifteen days."}, first)


def learn(ledger: Ledger, mentions: dict[str, Details]) -> Learned:
    learned = ledger.compare(mentions)
    ledger.take(learned)
    return learned


def test_a_chunk_with_another_text_is_refused_and_other_details_are_said() -> None:
    ledger = Ledger()
    learn(ledger, {"a": {"text": "x", "title": "T"}})
    learned = learn(ledger, {"a": {"text": "x", "title": "U", "section": "s"}})
    assert (learned.new, learned.differing) == ({"a": {"section": "s"}}, ["a title"])
    with pytest.raises(RecordError, match="another text for chunk"):
        ledger.compare({"a": {"text": "y"}})


def test_two_slots_of_one_query_that_contradict_each_other_are_refused() -> None:
    record = query(retrieved=[{"id": "a", "text": "x"}, {"id": "a", "text": "y"}])
    with pytest.raises(RecordError) as caught:
        slots(record.retrieved or ())
    assert caught.value.field == "retrieved[1].text"


def test_ids_without_text_are_counted_until_a_text_comes() -> None:
    ledger = Ledger()
    ledger.mention(["a", "b", "a"])
    learn(ledger, {"b": {"text": ""}, "c": {"title": "T"}})
    assert ledger.without_text() == (2, ["a", "c"])


def test_an_id_alone_says_nothing_of_its_chunk() -> None:
    slot = RetrievedRecord.model_validate({"id": "a", "score": 1.0})
    assert slot.details() == {}


words = st.text(max_size=30)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)
FIELDS = sorted(QueryRecord.model_fields)


@given(st.dictionaries(st.sampled_from([*FIELDS, "kind", "surprise"]), json_values, max_size=8))
def test_any_json_object_is_read_or_refused_by_name(fields: dict[str, Any]) -> None:
    remarks = Remarks()
    try:
        outcome = parse({**BASE, **fields}, remarks).model_dump_json().encode()
    except RecordError as error:
        outcome = all((error.field, error.found, error.expected, error.remedy))
    assert outcome
    assert remarks.found.keys() <= NOTICES.keys()


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
ids = texts.filter(lambda text: text.strip() != "")
shares = st.floats(0, 1)
optional_text = st.none() | texts
queries = st.fixed_dictionaries(
    {"id": ids, "question": texts},
    optional={
        "answer": optional_text,
        "retrieved": st.none()
        | st.lists(
            st.fixed_dictionaries(
                {"id": st.sampled_from("abcd")}, optional={"score": shares, "in_context": st.booleans()}
            )
        ),
        "gold": st.none() | st.lists(ids, max_size=3),
        "reference": optional_text,
        "answerable": st.booleans(),
        "correct": st.none() | st.booleans(),
        "abstained": st.none() | st.booleans(),
        "claims": st.none() | st.lists(ids | st.fixed_dictionaries({"text": ids, "cites": st.lists(ids, max_size=2)})),
        "scores": st.dictionaries(ids, st.none() | st.floats(allow_nan=False, allow_infinity=False), max_size=3),
        "slice": st.dictionaries(texts, texts, max_size=3),
        "latency_ms": st.none() | st.floats(0, 1e9),
        "meta": st.dictionaries(texts, json_values, max_size=3),
        "human": st.lists(st.fixed_dictionaries({"label": st.just("still_wrong"), "reviewer": ids}), max_size=2),
    },
)


@given(queries)
def test_writing_a_query_and_reading_it_again_changes_nothing(fields: dict[str, Any]) -> None:
    try:
        record = parse(fields, Remarks())
    except RecordError:
        return  # free JSON in meta may break a limit: not what is asked here
    again = parse(json.loads(line(record)), Remarks())
    assert again == record
    assert isinstance(again, QueryRecord)
    assert isinstance(record, QueryRecord)
    assert canonical_query(again) == canonical_query(record)
