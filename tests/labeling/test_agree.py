"""Agreement: which words count, what is stored, what the page says."""

from __future__ import annotations

from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command

from labeling.agree import agree, agreement_items, agreement_page
from labeling.agree.anchoring import anchoring
from labeling.models import AgreementReport, ClaimVerdict, Verdict
from tests.factories import make_claim, make_member, make_query, make_run
from tests.labeling.screens import client_of
from triage.models import Role, Run

pytestmark = pytest.mark.django_db


def say(run: Run, position: int, person: str, label: str, **fields: object) -> None:
    """Let an imported person say a label of a query."""
    query = run.queries.get(position=position)
    fields = {"stage": "imported", "blind": True, **fields}
    Verdict.objects.create(query=query, imported_reviewer=person, label=label, idempotency_key=uuid4(), **fields)


@pytest.fixture
def run() -> Run:
    """Ten queries read by A, six of them by B, who agrees on five."""
    run = make_run()
    for position in range(1, 11):
        make_query(run)
        label = "retrieval_miss" if position % 2 else "still_wrong"
        say(run, position, "A", label, suggested="retrieval_miss")
        if position <= 6:
            say(run, position, "B", "not_a_failure" if position == 6 else label, suggested="retrieval_miss")
    return run


def test_P58_agreement_is_over_the_shared_items_and_the_single_ones_are_counted_apart(run: Run) -> None:
    told = agree(run).figures["labels"]
    assert (told["n"], told["single"]) == (6, 4)
    assert told["raw"]["value"] == pytest.approx(5 / 6)
    assert told["kappa"]["value"] is not None
    assert told["kappa"]["low"] is not None


def test_P60_people_with_the_machine_stand_beside_people_with_people(run: Run) -> None:
    machine = agree(run).figures["machine"]
    assert machine["n"] == 16
    assert machine["raw"]["value"] == pytest.approx(8 / 16)
    assert machine["kappa"]["value"] == pytest.approx(0.0)


def test_one_category_only_is_a_named_state_and_no_number() -> None:
    run = make_run()
    make_query(run)
    for person in ("A", "B"):
        say(run, 1, person, "still_wrong")
    kappa = agree(run).figures["labels"]["kappa"]
    assert kappa["value"] is None
    assert kappa["undefined"] == "only one category"


def test_revised_unblinded_and_withdrawn_words_and_notes_count_for_nothing(run: Run) -> None:
    before = agree(run).figures["labels"]
    say(run, 7, "B", "still_wrong", blind=False)
    say(run, 8, "B", "still_wrong", withdrawn=True)
    say(run, 9, "B", "")
    say(run, 10, "B", "still_wrong", stage="revised", is_current=False)
    after = agree(run).figures
    assert after["labels"] == before
    assert after["anchoring"]["value"] is None


def test_claims_are_compared_within_their_queries() -> None:
    run = make_run()
    claims = [make_claim(make_query(run)) for _ in range(4)]
    for person, supports in (("A", "ssuu"), ("B", "susu")):
        for claim, support in zip(claims, supports, strict=True):
            label = "supported" if support == "s" else "unsupported"
            ClaimVerdict.objects.create(claim=claim, imported_reviewer=person, label=label, blind=True)
    told = agree(run).figures["claims"]
    assert (told["n"], told["raw"]["value"]) == (4, 0.5)


def test_the_same_words_keep_their_row_and_new_words_make_it_stale(run: Run) -> None:
    first = agree(run)
    assert agree(run).computed_at == first.computed_at
    assert not agreement_page(run).is_stale
    say(run, 7, "B", "still_wrong")
    assert agreement_page(run).is_stale
    agree(run)
    assert AgreementReport.objects.count() == 1
    assert not agreement_page(run).is_stale


def test_P63_each_cell_of_the_matrix_leads_to_exactly_its_queries(run: Run) -> None:
    assert [query.position for query in agreement_items(run, "still_wrong", "not_a_failure")] == [6]
    assert [query.position for query in agreement_items(run, "retrieval_miss", "retrieval_miss")] == [1, 3, 5]


def test_anchoring_is_a_difference_with_an_interval_and_undefined_without_both() -> None:
    figure = anchoring((18, 20), (10, 20))
    assert figure.value == pytest.approx(0.4)
    assert figure.low is not None
    assert figure.high is not None
    assert 0.1 < figure.low < 0.2
    assert 0.6 < figure.high < 0.65
    assert anchoring((0, 0), (10, 20)).value is None


class TestPages:
    """Over HTTP and by command."""

    def test_a_lead_reads_figures_matrix_and_cells(self, run: Run) -> None:
        client = client_of(make_member(run.project, Role.LEAD))
        url = f"/runs/{run.key}/agreement/"
        assert "Not computed yet" in client.get(url).content.decode()
        agree(run)
        page = client.get(url).content.decode()
        assert "0.833" in page
        assert "4 more were read by one person only" in page
        assert ">nan<" not in page
        cell = client.get(f"{url}cell/?a=still_wrong&b=not_a_failure").content.decode()
        assert "1 query" in cell

    def test_reviewers_may_not_and_strangers_find_nothing(self, run: Run) -> None:
        url = f"/runs/{run.key}/agreement/"
        assert client_of(make_member(run.project, Role.REVIEWER)).get(url).status_code == 403
        assert client_of(make_member(make_run().project)).get(url).status_code == 404

    def test_the_command_computes_and_prints(self, run: Run) -> None:
        out = StringIO()
        call_command("agreement", run.key, stdout=out)
        assert "labels, people: n 6, kappa" in out.getvalue()
        assert AgreementReport.objects.filter(run=run).exists()
