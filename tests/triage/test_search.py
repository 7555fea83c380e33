"""A search for words: what it finds, what it does not, and that an index of the run answers it."""

from __future__ import annotations

import pytest
from django.db import connection

from tests.factories import digest, make_judge, make_project, make_query, make_run
from triage.core.filters import QueryFilter
from triage.models import Judge, Query, Run, Score
from triage.models.search import says
from triage.pages import queries as pages
from triage.pages.queries import queries_page

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    run = make_run(make_project())
    texts = (
        ("billing-0017", "How do I change the e-mail of my INVOICES?", "Open Settings/Billing & press Übernehmen."),
        ("b/2", "請求書はどこですか。", "設定にあります。"),
        ("b3", "Is 12.5 % VAT included?", None),
        ("b4", "", "word " * 30_000 + "needle"),
    )  # fmt: skip
    for key, question, answer in texts:
        make_query(run, key=key, question=question, answer=answer)
    make_query(make_run(run.project), key="billing-0017", question="Invoices elsewhere", answer="")
    return run


def found(run: Run, text: str) -> list[str]:
    return [line.key for line in queries_page(run, QueryFilter(text=text)).lines]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("invoices", ["billing-0017"]),
        ("Invoice", ["billing-0017"]),
        ("voices", []),
        ("settings change", ["billing-0017"]),
        ("change nothing", []),
        ("übern", ["billing-0017"]),
        ("e-mail", ["billing-0017"]),
        ("billing-0017", ["billing-0017"]),
        ("17", []),
        ("0017", ["billing-0017"]),
        ("12.5", ["b3"]),
        ("%", ["b3"]),
        ("b/2", ["b/2"]),
        ("書は", ["b/2"]),
        ("あり", ["b/2"]),
        ("needle", []),
        ("word", ["b4"]),
        ("!", []),
        ("' | invoices", ["billing-0017"]),
        ("½", []),
    ],
)
def test_words_are_found_by_their_beginnings_in_their_run_alone(run: Run, text: str, keys: list[str]) -> None:
    assert found(run, text) == keys


def test_the_run_itself_is_no_word_anybody_can_search() -> None:
    run = make_run(make_project(), pk=987_654_321)
    make_query(run, question="How do I change it?")
    assert found(run, "change") != []
    assert found(run, f"!{run.pk}") == []


def test_an_index_answers(run: Run) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    assert "words_without_signs" in Query.objects.filter(says("invoices", run.pk)).explain()


def test_an_index_answers_for_a_slice(run: Run) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    assert "slices_of_queries" in Query.objects.filter(slices__contains={"topic": "billing"}).explain()


def test_a_common_word_is_counted_so_far_and_the_page_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST_COUNTED", 2)
    for _ in range(2):
        make_query(run, question="The same word twice")
    assert queries_page(run, QueryFilter(text="same")).title == "2 queries"
    make_query(run, question="The same word again")
    many = queries_page(run, QueryFilter(text="same"))
    assert (many.found, many.title, len(many.lines)) == (None, "More than 2 queries", 3)
    assert queries_page(run, QueryFilter()).title == "7 queries", "without words every query is counted"


def test_the_judges_of_a_run_are_those_who_spoke_in_it(run: Run) -> None:
    spoke, silent, elsewhere = (make_judge(name=name) for name in ("spoke", "silent", "elsewhere"))
    other = make_run(make_project())
    Score.objects.create(judge=spoke, query=run.queries.first(), value=0.5)
    Score.objects.create(judge=elsewhere, query=make_query(other), value=0.5)
    assert list(Judge.objects.in_run(run)) == [spoke]
    assert list(Judge.objects.of_project(run.project)) == [spoke]
    assert Judge.objects.in_use(run.project) == [spoke]
    assert not Judge.objects.in_run(make_run(run.project)).exists()
    assert silent not in Judge.objects.of_project(other.project)


def test_no_pass_over_all_scores_tells_who_spoke(run: Run) -> None:
    """With counts of its own: a plan over a handful of rows changes with what other tests left in the statistics."""
    judges = [make_judge(name=f"judge {number}") for number in range(4)]
    for many in (run, make_run(run.project)):
        queries = Query.objects.bulk_create(
            Query(run=many, position=place, key=f"many-{place}", key_hash=digest(f"many-{place}"), question="?")
            for place in range(1_000, 1_500)
        )
        Score.objects.bulk_create(
            Score(judge=judge, query=query, value=0.5) for query in queries for judge in judges[many == run :]
        )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE triage_run, triage_query, triage_judge, triage_score")
    assert "Seq Scan on triage_score" not in Judge.objects.in_run(run).explain()
    assert list(Judge.objects.in_run(run)) == judges[:0:-1]
