"""The demo: built from its sources, true to its plan, and readable by the product."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pytest

from triage.core.abstention import is_abstention
from triage.core.classifier import Classification, classify
from triage.core.correctness import correctness
from triage.core.metrics import CitationFacts, ClaimFacts, QueryFacts, measure
from triage.core.policy import DEFAULT_POLICY
from triage.core.records import Remarks, parse
from triage.demo.arms import ARMS
from triage.demo.build import FOLDER, files
from triage.demo.questions import load_planned

RUNS = tuple(arm.key for arm in ARMS)
CURRENT, PREVIOUS, GOLD_ONLY = RUNS
#: Gold ids that have no chunk on purpose: lost when a page was cut anew.
LOST_GOLD = {"tills-4"}
MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Run:
    head: dict[str, Any]
    chunks: dict[str, dict[str, Any]]
    queries: dict[str, dict[str, Any]]


@lru_cache
def run(key: str) -> Run:
    lines = [json.loads(line) for line in (FOLDER / f"tallyrook_{key}.jsonl").read_text(encoding="utf-8").splitlines()]
    by_kind: dict[str, list[dict[str, Any]]] = {"run": [], "chunk": [], "query": []}
    for line in lines:
        by_kind[line["kind"]].append(line)
    return Run(
        by_kind["run"][0],
        {chunk["id"]: chunk for chunk in by_kind["chunk"]},
        {query["id"]: query for query in by_kind["query"]},
    )


def context_of(query: dict[str, Any]) -> tuple[str, ...] | None:
    slots = query["retrieved"]
    return None if slots is None else tuple(slot["id"] for slot in slots if slot["in_context"])


def facts_of(key: str, query: dict[str, Any]) -> QueryFacts:
    """Decide what the recorded verdicts say, without any judge of ours."""
    documents = {chunk["document"] for chunk in run(key).chunks.values()}
    slots, context = query["retrieved"], context_of(query)
    by_pattern = is_abstention(query["answer"], DEFAULT_POLICY)
    abstained = by_pattern if query["abstained"] is None else query["abstained"]
    relevance = [score["value"] for score in query.get("scores", ())]
    return QueryFacts(
        key=query["id"],
        answer=query["answer"],
        answerable=query["answerable"],
        correct=correctness(query["correct"], answerable=query["answerable"], abstained=abstained).value,
        abstained=abstained,
        candidates=None if slots is None else tuple(slot["id"] for slot in slots),
        context=context,
        gold=frozenset(query["gold"]) if query["gold"] else None,
        claims=tuple(claim_facts(claim, context or (), documents) for claim in query["claims"] or ()),
        relevance=relevance[0] if relevance else None,
    )


def claim_facts(claim: dict[str, Any], context: tuple[str, ...], documents: set[str]) -> ClaimFacts:
    supporting = frozenset(verdict["chunk"] for verdict in claim["verdicts"] if verdict["label"] == "supported")
    cites = (CitationFacts(name, name in context, name in documents, name in supporting) for name in claim["cites"])
    return ClaimFacts(claim["text"], bool(supporting), supporting, tuple(cites))


@lru_cache
def classified(key: str) -> dict[str, Classification]:
    facts = [facts_of(key, query) for query in run(key).queries.values()]
    return {one.key: classify(one, measure(one), DEFAULT_POLICY) for one in facts if one.correct is False}


def ids_by_verdict(key: str) -> dict[bool | None, set[str]]:
    found: dict[bool | None, set[str]] = {True: set(), False: set(), None: set()}
    for query in run(key).queries.values():
        found[facts_of(key, query).correct].add(query["id"])
    return found


def test_the_builder_writes_the_committed_files_byte_for_byte() -> None:
    for name, text in files().items():
        assert (FOLDER / name).read_bytes() == text.encode(), f"run python -m triage.demo.build and commit {name}"


def test_every_file_is_small_enough_to_ship() -> None:
    assert all((FOLDER / name).stat().st_size < 1.5 * MEGABYTE for name in files())


@pytest.mark.parametrize("key", RUNS)
def test_every_line_reads_as_a_record_without_an_odd_remark(key: str) -> None:
    remarks = Remarks()
    for line in (FOLDER / f"tallyrook_{key}.jsonl").read_text(encoding="utf-8").splitlines():
        parse(json.loads(line), remarks)
    expected = {"retrieved_nothing", "retrieval_unknown"} if key == GOLD_ONLY else set()
    assert set(remarks.found) == expected


@pytest.mark.parametrize("key", RUNS)
def test_there_are_enough_chunks_and_questions(key: str) -> None:
    assert len(run(key).chunks) >= 64
    assert len(run(key).queries) >= 88


def test_chunks_have_the_length_of_a_passage_and_tell_where_they_come_from() -> None:
    for chunk in run(CURRENT).chunks.values():
        assert 40 <= len(chunk["text"].split()) <= 130, chunk["id"]
        assert chunk["section"], chunk["id"]
        assert chunk["url"].startswith("https://"), chunk["id"]
        assert chunk["updated_at"] < "2026-11-24", chunk["id"]


def test_no_two_texts_repeat_each_other() -> None:
    texts = [chunk["text"] for chunk in run(CURRENT).chunks.values()]
    questions = [query["question"] for query in run(CURRENT).queries.values()]
    assert len(set(texts)) == len(texts)
    assert len(set(questions)) == len(questions)


def test_replacements_and_summaries_point_at_what_exists() -> None:
    chunks = run(CURRENT).chunks
    known = chunks.keys() | {chunk["document"] for chunk in chunks.values()}
    superseded = [chunk for chunk in chunks.values() if "superseded_by" in chunk]
    summaries = [chunk for chunk in chunks.values() if "summary_of" in chunk]
    assert len({chunk["document"] for chunk in superseded}) >= 4
    assert all(chunk["superseded_by"] in known for chunk in superseded)
    assert len(summaries) >= 3
    assert all(chunks.keys() >= set(chunk["summary_of"]) for chunk in summaries)


@pytest.mark.parametrize("key", RUNS)
def test_every_retrieved_chunk_and_every_gold_chunk_but_the_lost_ones_has_a_text(key: str) -> None:
    chunks, queries = run(key).chunks, run(key).queries.values()
    retrieved = {slot["id"] for query in queries for slot in query["retrieved"] or ()}
    gold = {chunk for query in queries for chunk in query["gold"] or ()}
    assert retrieved <= chunks.keys()
    assert gold - chunks.keys() == LOST_GOLD


def test_every_gold_chunk_says_who_found_it() -> None:
    for query in run(CURRENT).queries.values():
        assert set(query.get("gold_from", {})) == set(query["gold"] or ()), query["id"]


@pytest.mark.parametrize("key", RUNS)
def test_spans_are_exact_in_code_points_and_follow_each_other(key: str) -> None:
    for query in run(key).queries.values():
        at = 0
        for claim in query["claims"] or ():
            start, end = claim["span"]
            assert query["answer"][start:end] == claim["text"], query["id"]
            assert start >= at, query["id"]
            at = end


def test_some_claim_stands_behind_a_character_outside_the_basic_plane() -> None:
    query = run(CURRENT).queries["hc-074"]
    start = query["claims"][0]["span"][0]
    assert any(ord(char) > 0xFFFF for char in query["answer"][:start])


@pytest.mark.parametrize("key", RUNS)
def test_answers_are_free_of_marks_of_the_sources(key: str) -> None:
    assert not [query["id"] for query in run(key).queries.values() if "](" in (query["answer"] or "")]


@pytest.mark.parametrize("key", RUNS)
def test_verdicts_are_about_chunks_of_the_context(key: str) -> None:
    for query in run(key).queries.values():
        for claim in query["claims"] or ():
            judged = {verdict["chunk"] for verdict in claim["verdicts"]}
            assert judged, query["id"]
            assert judged <= {*(context_of(query) or ()), None}, query["id"]


@pytest.mark.parametrize("key", RUNS)
def test_context_tokens_are_the_sum_over_the_context(key: str) -> None:
    chunks = run(key).chunks
    for query in run(key).queries.values():
        if query["answer"] is not None:
            assert query["context_tokens"] == sum(chunks[chunk]["tokens"] for chunk in context_of(query) or ())


@pytest.mark.parametrize("key", [CURRENT, PREVIOUS])
def test_the_context_is_the_first_k_of_twenty_candidates(key: str) -> None:
    k = run(key).head["config"]["k"]
    for query in run(key).queries.values():
        assert [slot["in_context"] for slot in query["retrieved"]] == [True] * k + [False] * (20 - k), query["id"]
        assert len({slot["id"] for slot in query["retrieved"]}) == 20, query["id"]


def test_only_the_run_with_a_reranker_says_how_it_fared() -> None:
    states = {key: {query.get("reranker") for query in run(key).queries.values()} for key in RUNS}
    assert states == {CURRENT: {"ok", "timeout"}, PREVIOUS: {"off"}, GOLD_ONLY: {"off", None}}


def test_tokens_per_chunk_agree_across_arms_within_ten_percent() -> None:
    means = []
    for key in RUNS:
        queries = [query for query in run(key).queries.values() if context_of(query)]
        means.append(sum(query["context_tokens"] / len(context_of(query) or ()) for query in queries) / len(queries))
    assert max(means) / min(means) < 1.1


def test_the_three_runs_pair_by_id_and_question() -> None:
    asked = [{key: query["question"] for key, query in run(name).queries.items()} for name in RUNS]
    assert asked[0] == asked[1] == asked[2]
    assert {run(name).head["evaluation_set"]["name"] for name in RUNS} == {"tallyrook-help"}
    assert len({run(name).head["name"] for name in RUNS}) == 3


@pytest.mark.parametrize("key", RUNS)
def test_the_machine_files_every_failing_query_as_planned(key: str) -> None:
    planned = load_planned()[key]
    assert {query: str(found.label) for query, found in classified(key).items()} == {
        query: plan["machine"] for query, plan in planned.items()
    }


def test_the_current_release_has_all_four_classes_unscored_and_undecided() -> None:
    counts = Counter(str(found.label) for found in classified(CURRENT).values())
    assert counts == {
        "retrieval_miss": 5,
        "unsupported_claims": 13,
        "grounded_wrong_question": 9,
        "still_wrong": 9,
        "unscored": 2,
    }
    assert {str(found.would_be) for found in classified(CURRENT).values() if found.label == "unscored"} == {
        "unsupported_claims",
        "grounded_wrong_question",
    }
    assert {verdict: len(ids) for verdict, ids in ids_by_verdict(CURRENT).items()} == {True: 54, False: 38, None: 2}


def test_between_the_releases_some_are_fixed_some_are_new_and_most_persist() -> None:
    before, now = ids_by_verdict(PREVIOUS)[False], ids_by_verdict(CURRENT)[False]
    assert (len(before - now), len(now - before), len(now & before)) == (9, 6, 32)


def test_with_the_gold_alone_buried_evidence_is_read() -> None:
    right = ids_by_verdict(GOLD_ONLY)[True]
    plans = load_planned()[CURRENT].items()
    assert {query for query, plan in plans if plan["sub_cause"] == "buried_evidence"} <= right
    assert len(right & ids_by_verdict(CURRENT)[False]) >= 25


def test_one_in_ten_questions_has_no_answer_in_the_documentation() -> None:
    unanswerable = [query for query in run(CURRENT).queries.values() if not query["answerable"]]
    assert len(unanswerable) == 10
    assert all(query["gold"] == [] for query in unanswerable)


def test_some_answers_come_without_claims_and_some_without_a_relevance_score() -> None:
    answered = [query for query in run(CURRENT).queries.values() if not facts_of(CURRENT, query).abstained]
    assert sum(query["claims"] is None for query in answered) >= 4
    assert sum("scores" not in query for query in answered) >= 3


def test_citations_include_a_fabricated_and_a_whole_document_one() -> None:
    documents = {chunk["document"] for chunk in run(CURRENT).chunks.values()}
    odd = {
        name
        for query in run(CURRENT).queries.values()
        for claim in query["claims"] or ()
        for name in claim["cites"]
        if name not in (context_of(query) or ())
    }
    assert odd == {"plans-2026-9", "privacy"}
    assert odd & documents == {"privacy"}


def test_nobody_has_reviewed_anything_yet() -> None:
    for key in RUNS:
        assert not [query["id"] for query in run(key).queries.values() if query.keys() & {"human", "human_scores"}]
