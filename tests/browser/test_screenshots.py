"""Pictures for the README, of the demo. `SCREENSHOTS=1 pytest tests/browser/test_screenshots.py` renews them."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.urls import reverse

from labeling.agree import agree
from labeling.models import ReviewSession
from labeling.worklist import Wish, make_session
from tests.factories import make_member, make_project
from tests.labeling.rows import say
from tests.tabs import PHONE, WIDE, Tab
from triage.ingest import ingest
from triage.intake import store
from triage.models import Judge, Project, Role, Run, Upload, WorkerHeartbeat
from triage.tasks.inprocess import run_to_end

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("SCREENSHOTS" not in os.environ, reason="set SCREENSHOTS=1 to renew docs/screenshots"),
]
FOLDER = Path(settings.BASE_DIR) / "docs" / "screenshots"
DEMO = Path(settings.BASE_DIR) / "triage" / "demo"
#: Of the 38 failures of the newer release so many are drawn and read.
READ = 24


def _review(run: Run, people: tuple[User, ...]) -> ReviewSession:
    """Let the careful reader of the demo's plan read a random draw of the run's failures."""
    plan = tomllib.loads((DEMO / "source" / "planned.toml").read_text())[run.release.replace(".", "_")]
    session = make_session(run, None, Wish(name="November sample", n=READ), seed="the same each time")
    for place, item in enumerate(session.items.select_related("query").order_by("position")):
        said = plan[item.query.key]
        reader = people[place % len(people)]
        say(
            item.query,
            said["truth"],
            said["sub_cause"],
            item=item,
            reviewer=reader,
            imported_reviewer="",
            stage="review",
        )
    agree(run)
    return session


@pytest.fixture
def note(open_tab: Callable[..., Tab]) -> tuple[Run, User]:
    """Import both releases and review the newer one."""
    project = make_project(name="Tallyrook help", slug="tallyrook")
    user = make_member(project, Role.OWNER, "mira")
    for name in ("tallyrook_2026_10.jsonl", "tallyrook_2026_11.jsonl"):
        upload = ingest(store(project, user, name, [(DEMO / name).read_bytes()]).pk)
        assert upload.run_id is not None
        run = run_to_end(upload.run_id)
    _review(run, (user, make_member(project, Role.REVIEWER, "jonas")))
    WorkerHeartbeat.objects.create(name="worker@laptop", seen_at=Now())
    return run, user


def test_the_pictures_of_the_readme(open_tab: Callable[..., Tab], note: tuple[Run, User]) -> None:
    run, user = note
    FOLDER.mkdir(parents=True, exist_ok=True)
    rest = make_session(run, None, Wish(name="The rest", how="all"))
    for name, path, height, dark in (
        ("run-1280-light", reverse("run", args=[run.key]), 1160, False),
        ("review-1280-light", reverse("session_review", args=[rest.key]), 800, False),
        ("release-note-1280-light", reverse("report", args=[run.key]), 1240, False),
        ("query-1280-dark", reverse("query", args=[run.key, 3]), 900, True),
    ):
        tab = open_tab(path, user=user, width=WIDE, height=height, dark=dark)
        tab.page.screenshot(path=FOLDER / f"{name}.png")
        assert tab.complaints == []


def _table(project: Project) -> Upload:
    """Return an upload whose columns nobody has named yet."""
    return store(project, None, "answers.csv", [b"Nr;Asked;Answered\n7;How long?;Two weeks.\n"], "table", ask=True)


#: Every page a person works on, with the arguments of its address.
PAGES: dict[str, Callable[[Run, ReviewSession], list[object]]] = {
    "runs": lambda run, session: [run.project.slug],
    "run": lambda run, session: [run.key],
    "queries": lambda run, session: [run.key],
    "query": lambda run, session: [run.key, 3],
    "uploads": lambda run, session: [run.project.slug],
    "sessions": lambda run, session: [run.project.slug],
    "session_new": lambda run, session: [run.key],
    "session_review": lambda run, session: [session.key],
    "agreement": lambda run, session: [run.key],
    "challenges": lambda run, session: [run.project.slug],
    "judges": lambda run, session: [run.project.slug],
    "reports": lambda run, session: [run.project.slug],
    "report": lambda run, session: [run.key],
    "gate": lambda run, session: [run.key],
    "audit": lambda run, session: [run.key],
    "members": lambda run, session: [run.project.slug],
    "project_settings": lambda run, session: [run.project.slug],
    "dashboard": lambda run, session: [run.project.slug],
    "trend": lambda run, session: [run.project.slug],
    "slices": lambda run, session: [run.key],
    "sources": lambda run, session: [run.key],
    "mend": lambda run, session: [run.project.slug],
    "resample": lambda run, session: [run.project.slug],
    "compare": lambda run, session: [run.project.slug],
    "economics": lambda run, session: [run.project.slug],
    "ladder": lambda run, session: [run.project.slug],
    "confidence": lambda run, session: [run.key],
    "what_if": lambda run, session: [run.key],
    "policies": lambda run, session: [run.project.slug],
    "session_presence": lambda run, session: [session.key],
    "due": lambda run, session: [run.project.slug],
    "codebook": lambda run, session: [run.project.slug],
    "panel": lambda run, session: [run.project.slug],
    "tokens": lambda run, session: [run.project.slug],
    "webhooks": lambda run, session: [run.project.slug],
    "receive_labels": lambda run, session: [run.key],
    "judge": lambda run, session: [run.project.slug, Judge.objects.in_use(run.project)[0].fingerprint],
    "upload_columns": lambda run, session: [_table(run.project).key],
    "changes": lambda run, session: [run.project.slug],
}

#: Page -> what its address asks for.
ASKED: dict[str, Callable[[Run], str]] = {
    "compare": lambda run: "?" + "&".join(f"run={key}" for key in run.project.runs.values_list("key", flat=True)),
    "ladder": lambda run: "?" + "&".join(f"run={key}" for key in run.project.runs.values_list("key", flat=True)),
    "economics": lambda run: "?" + "&".join(f"run={key}" for key in run.project.runs.values_list("key", flat=True)),
    "slices": lambda run: "?a=topic&b=audience",
}


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_a_picture_of_every_page(open_tab: Callable[..., Tab], note: tuple[Run, User], width: int) -> None:
    run, user = note
    rest = make_session(run, None, Wish(name="The rest", how="all"))
    folder = FOLDER / "pages"
    folder.mkdir(parents=True, exist_ok=True)
    for name, arguments in PAGES.items():
        path = reverse(name, args=arguments(run, rest)) + (ASKED[name](run) if name in ASKED else "")
        tab = open_tab(path, user=user, width=width, height=900)
        tab.page.screenshot(path=folder / f"{name}-{width}.jpg", type="jpeg", quality=80)
        assert tab.complaints == []
