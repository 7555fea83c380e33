"""The verb `ladder`, its command and its page: each step beside what equal runs differ by."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.core.ladder import Beside, Noise, noise_of
from labeling.ladder import as_json, climb
from tests.factories import PASSWORD, make_member, make_project, make_run
from tests.labeling.rows import make_classified
from triage.models import Project, Query, QueryMetrics, Role, Run

pytestmark = pytest.mark.django_db


def rung(
    project: Project, level: float, *, cost: float = 0.01, ms: float = 1000, size: int = 100, **config: object
) -> Run:
    """Return a run whose first `size` queries fail, with this mean faithfulness, spread by tenths around it."""
    run = make_classified(project, unsupported_claims=size, correct=10)
    Query.objects.filter(run=run).update(cost=cost, latency_ms=ms)
    QueryMetrics.objects.bulk_create(
        QueryMetrics(query=query, faithfulness=level + (0.01 if query.position % 2 else -0.01))
        for query in run.queries.all()
    )
    Run.objects.filter(pk=run.pk).update(config=config)
    return Run.objects.select_related("project").get(pk=run.pk)


def essay(project: Project, size: int = 100) -> list[Run]:
    """S11: three rounds of wording, an abstention output, another model, a verification pass."""
    prices = [(0.71, 0.010, 1000), (0.74, 0.010, 1000), (0.83, 0.010, 1000), (0.87, 0.010, 1000), (0.91, 0.019, 2400)]
    return [
        rung(project, level, cost=cost, ms=ms, size=size, step=place) for place, (level, cost, ms) in enumerate(prices)
    ]


def test_S11_the_steps_add_up_to_twenty_points_and_the_wording_is_not_told_from_noise() -> None:
    project = make_project()
    runs = essay(project)
    repeat = rung(project, 0.73, step=0)
    body = as_json(climb(runs, "faithfulness", repeats=[repeat]))
    moved = [step["change"]["difference"] for step in body["steps"][1:]]
    assert moved == pytest.approx([0.03, 0.09, 0.04, 0.04])
    assert body["whole"] == pytest.approx(0.20) == pytest.approx(sum(moved))
    assert body["noise"] == {"value": pytest.approx(0.02), "pairs": 1}
    assert body["steps"][1]["times_noise"] == pytest.approx(1.5)
    assert [step["beside"] for step in body["steps"]] == [None, Beside.CLOSE, *[Beside.BEYOND] * 3]
    assert body["steps"][4]["cost_ratio"] == pytest.approx(1.9)
    assert body["steps"][4]["added_ms"] == pytest.approx(1400)
    assert (body["n"], body["left_out"]) == (100, 0)


def test_without_repeats_no_step_is_told_from_noise() -> None:
    found = climb(essay(make_project())[:2], "faithfulness")
    assert found.ladder.noise == Noise(None, 0)
    assert found.ladder.steps[1].beside is Beside.UNKNOWN


def test_noise_is_the_mean_gap_within_settings() -> None:
    assert noise_of([[0.7, 0.72, 0.74], [0.9, 0.9]]) == Noise(pytest.approx((0.02 + 0.02 + 0.04 + 0) / 4), 4)
    assert Noise(0.0, 1).times(0.1) is None


def test_only_queries_with_a_value_in_every_run_are_read() -> None:
    project = make_project()
    runs = essay(project)
    QueryMetrics.objects.filter(query__run=runs[2], query__position__lte=30).update(faithfulness=None)
    found = climb(runs, "faithfulness")
    assert (found.ladder.n, found.left_out) == (70, 30)


def test_the_slice_is_the_failing_queries_a_class_or_a_key() -> None:
    project = make_project()
    runs = essay(project)
    Query.objects.filter(run=runs[0], position__lte=7).update(slices={"topic": "billing"})
    assert climb(runs, "faithfulness", "topic=billing").ladder.n == 7
    assert climb(runs, "faithfulness", "unsupported_claims").ladder.n == 100
    assert climb(runs, "accuracy").ladder.steps[0].level == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"slice_": "nothing"}, "the slice is"),
        ({"slice_": "topic=none"}, "no query in the slice"),
        ({"metric": "beauty"}, "no ladder of"),
    ],
)
def test_what_cannot_be_climbed_is_refused_in_words(change: dict[str, str], why: str) -> None:
    runs = essay(make_project())
    with pytest.raises(ValueError, match=why):
        climb(runs, **{"metric": "faithfulness", **change})  # type: ignore[arg-type]


def test_runs_that_do_not_belong_are_refused() -> None:
    project = make_project()
    runs = essay(project)
    for wrong, repeats, why in (
        (runs[:1], [], "2 to 8 runs"),
        ([runs[0], make_run(project)], [], "not classified yet"),
        ([runs[0], rung(make_project(), 0.5)], [], "different projects"),
        ([runs[0], runs[0]], [], "stands twice"),
        (runs, [rung(project, 0.5, step="another")], "repeats no run of the chain"),
    ):
        with pytest.raises(ValueError, match=why):
            climb(wrong, "faithfulness", repeats=repeats)


def test_the_command_prints_every_format() -> None:
    project = make_project()
    runs = essay(project)
    keys = [run.key for run in runs]
    out = StringIO()
    call_command("ladder", *keys, stdout=out)
    assert "0.710 to 0.910: +20.0 pp = 3.0 + 9.0 + 4.0 + 4.0" in out.getvalue()
    for to, start in (("html", "<!doctype html>"), ("json", "{")):
        out = StringIO()
        call_command("ladder", *keys, format=to, repeat=[rung(project, 0.73, step=0).key], stdout=out)
        assert out.getvalue().startswith(start)
    assert json.loads(out.getvalue())["noise"]["pairs"] == 1
    with pytest.raises(CommandError) as fault:
        call_command("ladder", keys[0])
    assert fault.value.returncode == 2


def test_the_page_is_an_address() -> None:
    project = make_project()
    runs, repeat = essay(project), rung(project, 0.73, step=0)
    client = Client()
    assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
    address = f"/p/{project.slug}/ladder/"
    assert "Chain and repeats" in client.get(address).content.decode()
    asked = "&".join(f"run={run.key}" for run in runs)
    text = client.get(f"{address}?{asked}&repeat={repeat.key}").content.decode()
    for words in ("+20.0", "not told from noise", "beyond the noise", "1.90 times", "differ by 2.0 pp"):
        assert words in text
    assert "None" not in text
    wrong = client.get(f"{address}?{asked}&slice=nothing")
    assert wrong.status_code == 400
    assert "the slice is" in wrong.content.decode()


def test_the_number_of_statements_is_constant() -> None:
    def statements(size: int) -> int:
        runs = essay(make_project(), size=size)
        with CaptureQueriesContext(connection) as captured:
            climb(runs, "faithfulness")
        return len(captured)

    assert statements(4) == statements(40)
