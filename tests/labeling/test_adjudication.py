"""What people could not agree on, and the word that ends it."""

from __future__ import annotations

from uuid import uuid4

import pytest

from labeling.models import Outcome, Verdict
from labeling.review import InvalidError, Ruling, adjudicate, disputed
from labeling.settle import settle_queries
from tests.factories import make_member, make_query, make_run, make_user
from tests.labeling.screens import client_of
from triage.models import Query, Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def query() -> Query:
    """A query on which two people disagree."""
    run = make_run()
    query = make_query(run, question="Is it so?")
    for name, label in (("ann", "still_wrong"), ("ben", "retrieval_miss")):
        Verdict.objects.create(
            query=query,
            imported_reviewer=name,
            label=label,
            note=f"{name} thinks so",
            stage="imported",
            blind=True,
            idempotency_key=uuid4(),
        )
    settle_queries([query.pk])
    return query


def ruling(**fields: str) -> Ruling:
    return Ruling(**{"label": "still_wrong", "sub_cause": "", "reason": "read twice", "key": uuid4(), **fields})  # type: ignore[arg-type]


def test_a_ruling_is_final_at_once_and_leaves_the_verdicts_as_they_are(query: Query) -> None:
    assert disputed(query.run) == [query]
    adjudicate(query, make_user(), ruling())
    assert disputed(query.run) == []
    outcome = Outcome.objects.get(query=query)
    assert (outcome.state, outcome.label) == ("final", "still_wrong")
    assert Verdict.objects.filter(stage="imported", is_current=True).count() == 2


def test_a_second_ruling_replaces_the_first_which_stays_as_history(query: Query) -> None:
    adjudicate(query, make_user(), ruling())
    adjudicate(query, make_user(), ruling(label="not_a_failure"))
    assert Outcome.objects.get(query=query).label == "not_a_failure"
    rows = Verdict.objects.filter(stage="adjudicated").order_by("pk")
    assert [row.is_current for row in rows] == [False, True]


def test_the_same_ruling_twice_is_one(query: Query) -> None:
    same = ruling()
    assert adjudicate(query, make_user(), same) == adjudicate(query, make_user(), same)


@pytest.mark.parametrize("wrong", [{"label": "retr"}, {"sub_cause": "unreachable"}, {"reason": ""}])
def test_a_ruling_needs_a_label_of_the_codebook_and_a_reason(query: Query, wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidError):
        adjudicate(query, make_user(), ruling(**wrong))
    assert not Verdict.objects.filter(stage="adjudicated").exists()


class TestPages:
    """Over HTTP."""

    def test_a_lead_finds_it_reads_both_without_names_and_decides(self, query: Query) -> None:
        client = client_of(make_member(query.run.project, Role.LEAD))
        url = f"/runs/{query.run.key}/adjudication/"
        assert "1 to decide" in client.get(url).content.decode()
        page = client.get(f"{url}{query.position}/").content.decode()
        assert "Reviewer A" in page
        assert ">ann<" not in page
        assert ">ann<" in client.get(f"{url}{query.position}/?names=1").content.decode()
        said = {
            "key": str(uuid4()),
            "label": "still_wrong",
            "sub_cause": "still_wrong/wrong_gold",
            "reason": "see slot 2",
        }
        response = client.post(f"{url}{query.position}/", said)
        assert response["Location"] == url
        verdict = Verdict.objects.get(stage="adjudicated")
        assert (verdict.sub_cause, verdict.note) == ("wrong_gold", "see slot 2")

    def test_a_sub_cause_of_another_label_is_refused_and_the_reason_stays(self, query: Query) -> None:
        client = client_of(make_member(query.run.project, Role.LEAD))
        said = {"key": str(uuid4()), "label": "retrieval_miss", "sub_cause": "still_wrong/wrong_gold", "reason": "kept"}
        response = client.post(f"/runs/{query.run.key}/adjudication/{query.position}/", said)
        assert response.status_code == 422
        assert "kept</textarea>" in response.content.decode()

    def test_a_reviewer_may_not_and_a_stranger_finds_nothing(self, query: Query) -> None:
        url = f"/runs/{query.run.key}/adjudication/"
        assert client_of(make_member(query.run.project, Role.REVIEWER)).get(url).status_code == 403
        assert client_of(make_member(make_run().project)).get(url).status_code == 404
