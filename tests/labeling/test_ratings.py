"""Scores that came with files beside people's ratings: the published figures of real data, command and page."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from scipy.stats import spearmanr

from labeling import tasks
from labeling.calibrate import calibrate_all, calibrate_recorded
from labeling.models import Calibration
from tests.factories import PASSWORD, make_member, make_project, make_query, make_run
from triage.models import Project, Role

pytestmark = pytest.mark.django_db
JUDGES = {"rl_f": 0.582, "bert_kprec": 0.584, "rb_agg": 0.426, "rb_llm": 0.326}
ALPHA = {"faithfulness": 0.550, "completeness": 0.392, "appropriateness": 0.050, "naturalness": 0.299}
EQUAL = {"faithfulness": 0.590, "completeness": 0.686, "appropriateness": 0.624, "naturalness": 0.835}


def rated_project(rows: list[dict[str, Any]]) -> Project:
    """Return a project of rated answers: each row has `human` (metric -> person -> rating) and `judges`."""
    project = make_project()
    run = make_run(project)
    for place, row in enumerate(rows):
        make_query(
            run,
            key=str(place),
            correct=True,
            human_scores=[
                {"metric": metric, "value": float(value), "scale": [1, 4], "reviewer": person}
                for metric, ratings in row["human"].items()
                for person, value in ratings.items()
            ],
            scores=[
                {"metric": name, "value": value, "tool": "peer", "judge": name}
                for name, value in row["judges"].items()
                if value is not None
            ],
        )
    return project


def test_the_judges_of_mtrag_follow_people_and_people_agree_as_published(shared: Path) -> None:
    lines = (shared / "data/mtrag_human_eval/evaluations.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [json.loads(line) for line in lines]
    project = rated_project(answers)
    rows = {row.judge.name: row.figures for row in calibrate_recorded(project)}
    for name, expected in JUDGES.items():
        assert rows[name]["metrics"]["faithfulness"]["spearman"]["value"] == pytest.approx(expected, abs=6e-4)
    for metric in ALPHA:
        people = rows["rl_f"]["metrics"][metric]["people"]
        assert people["alpha"]["value"] == pytest.approx(ALPHA[metric], abs=6e-4)
        assert people["equal_pairs"] == pytest.approx(EQUAL[metric], abs=6e-4)
        assert people["alpha"]["value"] == pytest.approx(alpha_elsewhere(answers, metric))
        for name in JUDGES:
            told = rows[name]["metrics"][metric]["spearman"]["value"]
            assert told == pytest.approx(spearman_elsewhere(answers, metric, name)), (metric, name)


def alpha_elsewhere(answers: list[dict[str, Any]], metric: str) -> float:
    """Return people's alpha by the krippendorff package; which of seven people gave which rating does not matter."""
    rated = [[*map(float, answer["human"][metric].values())] for answer in answers if answer["human"].get(metric)]
    table = np.full((max(map(len, rated)), len(rated)), np.nan)
    for column, ratings in enumerate(rated):
        table[: len(ratings), column] = ratings
    return float(krippendorff.alpha(table, level_of_measurement="interval"))


def spearman_elsewhere(answers: list[dict[str, Any]], metric: str, judge: str) -> float:
    """Return scipy's rank correlation of a judge with the mean rating, over the answers that have both."""
    both = [answer for answer in answers if answer["human"].get(metric) and answer["judges"].get(judge) is not None]
    people = [np.mean([*map(float, answer["human"][metric].values())]) for answer in both]
    return float(spearmanr(people, [answer["judges"][judge] for answer in both]).statistic)


def small_project() -> Project:
    return rated_project([small_row(number) for number in range(40)])


def small_row(number: int) -> dict[str, Any]:
    ratings = {"a": 1 + number % 4, "b": 1 + (number + number // 5) % 4}
    return {"human": {"faithfulness": ratings}, "judges": {"peer judge": number % 4 / 3}}


def test_the_same_ratings_keep_the_row() -> None:
    project = small_project()
    first = calibrate_recorded(project)
    assert calibrate_recorded(project) == first
    assert calibrate_all(project) == 2, "the ratings, and the file's word on what is correct"
    assert calibrate_all(project) == Calibration.objects.count() == 2
    assert [row.judge.revision for row in first] == ["peer"]


def test_scores_of_our_own_definitions_and_broken_values_are_no_recorded_judge() -> None:
    project = make_project()
    make_query(
        make_run(project),
        human_scores=[{"metric": "faithfulness", "value": 3, "reviewer": "a"}],
        scores=[{"metric": "faithfulness", "value": 0.9}, {"metric": "x", "value": True, "tool": "t"}],
    )
    assert calibrate_recorded(project) == []


def test_the_command_knows_recorded_scores_by_name() -> None:
    project, out = small_project(), StringIO()
    call_command("calibrate", "peer judge", project=project.slug, json=True, stdout=out)
    body = json.loads(out.getvalue())
    assert (body["kind"], body["n"], body["state"]) == ("ratings", 40, "calibrated")
    rows = [small_row(number) for number in range(40)]
    people = [sum(row["human"]["faithfulness"].values()) / 2 for row in rows]
    theirs = float(spearmanr(people, [row["judges"]["peer judge"] for row in rows]).statistic)
    assert body["metrics"]["faithfulness"]["spearman"]["value"] == pytest.approx(theirs)
    call_command("calibrate", "peer judge", project=project.slug, stdout=out)
    assert "Spearman" in out.getvalue()


def test_the_list_of_judges_shows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    project = small_project()
    calibrate_recorded(project)
    client = Client()
    assert client.login(username=make_member(project, Role.REVIEWER).username, password=PASSWORD)
    text = client.get(f"/p/{project.slug}/judges/").content.decode()
    assert "peer judge" in text
    assert "People with people" in text
    asked: list[int] = []
    monkeypatch.setattr(tasks.calibrate_all, "delay", asked.append)
    assert client.post(f"/p/{project.slug}/judges/compare/").status_code == 302
    assert asked == [project.pk]
    tasks.calibrate_all(project.pk)
