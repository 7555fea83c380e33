"""Every page of the product, opened by an owner in a real browser: accessible, within the window, within the policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.urls import URLResolver, get_resolver, reverse

from labeling.agree import agree
from labeling.calibrate import calibrate
from labeling.challenge import raise_challenge
from labeling.models import GoldChallenge, ReviewSession
from labeling.report import publish
from labeling.worklist import default_session
from tests.factories import make_member, make_project
from tests.labeling.rows import say
from tests.tabs import COLOUR_RULES, PHONE, WIDE, Tab
from triage.ingest import ingest
from triage.intake import store
from triage.models import Judge, Project, Query, Role, Run, Upload
from triage.tasks.inprocess import run_to_end

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Tab]


@dataclass(frozen=True)
class Sample:
    """The demo's two releases, imported and classified, with somebody to look at them."""

    user: User
    project: Project
    upload: Upload
    table: Upload
    run: Run
    session: ReviewSession
    judge: Judge
    disputed: Query
    challenge: GoldChallenge


#: URL name -> what its address is made of. What follows "?" comes from ASKED.
PAGES: dict[str, Callable[[Sample], list[object]]] = {
    "dashboard": lambda sample: [sample.project.slug],
    "mend": lambda sample: [sample.project.slug],
    "resample": lambda sample: [sample.project.slug],
    "trend": lambda sample: [sample.project.slug],
    "runs": lambda sample: [sample.project.slug],
    "run": lambda sample: [sample.run.key],
    "run_rename": lambda sample: [sample.run.key],
    "run_delete": lambda sample: [sample.run.key],
    "slices": lambda sample: [sample.run.key],
    "queries": lambda sample: [sample.run.key],
    "query": lambda sample: [sample.run.key, 3],
    "members": lambda sample: [sample.project.slug],
    "changes": lambda sample: [sample.project.slug],
    "project_settings": lambda sample: [sample.project.slug],
    "tokens": lambda sample: [sample.project.slug],
    "webhooks": lambda sample: [sample.project.slug],
    "api_reference": lambda sample: [],
    "panel": lambda sample: [sample.project.slug],
    "password_change": lambda sample: [],
    "reports": lambda sample: [sample.project.slug],
    "report": lambda sample: [sample.run.key],
    "confirmed": lambda sample: [sample.run.key],
    "snapshot": lambda sample: [publish(sample.run, sample.user).key],
    "snapshot_withdraw": lambda sample: [publish(sample.run, sample.user).key],
    "session_review": lambda sample: [sample.session.key],
    "item_beyond": lambda sample: [sample.session.key, 1],
    "item_challenge": lambda sample: [sample.session.key, 1],
    "my_keys": lambda sample: [],
    "uploads": lambda sample: [sample.project.slug],
    "upload_columns": lambda sample: [sample.table.key],
    "upload": lambda sample: [sample.upload.key],
    "sessions": lambda sample: [sample.project.slug],
    "session": lambda sample: [sample.session.key],
    "session_presence": lambda sample: [sample.session.key],
    "session_new": lambda sample: [sample.run.key],
    "adjudication": lambda sample: [sample.run.key],
    "adjudication_query": lambda sample: [sample.run.key, sample.disputed.position],
    "agreement": lambda sample: [sample.run.key],
    "agreement_cell": lambda sample: [sample.run.key],
    "challenges": lambda sample: [sample.project.slug],
    "challenge": lambda sample: [sample.project.slug, sample.challenge.pk],
    "compare": lambda sample: [sample.project.slug],
    "economics": lambda sample: [sample.project.slug],
    "ladder": lambda sample: [sample.project.slug],
    "confidence": lambda sample: [sample.run.key],
    "sources": lambda sample: [sample.run.key],
    "gate": lambda sample: [sample.run.key],
    "audit": lambda sample: [sample.run.key],
    "more": lambda sample: [sample.run.key],
    "confirm_bulk": lambda sample: [sample.run.key],
    "due": lambda sample: [sample.project.slug],
    "codebook": lambda sample: [sample.project.slug],
    "notes": lambda sample: [sample.run.key],
    "receive_labels": lambda sample: [sample.run.key],
    "item_comments": lambda sample: [sample.session.key, sample.session.items.count()],
    "item_claims": lambda sample: [sample.session.key, 1],
    "what_if": lambda sample: [sample.run.key],
    "policies": lambda sample: [sample.project.slug],
    "judges": lambda sample: [sample.project.slug],
    "judge": lambda sample: [sample.project.slug, sample.judge.fingerprint],
    "judge_items": lambda sample: [sample.project.slug, sample.judge.fingerprint],
}

ASKED: dict[str, Callable[[Sample], str]] = {
    "compare": lambda sample: "?" + "&".join(f"run={key}" for key in sample.project.runs.values_list("key", flat=True)),
    "resample": lambda sample: f"?logs={sample.run.key}&last={sample.run.key}",
    "economics": lambda sample: (
        "?points=20:42,50:95,100:198&hosted=1&node=600&price=3&own_p95_ms=140&"
        + "&".join(f"run={key}" for key in sample.project.runs.values_list("key", flat=True))
    ),
    "ladder": lambda sample: "?" + "&".join(f"run={key}" for key in sample.project.runs.values_list("key", flat=True)),
    "agreement_cell": lambda sample: "?a=retrieval_miss&b=still_wrong",
    "report": lambda sample: "?against=" + sample.project.runs.earliest("pk").key,
}

#: URL name -> why it is not opened here.
ELSEWHERE: dict[str, str] = {
    "home": "leads on to the dashboard",
    "trend_file": "a file",
    "resample_file": "a file",
    "mend_mark": "posted",
    "mend_export": "a file",
    "login": "test_look opens it",
    "sign_on": "leads to the operator's provider; the log-in page where it fails",
    "sign_on_return": "leads on; the log-in page where it fails",
    "logout": "posted",
    "join": "needs a fresh link; the same components as log-in",
    "openapi": "for programs",
    "healthz": "no page",
    "readyz": "no page",
    "metrics": "no page",
    "run_progress": "a part of the run page",
    "run_steer": "posted",
    "token_revoke": "posted",
    "webhook_steer": "posted",
    "message_retry": "posted",
    "member_role": "posted",
    "member_remove": "posted",
    "report_file": "a file",
    "snapshot_file": "a file",
    "publish": "posted",
    "changes_file": "a file",
    "review": "leads on to the session",
    "item": "session_review leads on to it",
    "judge_compare": "posted",
    "judges_compare": "posted",
    "agreement_compute": "posted",
    "session_close": "posted",
    "demo": "posted",
    "panel_try": "posted",
    "codebook_retire": "posted",
    "upload_progress": "a part of the import page",
    "upload_errors": "a file",
    "upload_steer": "posted",
    "judge_export": "a file",
    "item_back": "leads on to an item",
    "item_hold": "posted",
    "item_ahead": "fetched by the review screen",
    "item_skip": "posted",
    "session_requeue": "posted",
    "session_undo": "posted",
}


def _names(resolver: URLResolver) -> set[str]:
    names: set[str] = set()
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver) and entry.app_name == "api":
            continue  # for programs
        names |= _names(entry) if isinstance(entry, URLResolver) else {str(entry.name)} - {"None"}
    return names


def _imported(project: Project, user: User, name: str) -> Upload:
    content = (Path(settings.BASE_DIR) / "triage" / "demo" / name).read_bytes()
    upload = ingest(store(project, user, name, [content]).pk)
    assert upload.run_id is not None
    run_to_end(upload.run_id)
    return upload


@pytest.fixture
def sample() -> Sample:
    """Import and classify the demo's two releases."""
    project = make_project(name="Tallyrook help")
    user = make_member(project, Role.OWNER, "mira")
    _imported(project, user, "tallyrook_2026_10.jsonl")
    upload = _imported(project, user, "tallyrook_2026_11.jsonl")
    run = Run.objects.select_related("project").get(pk=upload.run_id)
    failing = list(run.queries.filter(correct=False).order_by("position")[:8])
    for place, query in enumerate(failing):
        say(query, "retrieval_miss" if place else "still_wrong", imported_reviewer="ann")
        say(query, "retrieval_miss" if place % 2 else "unsupported_claims", imported_reviewer="ben")
    agree(run)
    judge = Judge.objects.filter(scores__query__run=run).earliest("pk")
    calibrate(project, judge)
    challenge = raise_challenge(failing[0], user, "wrong_chunk", chunk="1", note="Another plan's limit.")
    session = default_session(run, user)
    last = session.items.select_related("query").latest("position")
    say(last.query, "still_wrong", item=last, reviewer=user, imported_reviewer="", stage="first")
    table = store(project, user, "mine.csv", [b"Nr;was;Antwort\n7;How long?;Two weeks.\n"], "table", ask=True)
    return Sample(user, project, upload, table, run, session, judge, failing[0], challenge)


def _faults(tab: Tab) -> list[str]:
    found = []
    for scheme in ("light", "dark"):
        tab.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += [f"{scheme}: {fault}" for fault in tab.axe(COLOUR_RULES if scheme == "dark" else ())]
    if tab.overflow():
        found.append(f"{tab.overflow()} px wider than the window")
    if tab.page.locator("h1").count() != 1:
        found.append("not one h1")
    found += tab.complaints
    tab.complaints.clear()
    return found


def test_every_page_is_opened_in_a_browser_or_has_a_reason_not_to_be() -> None:
    unknown = _names(get_resolver()) - set(PAGES) - set(ELSEWHERE)
    assert not unknown, f"add these to PAGES (what their address is made of) or to ELSEWHERE (the reason): {unknown}"


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_the_pages_are_accessible_fit_the_window_and_keep_the_policy(
    open_tab: Open, sample: Sample, width: int
) -> None:
    tab = open_tab(reverse("password_change"), user=sample.user, width=width)
    faults = {}
    for name, made_of in PAGES.items():
        tab.page.goto(reverse(name, args=made_of(sample)) + ASKED.get(name, lambda _sample: "")(sample))
        if found := _faults(tab):
            faults[name] = found
    assert faults == {}
