"""TREC runs and judgements: the order is trec_eval's own, ties included."""

from __future__ import annotations

import pytest

from tests.triage.formats.reading import FILES, ids, read, read_file, refused
from triage.core.limits import Limits

RUN = "1 Q0 a 1 2.0 bm25\n1 Q0 b 2 1.0 bm25\n2 Q0 c 1 5 bm25\n"
QRELS = "1 0 a 1\n1 0 x 2\n1 0 b 0\n3 0 y 1\n"


def test_documents_stand_in_the_order_trec_eval_gives_them_ties_included() -> None:
    """The order was told by pytrec_eval 0.5.11: with one document relevant, 1 / recip_rank is its place."""
    found = read_file("run.trec")
    assert (found.format, found.errors) == ("trec", [])
    assert {query.id: ids(query.retrieved) for query in found.queries} == {
        "1": ["d2", "d10", "d1", "D2"],
        "2": ["c", "b", "a"],
        "3": ["y", "x", "z"],
        "4": ["é", "z", "a"],
    }
    assert found.notices["trec_order"].count == 3
    assert found.run.pipeline == "house-bm25"


def test_judgements_alone_give_gold_and_say_nothing_of_retrieval() -> None:
    found = read_file("qrels.txt")
    assert {query.id: query.gold for query in found.queries}["3"] == ["z", "nope"]
    assert all(query.retrieved is None for query in found.queries)


def test_judgements_and_run_in_one_file_are_joined_by_topic() -> None:
    found = read(QRELS + RUN)
    assert {query.id: (query.gold, query.retrieved and ids(query.retrieved)) for query in found.queries} == {
        "1": (["a", "x"], ["a", "b"]),
        "2": (None, ["c"]),
        "3": (["y"], []),
    }
    assert found.notices["retrieved_nothing"].examples == ("3",)


def test_the_fixture_files_put_together_are_one_run() -> None:
    both = (FILES / "qrels.txt").read_bytes() + (FILES / "run.trec").read_bytes()
    assert [query.gold for query in read(both).queries] == [["d2"], ["a"], ["z", "nope"], ["a"], ["q"]]


def test_judgements_behind_the_run_are_refused_with_the_way_to_put_them() -> None:
    assert "cat qrels.txt run.txt" in refused(RUN + QRELS).remedy


def test_a_topic_judged_without_a_relevant_document_is_known_to_have_none() -> None:
    found = read("1 0 a 0\n" + RUN)
    assert found.queries[0].gold is None
    assert found.notices["empty_gold"].examples == ("1",)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("1 Q0 c 3 nan bm25", "score"),
        ("1 Q0 c 3 1,5 bm25", "score"),
        ("1 Q0 c 3 1_5 bm25", "score"),
        ("1 Q0 c third 1 bm25", "rank"),
        ("1 Q0 c 3 1 other", "tag"),
        ("1 Q0 c", "(whole line)"),
    ],
)
def test_a_line_that_cannot_be_read_is_left_out_and_named(line: str, field: str) -> None:
    lines = RUN.splitlines()
    found = read("\n".join([*lines[:2], line, lines[2]]) + "\n")
    assert (found.error.line, found.error.field, len(found.queries)) == (3, field, 2)


def test_P39_a_topic_that_comes_back_is_an_error_and_never_counted_twice() -> None:
    found = read(RUN + "1 Q0 d 3 0.5 bm25\n")
    assert (found.error.line, found.error.field) == (4, "topic")
    assert [query.id for query in found.queries] == ["1", "2"]


def test_a_document_ranked_twice_is_noticed() -> None:
    assert "duplicate_chunk" in read("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n").notices


def test_a_run_whose_rank_is_always_0_is_ordered_by_score() -> None:
    found = read("1 Q0 a 0 1.0 beir\n1 Q0 b 0 3.0 beir\n")
    assert ids(found.query.retrieved) == ["b", "a"]


def test_more_documents_than_the_limit_are_an_error_of_their_topic() -> None:
    run = "".join(f"1 Q0 d{n} {n} {-n} t\n" for n in range(30)) + "2 Q0 a 1 1 t\n"
    found = read(run, limits=Limits(chunks=10))
    assert (found.error.field, found.error.line, [query.id for query in found.queries]) == ("retrieved", 1, ["2"])


def test_tabs_comments_and_windows_line_ends_are_read() -> None:
    found = read("# made by hand\r\n1\tQ0\ta\t1\t2.0\tbm25\r\n", "trec")
    assert ids(found.query.retrieved) == ["a"]
