"""The verb `economics`, its command and its page: constructed arms give the essays' figures."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.economics import Asked, as_json, economics
from tests.factories import PASSWORD, make_member, make_project, make_run
from tests.labeling.rows import make_classified
from triage.models import Project, Query, Role, Run

pytestmark = pytest.mark.django_db


def arm(project: Project, *, tokens: float, ms: float, p95: float, size: int = 40, **config: object) -> Run:
    """Return a classified run whose queries all take so many tokens and milliseconds."""
    run = make_classified(project, still_wrong=size // 4, correct=size - size // 4)
    Query.objects.filter(run=run).update(context_tokens=tokens, latency_ms=ms, reranker=config.pop("path", "ok"))
    told = {"latency_p50_ms": {"value": ms}, "latency_p95_ms": {"value": p95}}
    prices = {"input_per_million": 3.0, "currency": "USD"}
    Run.objects.filter(pk=run.pk).update(summary={"metrics": told, "outcomes": {}}, config=config, prices=prices)
    return Run.objects.select_related("project").get(pk=run.pk)


def essay(project: Project, size: int = 40) -> list[Run]:
    return [
        arm(project, tokens=2510, ms=1000, p95=1900, k=20, candidate_k=20, path="off", size=size),
        arm(project, tokens=655, ms=1042, p95=2000, k=5, candidate_k=20, size=size),
        arm(project, tokens=655, ms=1198, p95=2300, k=5, candidate_k=100, size=size),
        arm(project, tokens=655, ms=1095, p95=2100, k=5, candidate_k=50, size=size),
    ]


def test_S8_S9_S10_S22_come_out_of_runs() -> None:
    runs = essay(make_project())
    body = as_json(economics(runs, Asked(own_p95_ms=140, hosted_per_1000=2, node_per_month=556.5)))
    money, p95 = body["money"], body["latency"][1]
    assert money["tokens_saved"] == 1855
    assert money["saved_per_1000"] == pytest.approx(5.565)
    assert money["net_hosted_per_1000"] == pytest.approx(3.565)
    assert money["break_even_per_month"] == pytest.approx(100_000)
    assert (p95["added_ms"], p95["unattributed_ms"]) == (200, 60)
    points = {point["candidates"]: point["ms_each"] for point in body["fit"]["points"]}
    assert points == pytest.approx({20: 2.1, 50: 1.9, 100: 1.98})
    assert body["settings_that_differ"] == ["candidate_k", "k"]
    assert "cannot be credited to either" in body["warning"]


def test_typed_points_and_a_typed_price_come_before_the_files() -> None:
    runs = essay(make_project())
    body = as_json(economics([runs[0], runs[-1]], Asked(points=((10, 20), (20, 40)), price_per_million=6)))
    assert body["fit"]["points_are_typed"]
    assert (body["fit"]["ms_each"], body["fit"]["fixed_ms"]) == (pytest.approx(2), pytest.approx(0))
    assert body["money"]["saved_per_1000"] == pytest.approx(11.13)


def test_a_silent_fallback_shows_with_what_it_costs() -> None:
    project = make_project()
    runs = essay(project)
    Query.objects.filter(run=runs[-1], position__lte=4).update(reranker="timeout", latency_ms=3000)
    found = economics([runs[0], runs[-1]], Asked())
    paths = {path.path: path for path in found.paths}
    assert (paths["timeout"].n, paths["timeout"].accuracy, paths["timeout"].latency_ms) == (4, 0.0, 3000)
    assert paths["ok"].accuracy == pytest.approx(30 / 36)
    assert found.fallback.startswith("4 of 40 queries (10.0%) fell back")


def test_what_the_files_do_not_say_is_named() -> None:
    project = make_project()
    runs = essay(project)
    Query.objects.filter(run=runs[-1]).update(context_tokens=None, latency_ms=None, reranker="")
    Run.objects.filter(pk=runs[-1].pk).update(config={}, prices={}, summary={"metrics": {}, "outcomes": {}})
    runs[-1].refresh_from_db()
    out = StringIO()
    call_command("economics", runs[0].key, runs[-1].key, stdout=out)
    text = out.getvalue()
    for words in ("say no latency", "no points were given", "say no context tokens", "does not say which path"):
        assert words in text
    assert "None" not in text


def test_the_command_prints_every_format_and_refuses_in_words() -> None:
    project = make_project()
    runs = essay(project)
    keys = [run.key for run in runs]
    for to, start in (("md", "# What "), ("html", "<!doctype html>"), ("json", "{")):
        out = StringIO()
        call_command("economics", *keys, format=to, points=((50, 95),), hosted=1.0, node=600.0, stdout=out)
        assert out.getvalue().startswith(start)
    assert json.loads(out.getvalue())["run"] == keys[-1]
    for wrong in (keys[:1], [keys[0], make_run(project).key], [keys[0], essay(make_project())[0].key]):
        with pytest.raises(CommandError) as fault:
            call_command("economics", *wrong)
        assert fault.value.returncode == 2


def client_of(project: Project) -> Client:
    client = Client()
    assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
    return client


def test_the_page_is_an_address_with_all_its_figures() -> None:
    project = make_project()
    runs = essay(project)
    client, asked = client_of(project), "&".join(f"run={run.key}" for run in runs)
    address = f"/p/{project.slug}/economics/"
    assert "Work it out" in client.get(address).content.decode()
    text = client.get(f"{address}?{asked}&own_p95_ms=140&hosted=2&node=556.5").content.decode()
    for words in (
        "1,855.0",
        "5.565 USD",
        "3.565 USD",
        "100,000",
        "60 ms at p95 are unattributed",
        "<svg",
        'value="140"',
    ):
        assert words in text
    assert "None" not in text
    wrong = client.get(f"{address}?{asked}&points=fifty")
    assert wrong.status_code == 400
    assert "found &#x27;fifty&#x27;" in wrong.content.decode()
    foreign = essay(make_project())[0]
    assert foreign.name not in client.get(f"{address}?run={foreign.key}&run={runs[0].key}").content.decode()


def test_the_number_of_statements_is_constant() -> None:
    def statements(size: int) -> int:
        runs = essay(make_project(), size=size)
        with CaptureQueriesContext(connection) as captured:
            economics(runs, Asked())
        return len(captured)

    assert statements(8) == statements(40)
