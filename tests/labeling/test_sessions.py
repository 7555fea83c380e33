"""Sessions: what a draw stores, whom it is for, how it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from labeling.models import GoldChallenge, Outcome, ReviewSession, Verdict
from labeling.settle import settle_queries
from labeling.worklist import Filter, Wish, default_session, make_session, overview, session_lines, take
from tests.factories import make_claim, make_judge, make_member, make_query, make_run
from tests.labeling.screens import client_of, make_case, make_desk
from triage.core.filters import QueryFilter
from triage.models import Query, Role, Run, Score, Suggestion
from triage.pages.queries import queries_page

pytestmark = pytest.mark.django_db


def filed_run(**labels: int) -> Run:
    """Return a run with this many failing queries filed under each label, mixed, and four passing ones."""
    run = make_run()
    kinds = [label for label, number in labels.items() for _ in range(number)]
    for place in range(len(kinds)):
        label = kinds[(place * 7) % len(kinds)] if len(kinds) % 7 else kinds[place]
        query = make_query(run, slices={"topic": "billing" if place % 2 else "login"})
        would_be = "still_wrong" if label == "unscored" else ""
        Suggestion.objects.create(
            query=query, label=label, would_be=would_be, near=place == 0, basis="b", policy_fingerprint="p"
        )
    for _ in range(4):
        make_query(run, correct=True)
    return run


def decided(query: Query, label: str) -> None:
    """Let people have decided on a query."""
    Outcome.objects.create(query=query, state="final", label=label, verdicts=1)


class TestDraw:
    """What make_session writes."""

    def test_a_random_sample_stores_frame_strata_sizes_and_inclusion(self) -> None:
        run = filed_run(retrieval_miss=12, still_wrong=6, unscored=2)
        session = make_session(run, None, Wish(name="Sample", n=10), seed="s")
        assert session.drawn == "random"
        assert session.strata == {"retrieval_miss": 12, "still_wrong": 8}
        assert session.frame["filter"] == {}
        assert session.frame["seed"] == "s"
        items = list(session.items.order_by("position"))
        assert [item.position for item in items] == list(range(1, 11))
        drawn = Counter(item.stratum for item in items)
        for item in items:
            assert item.inclusion == drawn[item.stratum] / session.strata[item.stratum]
        assert session.leases.count() == 10

    def test_the_same_seed_draws_the_same_and_another_seed_others(self) -> None:
        run = filed_run(retrieval_miss=40)
        first, again, other = (make_session(run, None, Wish(name="S", n=10), seed=seed) for seed in ("a", "a", "b"))
        queries = [
            list(one.items.order_by("position").values_list("query", flat=True)) for one in (first, again, other)
        ]
        assert queries[0] == queries[1] != queries[2]

    def test_what_was_decided_before_the_draw_is_take_all_and_not_drawn(self) -> None:
        run = filed_run(retrieval_miss=8)
        known = run.queries.filter(correct=False).first()
        assert known is not None
        decided(known, "retrieval_miss")
        session = make_session(run, None, Wish(name="S", n=100))
        assert session.frame["take_all"] == [known.pk]
        assert session.strata == {"retrieval_miss": 7}
        assert not session.items.filter(query=known).exists()

    def test_the_narrowing_sample_reads_at_least_five_of_each_class(self) -> None:
        run = filed_run(retrieval_miss=30, still_wrong=10)
        session = make_session(run, None, Wish(name="S", how="narrowing", n=16))
        drawn = Counter(session.items.values_list("stratum", flat=True))
        assert sum(drawn.values()) == 16
        assert min(drawn.values()) >= 5

    def test_a_filter_is_stored_and_speaks_only_for_itself(self) -> None:
        run = filed_run(retrieval_miss=3, still_wrong=5)
        session = make_session(run, None, Wish(name="S", how="all", filter=Filter(labels=("still_wrong",))))
        assert session.frame["filter"] == {"labels": ["still_wrong"]}
        assert session.strata == {"still_wrong": 5}

    def test_overlap_is_seats_and_the_blind_share_is_by_lot(self) -> None:
        run = filed_run(retrieval_miss=60)
        session = make_session(run, None, Wish(name="S", how="all", overlap=2, blind_share=0.5), seed="x")
        assert session.leases.count() == 120
        assert 15 < session.items.filter(blind=True).count() < 45

    def test_all_in_file_order_keeps_the_file_order(self) -> None:
        run = filed_run(retrieval_miss=9)
        session = make_session(run, None, Wish(name="S", how="all", in_file_order=True))
        places = list(session.items.order_by("position").values_list("query__position", flat=True))
        assert places == sorted(places)

    def test_passing_queries_can_be_drawn_to_find_missed_failures(self) -> None:
        session = make_session(filed_run(retrieval_miss=2), None, Wish(name="S", population="passing", n=3))
        assert session.strata == {"passing": 4}
        assert set(session.items.values_list("query__correct", flat=True)) == {True}

    @pytest.mark.parametrize(
        ("narrowed", "number"),
        [
            (Filter(near=True), 1),
            (Filter(text="Question 2?"), 1),
            (Filter(text="q3"), 1),
            (Filter(slice_name="topic", slice_value="billing"), 4),
            (Filter(slice_name="topic", slice_value="nowhere"), 0),
            (Filter(challenged=True), 1),
            (Filter(disagree=True), 1),
            (Filter(labels=("retrieval_miss",), near=True, text="no such words"), 0),
        ],
    )
    def test_each_filter_narrows(self, narrowed: Filter, number: int) -> None:
        run = filed_run(retrieval_miss=8)
        first, second, *_ = run.queries.filter(correct=False).order_by("position")
        GoldChallenge.objects.create(query=first, kind="wrong_chunk")
        claim = make_claim(second)
        for name, value in (("one", 0.9), ("two", 0.1)):
            Score.objects.create(judge=make_judge(name), query=second, claim=claim, value=value)
        Score.objects.create(judge=make_judge("three"), query=first, claim=make_claim(first), value=0.9)
        assert make_session(run, None, Wish(name="S", how="all", filter=narrowed)).items.count() == number

    @pytest.mark.parametrize(
        "text",
        [
            "invoices",
            "voices",
            "Invoice settings",
            "pay ing",
            "b-1",
            "1",
            "2",
            "請求",
            "12.5 %",
            "%",
            "' | settings",
            "½",
            "q2",
        ],
    )
    @pytest.mark.parametrize("slice_key", ["", "topic"])
    def test_a_session_of_words_holds_exactly_what_the_list_shows(self, text: str, slice_key: str) -> None:
        run = make_run()
        told = (
            ("b-1", "Where are my INVOICES?", "In the settings."),
            ("b-2", "請求書はどこですか。", "Paying is off; 12.5 % VAT."),
            ("q2", "Why is paying off?", None),
            ("q3", "Is paying invoiced?", "½ of it."),
        )
        for place, (key, question, answer) in enumerate(told):
            make_query(run, key=key, question=question, answer=answer, slices={"topic": "even" if place % 2 else "odd"})
        wanted = QueryFilter(outcome="failing", text=text, slice_key=slice_key, slice_value=slice_key and "odd")
        listed = [line.key for line in queries_page(run, wanted).lines]
        narrowed = Filter(text=text, slice_name=slice_key, slice_value=slice_key and "odd")
        session = make_session(run, None, Wish(name="S", how="all", in_file_order=True, filter=narrowed))
        assert list(session.items.order_by("position").values_list("query__key", flat=True)) == listed
        if not slice_key:
            found = {"invoices": ["b-1"], "voices": [], "1": ["b-1", "b-2"], "請求": ["b-2"], "12.5 %": ["b-2"]}
            assert listed == found.get(text, listed)


class TestOverview:
    """How a session stands."""

    def test_wanted_given_and_shares_are_counted_from_the_rows(self) -> None:
        desk = make_desk(items=3)
        desk.save(label="retrieval_miss")
        desk.save()
        desk.save(2, label="still_wrong")
        page = overview(desk.session)
        assert (page.line.wanted, page.line.given) == (3, 2)
        share = page.shares[0]
        assert (share.name, share.done, share.compared, share.agreed) == (desk.reviewer.username, 2, 2, 1)
        assert share.median_ms is not None

    def test_who_is_at_which_item_is_seen_and_the_time_left_follows_their_pace(self) -> None:
        desk = make_desk(items=3)
        desk.save(label="retrieval_miss")
        Verdict.objects.update(seconds=30)
        take(desk.session, desk.reviewer.pk)
        page = overview(desk.session)
        assert page.shares[0].at_position == 2
        assert page.left_ms == 60_000

    def test_the_list_costs_the_same_statements_however_many_sessions(
        self, django_assert_num_queries: Callable[..., Any]
    ) -> None:
        run = filed_run(retrieval_miss=3)
        for number in (1, 5):
            for _ in range(number):
                make_session(run, None, Wish(name="S", how="all"))
            with django_assert_num_queries(1):
                session_lines(run.project)


class TestPages:
    """Over HTTP."""

    @pytest.fixture
    def run(self) -> Run:
        return filed_run(retrieval_miss=6, still_wrong=4)

    @pytest.fixture
    def lead(self, run: Run) -> User:
        return make_member(run.project, Role.LEAD)

    @pytest.fixture
    def client(self, lead: User) -> Client:
        return client_of(lead)

    def said(self, **more: object) -> dict[str, object]:
        return {
            "name": "Spring",
            "population": "failing",
            "how": "random",
            "n": 5,
            "overlap": 2,
            "blind_percent": 100,
        } | more

    def test_a_lead_draws_a_session_and_sees_it(self, run: Run, client: Client, lead: User) -> None:
        other = make_member(run.project, Role.REVIEWER)
        said = self.said(reviewers=[str(other.pk)], due_at="2027-01-31", guidelines="Read the plan first.")
        response = client.post(f"/runs/{run.key}/sessions/new/", said)
        session = ReviewSession.objects.get()
        assert response["Location"] == f"/sessions/{session.key}/"
        assert (session.overlap, session.created_by, list(session.reviewers.all())) == (2, lead, [other])
        page = client.get(f"/sessions/{session.key}/").content.decode()
        assert "Random sample of failing queries" in page
        assert "yes: drawn at random, no filter" in page
        assert "Read the plan first." in page
        listed = client.get(f"/p/{run.project.slug}/sessions/").content.decode()
        assert "Spring" in listed
        assert "0 of 10" in listed

    def test_a_wrong_form_is_shown_again_with_what_is_wrong(self, run: Run, client: Client) -> None:
        response = client.post(f"/runs/{run.key}/sessions/new/", self.said(n=0, of_slice="nope=1"))
        assert response.status_code == 422
        assert not ReviewSession.objects.exists()

    def test_a_reviewer_makes_none_and_sees_only_their_own_part(self, run: Run) -> None:
        desk = make_desk(items=2, run=run)
        desk.save(label="still_wrong")
        second = client_of(make_member(run.project, Role.REVIEWER))
        assert second.get(f"/runs/{run.key}/sessions/new/").status_code == 403
        assert second.post(f"/sessions/{desk.session.key}/close/").status_code == 403
        page = second.get(f"/sessions/{desk.session.key}/").content.decode()
        assert "Your part" in page
        assert f'dir="auto">{desk.reviewer.username}<' not in page
        own = desk.client.get(f"/sessions/{desk.session.key}/").content.decode()
        assert f'dir="auto">{desk.reviewer.username}<' in own

    def test_a_stranger_finds_nothing(self, run: Run) -> None:
        session = default_session(run)
        stranger = client_of(make_member(make_run().project))
        for url in (f"/p/{run.project.slug}/sessions/", f"/sessions/{session.key}/", f"/runs/{run.key}/sessions/new/"):
            assert stranger.get(url).status_code == 404

    def test_a_closed_session_hands_out_nothing_and_can_be_opened_again(self, run: Run, client: Client) -> None:
        session = default_session(run)
        client.post(f"/sessions/{session.key}/close/")
        assert "This session is closed" in client.get(f"/sessions/{session.key}/review/").content.decode()
        client.post(f"/sessions/{session.key}/close/")
        assert client.get(f"/sessions/{session.key}/review/").status_code == 302

    def test_P44_the_review_page_of_a_filtered_session_does_not_name_its_filter(self, run: Run) -> None:
        wish = Wish(name="Spring", how="all", filter=Filter(labels=("retrieval_miss",), text="Question"))
        session = make_session(run, None, wish)
        client = client_of(make_member(run.project, Role.REVIEWER))
        page = client.get(f"/sessions/{session.key}/review/", follow=True).content.decode()
        assert "filter" not in page.lower().replace("filtered out", "")


def test_P52_verdicts_that_came_with_a_file_count_in_the_outcome() -> None:
    run = filed_run(retrieval_miss=1)
    query = run.queries.filter(correct=False).get()
    Verdict.objects.create(
        query=query, imported_reviewer="ann", label="still_wrong", stage="imported", blind=True, idempotency_key=uuid4()
    )
    settle_queries([query.pk])
    assert Outcome.objects.get(query=query).label == "still_wrong"


def test_fifty_answers_without_gold_or_judge_give_the_share_with_an_unsupported_claim() -> None:
    run = make_run()
    for _ in range(50):
        make_case(run, correct=None, gold=None, claims=2)
    desk = make_desk(items=0, run=run)
    assert desk.session.population == "undecided"
    for position in range(1, 21):
        form = desk.form(position)
        claims = sorted(name.removeprefix("evidence-") for name in form if name.startswith("evidence-"))
        marks = {
            f"claim-{claims[0]}": "supported",
            f"claim-{claims[1]}": "unsupported" if position <= 5 else "supported",
        }
        label = "unsupported_claims" if position <= 5 else "not_a_failure"
        desk.send({**form, **marks, "label": label}, position)
    found = overview(desk.session).unsupported
    assert (found.count, found.n) == (5, 20)
    assert found.low is not None
    assert found.high is not None
    assert found.low == pytest.approx(0.112, abs=0.001)
    assert found.high == pytest.approx(0.469, abs=0.001)
    page = desk.client.get(f"/sessions/{desk.session.key}/").content.decode()
    assert "25.0" in page
