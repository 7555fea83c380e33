"""The crossed slices: counts, links, mix, and what is too few."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.factories import PASSWORD, make_member, make_project, make_query, make_run
from triage.core.closure import Outcomes
from triage.models import Role, Run, Suggestion
from triage.models.queries import WITHOUT_SLICE
from triage.models.slices import Sliced, sliced
from triage.pages.crossed import MOST_COLUMNS, REST, crossed_page

pytestmark = pytest.mark.django_db


def sliced_run(cells: dict[tuple[str, str], tuple[int, int]]) -> Run:
    """Return a run: (topic, passages) -> (right, wrong)."""
    run = make_run(make_project())
    for (topic, passages), (right, wrong) in cells.items():
        for number in range(right + wrong):
            slices = {"topic": topic, "passages": passages}
            query = make_query(run, slices=slices, correct=number < right)
            if number >= right:
                Suggestion.objects.create(query=query, label="still_wrong", policy_fingerprint="p", basis="b")
    return run


def viewer_of(run: Run) -> Client:
    client = Client()
    assert client.login(username=make_member(run.project, Role.VIEWER).username, password=PASSWORD)
    return client


def test_every_pair_of_values_is_a_cell_and_the_cells_add_up() -> None:
    run = sliced_run({("a", "one"): (15, 5), ("a", "many"): (2, 4), ("b", "one"): (10, 0)})
    page = crossed_page(run, "topic", "passages", "")
    assert (page.first, page.second, page.shown) == ("topic", "passages", "accuracy")
    table = {line.value: {one.value: (one.cell.n, one.cell.k) for one in line.cells} for line in page.lines}
    assert table == {"a": {"one": (20, 15), "many": (6, 2)}, "b": {"one": (10, 10), "many": (0, 0)}}
    assert page.foot is not None
    assert (page.foot.whole.cell.n, page.foot.whole.cell.k) == (36, 27)
    few = {(line.value, one.value) for line in page.lines for one in line.cells if one.cell.is_few}
    assert few == {("a", "many"), ("b", "one"), ("b", "many")}
    mixed = {line.value: line.mixed for line in page.lines}
    assert mixed["a"] == pytest.approx((30 * 0.75 + 6 * 2 / 6) / 36)
    assert mixed["b"] is None


def test_one_pass_tells_the_keys_of_a_run_and_its_queries_by_one_of_them() -> None:
    run = sliced_run({("a", "one"): (15, 5), ("a", "many"): (2, 4), ("b", "one"): (10, 0)})
    make_query(run, slices={"Zone": "x"}, correct=None)
    found = sliced(run, "topic")
    assert (found.keys, found.key) == (("Zone", "passages", "topic"), "topic")
    told = [(row.value, row.outcomes, row.classes["still_wrong"]) for row in found.rows]
    assert told == [("a", Outcomes(9, 17, 0), 9), ("b", Outcomes(0, 10, 0), 0), (None, Outcomes(0, 0, 1), 0)]
    assert sliced(run, "nothing").key == sliced(run).key == "Zone"
    assert [(row.name, row.outcomes.queries) for row in sliced(run).rows] == [("x", 1), (WITHOUT_SLICE, 36)]
    assert sliced(make_run(run.project)) == Sliced((), "", [])


def test_a_class_is_shown_as_a_share_of_all_queries() -> None:
    page = crossed_page(sliced_run({("a", "one"): (15, 5)}), "topic", "passages", "still_wrong")
    assert page.lines[0].cells[0].cell.share == 0.25


def test_values_beyond_the_width_are_put_together_and_lose_nothing() -> None:
    cells = {("a", f"v{number:02}"): (1, 1) for number in range(MOST_COLUMNS + 3)}
    page = crossed_page(sliced_run(cells), "topic", "passages", "accuracy")
    assert len(page.columns) == MOST_COLUMNS + 1
    assert page.columns[-1] == REST
    assert page.lines[0].whole.cell.queries == 2 * (MOST_COLUMNS + 3)


def test_a_cell_leads_to_its_queries() -> None:
    run = sliced_run({("a", "one"): (0, 2), ("a", "many"): (3, 0)})
    client = viewer_of(run)
    words = client.get(f"/runs/{run.key}/slices/?a=topic&b=passages").content.decode()
    link = "slice_key=topic&amp;slice_value=a&amp;slice_key_2=passages&amp;slice_value_2=one"
    assert link in words
    listed = client.get(f"/runs/{run.key}/queries/?{link.replace('&amp;', '&')}").content.decode()
    assert "Question 1?" in listed
    assert "Question 3?" not in listed


def test_a_run_without_slices_or_with_one_key_says_so() -> None:
    bare = make_run(make_project())
    make_query(bare)
    assert "names no slices" in viewer_of(bare).get(f"/runs/{bare.key}/slices/").content.decode()
    one = make_run(make_project())
    make_query(one, slices={"topic": "a"}, correct=True)
    page = crossed_page(one, "topic", "nothing", "accuracy")
    assert (page.second, page.columns, page.lines[0].whole.cell.n) == ("", (), 1)
    assert "Slices by" in viewer_of(one).get(f"/runs/{one.key}/slices/").content.decode()


def test_the_number_of_statements_is_constant() -> None:
    def statements(values: int) -> int:
        run = sliced_run({(f"t{number}", f"p{number % 3}"): (1, 1) for number in range(values)})
        client = viewer_of(run)
        with CaptureQueriesContext(connection) as captured:
            client.get(f"/runs/{run.key}/slices/")
        return len(captured)

    assert statements(2) == statements(12)
