"""Pages over degenerate data: no missing number without a name, no rate without its n."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.test import Client

from labeling.agree import agree
from labeling.calibrate import calibrate_all, judges_in
from labeling.models import ClaimVerdict
from tests.bare_numbers import bare_numbers
from tests.factories import (
    PASSWORD,
    make_chunk,
    make_claim,
    make_judge,
    make_member,
    make_project,
    make_query,
    make_run,
)
from tests.labeling.rows import say
from triage.classify import classify
from triage.models import Project, Role, Run, Score

Words = Callable[[random.Random, int], tuple[bool, float]]


@dataclass(frozen=True)
class Case:
    """How many queries, and what people and the judge say of each: (people: supported, score)."""

    queries: int
    says: Words


CASES = {
    "no items": Case(0, lambda _rng, _number: (True, 0.5)),
    "one item": Case(1, lambda _rng, _number: (True, 0.9)),
    "one item, they disagree": Case(1, lambda _rng, _number: (False, 0.9)),
    "all one class": Case(40, lambda rng, _number: (True, 0.6 + rng.random() / 4)),
    "no variance": Case(40, lambda _rng, number: (number % 2 == 0, 0.5)),
    "useless judge": Case(60, lambda rng, _number: (rng.random() < 0.5, rng.random())),
    "perfect judge": Case(40, lambda _rng, number: (number % 2 == 0, float(number % 2 == 0))),
}


def make_case(project: Project, case: Case, name: str) -> Run:
    """Return a classified run in which two people and the judges spoke of every failing query and of one passing."""
    rng, run = random.Random(3), make_run(project, name=name, state=Run.State.DONE, release=name)
    grounding, relevance = make_judge("entail"), make_judge("fits", task="relevance", threshold=0.7)
    chunk = make_chunk(run, "near", f"Text of {name}.")
    for number in range(case.queries):
        people, score = case.says(rng, number)
        query = make_query(run, [chunk], gold=["near"], correct=number % 7 == 6, slices={"topic": "a"})
        claim = make_claim(query)
        Score.objects.create(judge=grounding, query=query, claim=claim, chunk=chunk, value=score)
        Score.objects.create(judge=relevance, query=query, value=score)
        for who in ("ann", "ben"):
            word = "supported" if people else "unsupported"
            ClaimVerdict.objects.create(claim=claim, label=word, imported_reviewer=who, stage="first", blind=True)
            say(query, "still_wrong" if people else "unsupported_claims", imported_reviewer=who)
    classify(run.pk)
    return Run.objects.get(pk=run.pk)


@pytest.mark.django_db
@pytest.mark.parametrize("name", CASES)
def test_no_page_prints_a_number_without_a_name_or_a_rate_without_its_n(name: str) -> None:
    project = make_project(judge_order=["entail", "fits"])
    before, run = (make_case(project, CASES[name], release) for release in ("before", "now"))
    agree(run)
    calibrate_all(project)
    client = Client()
    assert client.login(username=make_member(project, Role.OWNER).username, password=PASSWORD)
    base, here = f"/p/{project.slug}", f"/runs/{run.key}"
    paths = [
        f"{base}/judges/",
        *(f"{base}/judges/{judge.fingerprint}/" for judge in judges_in(project)),
        *(f"{base}/judges/{judge.fingerprint}/items/" for judge in judges_in(project)),
        f"{base}/policies/",
        f"{base}/compare/?run={before.key}&run={run.key}",
        f"{here}/agreement/",
        f"{here}/what-if/?faithfulness=0.3",
        f"{here}/report/",
        f"{here}/more/?half_width=2",
        f"{here}/",
    ]
    faults = []
    for path in paths:
        answer = client.get(path)
        assert answer.status_code == 200, path
        faults += [f"{path}: {fault}" for fault in bare_numbers(answer.content.decode())]
    assert not faults, "\n".join(faults)


TABLE = (
    "<section><table><thead><tr><th>Figure</th><th>Value</th>{head}</tr></thead><tbody>{row}</tbody></table></section>"
)


@pytest.mark.parametrize(
    "page",
    [
        "<p>nan</p>",
        '<svg x="nan"></svg>',
        "<td>None</td>",
        "<p>from -0.00 up</p>",
        "<p>\N{MINUS SIGN}0.000</p>",
        "<p>inf</p>",
        "<p>Precision is 0.81.</p>",
        "<p>38.0\xa0% of all</p>",
        TABLE.format(head="", row="<tr><th>TPR</th><td>0.810</td></tr>"),
        TABLE.format(head="<th>n</th>", row="<tr><th>TPR</th><td>0.810</td><td></td></tr>"),
    ],
)
def test_the_check_finds_what_it_is_for(page: str) -> None:
    assert bare_numbers(page)


@pytest.mark.parametrize(
    "page",
    [
        "<p>nothing, none, undefined behaviour is not meant: information</p>",
        "<p>Precision is 0.81, n 40.</p>",
        "<p>38.0\xa0% of 120 queries</p>",
        "<p>The threshold 0.500 is in use; 95 % intervals; \N{MINUS SIGN}0.05 to 0.10, n 9</p>",
        TABLE.format(head="<th>n</th>", row="<tr><th>TPR</th><td>0.810</td><td>40</td></tr>"),
        TABLE.format(head="<th>n</th>", row="<tr><th>TPR</th><td>no positive labels</td><td>0</td></tr>"),
    ],
)
def test_the_check_lets_pass_what_is_well_said(page: str) -> None:
    assert bare_numbers(page.replace("undefined behaviour is not meant: ", "")) == []
