"""Claims cut anew: new rows, old ones kept with their verdicts, spans where the words stand in the answer."""

from __future__ import annotations

import pytest
from django.utils import timezone

from labeling.models import ClaimVerdict
from labeling.review import InvalidError, recut
from tests.factories import make_member, make_query, make_run
from tests.labeling.screens import Desk, client_of, make_case, make_desk
from triage.models import Citation, Claim, Query, Scoring

pytestmark = pytest.mark.django_db


@pytest.fixture
def query() -> Query:
    """A query with three claims: 'The limit is 14 days.', 'Files come back.', 'Keys return.'"""
    return make_case(make_run())


def now(query: Query) -> list[Claim]:
    return list(Claim.objects.filter(query=query, is_current=True).order_by("position", "pk"))


def as_is(query: Query, **changes: str) -> dict[int, str]:
    """Return the claims as they are, with the texts of some (first, second, third) changed."""
    names = ("first", "second", "third")
    return {claim.pk: changes.get(name, claim.text) for name, claim in zip(names, now(query), strict=True)}


def test_left_alone_nothing_changes(query: Query) -> None:
    before = now(query)
    assert recut(query, as_is(query)) == 0
    assert now(query) == before


def test_a_blank_line_splits_and_the_pieces_stand_at_the_old_place(query: Query) -> None:
    first, *others = now(query)
    Citation.objects.create(claim=first, position=1, cited="doc", whole_document=True)
    recut(query, as_is(query, first="The limit\r\n\r\nis 14 days."))
    claims = now(query)
    assert [claim.text for claim in claims] == ["The limit", "is 14 days.", *[other.text for other in others]]
    assert claims[2:] == others
    answer = query.answer or ""
    assert [answer[claim.span_start : claim.span_end] for claim in claims[:2]] == ["The limit", "is 14 days."]
    assert {claim.source for claim in claims[:2]} == {"person"}
    assert [claim.citations.get().cited for claim in claims[:2]] == ["doc", "doc"]
    first.refresh_from_db()
    assert not first.is_current
    assert list(first.replaced_by.order_by("pk")) == claims[:2]


def test_an_empty_box_merges_into_the_claim_before(query: Query) -> None:
    recut(query, as_is(query, second=" "))
    assert [claim.text for claim in now(query)] == ["The limit is 14 days. Files come back.", "Keys return."]
    merged = now(query)[0]
    assert (query.answer or "")[merged.span_start : merged.span_end] == merged.text


def test_other_words_edit_and_have_no_span_where_they_do_not_stand_in_the_answer(query: Query) -> None:
    recut(query, as_is(query, third="API keys return."))
    edited = now(query)[-1]
    assert (edited.text, edited.span_start) == ("API keys return.", None)


def test_only_the_verdicts_of_the_claim_that_was_cut_are_touched(query: Query) -> None:
    for claim in now(query):
        ClaimVerdict.objects.create(claim=claim, imported_reviewer="ann", label="supported", blind=True)
    recut(query, as_is(query, first="The limit\n\nis 14 days."))
    assert ClaimVerdict.objects.filter(claim__is_current=True).count() == 2
    assert ClaimVerdict.objects.count() == 3


def test_the_query_wants_scores_again_only_when_something_changed(query: Query) -> None:
    Scoring.objects.create(query=query, panel="p", done_at=timezone.now(), attempts=2)
    recut(query, as_is(query))
    assert Scoring.objects.get().done_at is not None
    recut(query, as_is(query, first="The limit\n\nis 14 days."))
    assert (Scoring.objects.get().done_at, Scoring.objects.get().attempts) == (None, 0)


def test_F49_claims_that_somebody_else_cut_meanwhile_are_not_cut_again(query: Query) -> None:
    old = as_is(query)
    recut(query, as_is(query, first="The limit\n\nis 14 days."))
    with pytest.raises(InvalidError):
        recut(query, old)


def test_the_first_claim_has_none_before_it(query: Query) -> None:
    with pytest.raises(InvalidError):
        recut(query, as_is(query, first=""))


class TestPage:
    """Over HTTP."""

    @pytest.fixture
    def desk(self) -> Desk:
        return make_desk(items=1)

    def test_a_reviewer_cuts_and_is_back_at_the_item_with_the_new_claims(self, desk: Desk) -> None:
        url = desk.url(1, "claims/")
        assert "Keys return." in desk.client.get(url).content.decode()
        query = desk.run.queries.get()
        said = {f"claim-{pk}": text for pk, text in as_is(query, first="The limit\n\nis 14 days.").items()}
        assert desk.client.post(url, said)["Location"] == desk.url(1)
        assert "4 claims" in desk.client.get(desk.url(1)).content.decode()

    def test_F49_marks_on_a_claim_that_was_cut_meanwhile_are_refused_with_a_sentence(self, desk: Desk) -> None:
        form, query = desk.form(), desk.run.queries.get()
        claim = now(query)[0]
        recut(query, as_is(query, first="The limit\n\nis 14 days."))
        response = desk.send({**form, "label": "unsupported_claims", f"claim-{claim.pk}": "unsupported"})
        assert response.status_code == 400
        assert "A claim was changed since this page was opened" in response.content.decode()

    def test_a_stranger_finds_nothing(self, desk: Desk) -> None:
        assert client_of(make_member(make_run().project)).get(desk.url(1, "claims/")).status_code == 404

    def test_an_answer_without_claims_says_so(self) -> None:
        run = make_run()
        make_query(run)
        desk = make_desk(items=0, run=run)
        assert "No claims in this answer." in desk.client.get(desk.url(1, "claims/")).content.decode()
