"""SEC-04: every text, key, name and label of a project is hostile; a real Chromium reads every page, nothing runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Dialog, Request
from pytest_django import Settings

from labeling.agree import agree
from labeling.calibrate import calibrate
from labeling.challenge import raise_challenge
from labeling.codebook import add_sub_cause
from labeling.review import comment
from labeling.worklist import default_session
from tests.browser.test_pages import ASKED, PAGES, Sample
from tests.factories import make_member, make_project
from tests.labeling.rows import say
from tests.tabs import Tab
from triage.ingest import ingest
from triage.intake import store
from triage.models import Judge, Project, Role, Run, Upload
from triage.tasks.inprocess import run_to_end
from triage.tokens import make

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Tab]

#: Each would leave a mark on the window, open a dialog, ask another host, move the page or send a form.
PAYLOADS = (
    "<script>window.ran=1;alert(1)</script>",
    "\"><img src=x onerror=\"window.ran=2;alert(2)\">",
    "'><svg onload='window.ran=3;alert(3)'>",
    "</textarea></title></style><script>window.ran=4;alert(4)</script>",
    "<div hx-get=\"/logout/\" hx-trigger=\"load\" hx-on::load=\"ran=5\" data-hx-on:load=\"ran=5\">x</div>",
    "<base href=\"https://evil.example/\"><meta http-equiv=\"refresh\" content=\"0;url=https://evil.example/\">",
    "<form action=\"https://evil.example/\"><button autofocus onfocus=\"window.ran=6;alert(6)\">x</button></form>",
    "<iframe srcdoc=\"<script>parent.window.ran=7;parent.alert(7)</script>\"></iframe><img src=//evil.example/p.png>",
    "javascript:window.ran=8;alert(8)",
    "\\u003cscript\\u003ealert(9)\\u003c/script\\u003e &lt;script&gt;alert(9) <scr<script>ipt>alert(9)</script>",
    "{{7*7}}{% debug %}${alert(10)}<%= 7*7 %>",
    "<style>@import 'https://evil.example/x.css';*{display:none}</style><link rel=stylesheet href=//evil.example/x>",
    "<a href=\"jav&#x09;ascript:alert(11)\" style=\"position:fixed\">x</a><math><mtext><script>alert(12)</script>",
)  # fmt: skip
ALL = " ".join(PAYLOADS)


def hostile_line(number: int) -> dict[str, object]:
    """Return a query with a payload in every field that takes text. Claims end in the middle of one."""
    one = PAYLOADS[number % len(PAYLOADS)]
    cut = len(one) // 2
    answer = f"{one} {ALL}"
    return {
        "id": f"{number} {one}"[:290],
        "question": f"{ALL} {number}?",
        "answer": answer,
        "reference": ALL,
        "retrieved": [
            {"id": f"c {one}"[:290], "meta": {one: one}},
            {"id": f"d {one}"[:290], "text": f"{answer} {number}", "title": one, "document": one, "url": PAYLOADS[8]},
        ],
        "gold": [f"c {one}"[:290]],
        "gold_from": {f"c {one}"[:290]: [one[:100]]},
        "correct": False,
        "claims": [
            {"text": answer[:cut], "span": [0, cut], "cites": [f"d {one}"[:290], one]},
            {"text": answer[cut : cut + 30], "span": [cut, cut + 30]},
            ALL,
        ],
        "scores": [{"metric": one, "value": 0.4, "tool": one, "definition": one}],
        "human": [{"label": "still_wrong", "reviewer": one, "note": ALL}],
        "conversation": [{"speaker": one, "text": ALL}],
        "slice": {one[:100]: one[:100]},
        "trace_id": one,
        "url": PAYLOADS[8],
        "meta": {one: [one, {one: one}]},
    }


def hostile_file(release: int) -> bytes:
    """Return a run file of 13 such queries."""
    one = PAYLOADS[release]
    head = {
        "kind": "run",
        "name": f"{release} {ALL}"[:300],
        "pipeline": one,
        "release": f"{release} {one}",
        "config": {"k": 2 + release, one: one},
        "evaluation_set": {"name": "set", "version": one},
        "prices": {"input_per_million": 1, "currency": one},
        "meta": {one: one},
    }
    chunks = [
        {"kind": "chunk", "id": f"c {payload}"[:290], "text": ALL, "title": payload, "document": payload,
         "summary_of": [f"d {payload}"[:290]], "url": PAYLOADS[8], "meta": {payload: payload}}
        for payload in PAYLOADS
    ]  # fmt: skip
    lines = [head, *chunks, *map(hostile_line, range(len(PAYLOADS)))]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def imported(project: Project, release: int) -> Upload:
    upload = ingest(store(project, None, f"{PAYLOADS[release]}.jsonl", [hostile_file(release)]).pk)
    assert upload.run_id is not None, (upload.reason, upload.errors[:3])
    assert run_to_end(upload.run_id).state == Run.State.DONE
    return upload


@pytest.fixture
def sample(settings: Settings, tmp_path: Path) -> Sample:
    """A project in which every word anybody could write is hostile."""
    settings.UPLOAD_DIR = tmp_path / "uploads"
    project = make_project(name=ALL[:200], owners={"retrieval_miss": PAYLOADS[0], "still_wrong": PAYLOADS[1]})
    user = make_member(project, Role.OWNER, PAYLOADS[1][:150])
    add_sub_cause(project, user, "retrieval_miss", "of_ours", ALL[:300])  # a name is letters and digits only
    imported(project, 0)
    upload = imported(project, 1)
    run = Run.objects.select_related("project").get(pk=upload.run_id)
    queries = list(run.queries.order_by("position"))
    for query in queries:
        for name, label in ((PAYLOADS[2], "retrieval_miss"), (PAYLOADS[3], "unsupported_claims")):
            say(query, label, imported_reviewer=f"said {name}", note=ALL)
    agree(run)
    judge = Judge.objects.filter(scores__query__run=run).earliest("pk")
    calibrate(project, judge)
    challenge = raise_challenge(queries[0], user, "wrong_chunk", chunk="1", note=ALL)
    session = default_session(run, user)
    last = session.items.select_related("query").latest("position")
    say(last.query, "still_wrong", item=last, reviewer=user, imported_reviewer="", stage="first", note=ALL)
    comment(last.query, user, ALL)
    make(project, user, PAYLOADS[4][:100], ["read"], 30)
    header = ";".join(f'"{payload.replace(chr(34), chr(34) * 2)}"' for payload in PAYLOADS)
    table = store(project, user, f"{PAYLOADS[5]}.csv", [f"{header}\n{header}\n".encode()], "table", ask=True)
    return Sample(user, project, upload, table, run, session, judge, queries[0], challenge)


def test_SEC04_no_text_of_anybody_runs_loads_or_moves_a_page(open_tab: Open, sample: Sample) -> None:
    tab = open_tab(reverse("password_change"), user=sample.user)
    host = tab.page.url.split("/password")[0]
    dialogs: list[str] = []
    asked: list[str] = []

    def opened(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    def requested(request: Request) -> None:
        if not request.url.startswith((host, "data:", "blob:")):
            asked.append(request.url)

    tab.page.on("dialog", opened)
    tab.page.on("request", requested)
    faults: dict[str, object] = {}
    for name, made_of in PAGES.items():
        place = reverse(name, args=made_of(sample)) + ASKED.get(name, lambda _sample: "")(sample)
        answer = tab.page.goto(place)
        assert answer is not None
        assert answer.status == 200, (name, answer.status)
        tab.page.wait_for_load_state("load")
        ran = tab.page.evaluate("window.ran || null")
        links = tab.page.evaluate("[...document.links].map(a => a.protocol).filter(p => !/^https?:$/.test(p))")
        away = [] if tab.page.url.startswith(host) else [tab.page.url]
        if found := [*tab.complaints, *dialogs, *asked, *links, *away, *([ran] if ran else [])]:
            faults[name] = found
        for heard in (tab.complaints, dialogs, asked):
            heard.clear()
    assert faults == {}
    assert "7*7" in tab.page.goto(reverse("run", args=[sample.run.key])).text()  # type: ignore[union-attr]
