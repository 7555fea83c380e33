"""Tokens: the keys of programs."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.factories import PASSWORD, make_member, make_project
from triage.models import ApiToken, Change, Member, Project, Role, Scope
from triage.tokens import LONGEST_DAYS, make, opened, revoke

pytestmark = pytest.mark.django_db
WISH = {"name": "nightly", "scopes": ["import", "gate"], "days": "30"}


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def lead(project: Project) -> User:
    return make_member(project, Role.LEAD)


def test_SEC12_a_secret_is_256_random_bits_and_is_not_stored(project: Project, lead: User) -> None:
    secrets = [make(project, lead, "a", ["read"], 1)[1] for _ in range(50)]
    assert len(set(secrets)) == 50
    assert all(len(secret.split("_", 2)[2]) == 43 for secret in secrets)  # 32 bytes as base64 without padding
    with connection.cursor() as cursor:
        cursor.execute("SELECT row_to_json(t)::text FROM triage_apitoken t")
        dump = "".join(row[0] for row in cursor.fetchall())
    assert not any(secret in dump or secret.split("_", 2)[2] in dump for secret in secrets)


def test_SEC12_a_secret_is_shown_once(client: Client, project: Project, lead: User) -> None:
    client.force_login(lead)
    response = client.post(f"/p/{project.slug}/tokens/", WISH)
    page = response.content.decode()
    secret = re.findall(r"ragt_\w{10}_[\w-]{43}", page)[0]
    assert response.headers["Cache-Control"] == "no-store"
    token = opened(secret)
    assert token is not None
    assert (token.scopes, token.name) == (["gate", "import"], "nightly")
    later = client.get(f"/p/{project.slug}/tokens/").content.decode()
    assert token.prefix in later
    assert secret not in later


def test_SEC12_a_token_says_when_it_was_last_used(project: Project, lead: User) -> None:
    token, secret = make(project, lead, "a", ["read"], 1)
    assert token.last_used_at is None
    assert opened(secret)
    used = ApiToken.objects.get().last_used_at
    assert used is not None
    assert opened(secret)
    assert ApiToken.objects.get().last_used_at == used  # to the minute: no write for every call


@pytest.mark.parametrize("end", ["revoked", "expired", "left", "deactivated"])
def test_SEC12_a_token_stops(project: Project, lead: User, end: str) -> None:
    token, secret = make(project, lead, "a", ["read"], 1)
    assert opened(secret) == token
    if end == "revoked":
        assert revoke(token)
        assert not revoke(token)
    elif end == "expired":
        ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif end == "left":
        Member.objects.filter(user=lead).delete()
    else:
        User.objects.update(is_active=False)
    assert opened(secret) is None


@pytest.mark.parametrize("wrong", ["", "ragt_", "ragt_abc_def", "\ud800", "x" * 100_000])
def test_SEC12_what_is_no_secret_opens_nothing(wrong: str, project: Project, lead: User) -> None:
    make(project, lead, "a", ["read"], 1)
    assert opened(wrong) is None


def test_SEC08_a_new_password_stops_what_was_made_in_the_browser(client: Client, project: Project, lead: User) -> None:
    _, in_browser = make(project, lead, "a", ["read"], 1)
    _, by_operator = make(project, lead, "b", ["read"], 1, by_command=True)
    _, of_others = make(project, make_member(project, Role.LEAD), "c", ["read"], 1)
    client.force_login(lead)
    new = "another quiet long phrase"
    fields = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert client.post("/password/", fields).status_code == 302
    assert opened(in_browser) is None
    assert opened(by_operator)
    assert opened(of_others)


def test_a_token_lives_a_year_at_most(project: Project, lead: User) -> None:
    for days in (0, -1, LONGEST_DAYS + 1):
        with pytest.raises(ValueError, match="1 to"):
            make(project, lead, "a", ["read"], days)


def test_a_form_that_asks_for_nothing_makes_nothing(client: Client, project: Project, lead: User) -> None:
    client.force_login(lead)
    for wrong in ({"scopes": []}, {"scopes": ["everything"]}, {"days": "4000"}, {"name": ""}):
        assert client.post(f"/p/{project.slug}/tokens/", {**WISH, **wrong}).status_code == 200
    assert not ApiToken.objects.exists()


def test_SEC23_a_form_cannot_choose_another_project_or_maker(client: Client, project: Project, lead: User) -> None:
    other = make_member(make_project(), Role.OWNER)
    client.force_login(lead)
    more = {"project": other.memberships.get().project_id, "made_by": other.pk, "by_command": "on", "secret_hash": "0"}
    client.post(f"/p/{project.slug}/tokens/", {**WISH, **more})
    token = ApiToken.objects.get()
    assert (token.project, token.made_by, token.by_command) == (project, lead, False)
    assert token.secret_hash != "0"


def test_a_lead_revokes_a_token_of_the_project_only(client: Client, project: Project, lead: User) -> None:
    mine, _ = make(project, lead, "a", ["read"], 1)
    elsewhere = make_project()
    foreign, secret = make(elsewhere, make_member(elsewhere, Role.LEAD), "b", ["read"], 1)
    client.force_login(lead)
    assert client.post(f"/p/{project.slug}/tokens/{mine.pk}/revoke/").status_code == 302
    assert client.post(f"/p/{project.slug}/tokens/{foreign.pk}/revoke/").status_code == 404
    assert opened(secret)
    assert "Revoked" in client.get(f"/p/{project.slug}/tokens/").content.decode()


def test_the_page_asks_the_same_number_of_queries_for_many(client: Client, project: Project, lead: User) -> None:
    client.force_login(lead)

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/p/{project.slug}/tokens/")
        return len(queries)

    make(project, lead, "a", ["read"], 1)
    client.get(f"/p/{project.slug}/tokens/")
    few = asked()
    for number in range(20):
        make(project, make_member(project), f"t{number}", ["read"], 1)
    assert asked() == few


def command(*words: str, **options: object) -> str:
    out = StringIO()
    call_command("tokens", *words, stdout=out, **options)
    return out.getvalue().strip()


def test_the_command_makes_lists_and_revokes(project: Project) -> None:
    owner = make_member(project, Role.OWNER)
    secret = command("--project", project.slug, "--make", "nightly", "--scopes", "import, gate", "--days", "7")
    token = opened(secret)
    assert token is not None
    assert (token.made_by, token.scopes, token.by_command) == (owner, ["gate", "import"], True)
    told = json.loads(command("--project", project.slug, "--json"))["tokens"]
    assert [(row["prefix"], row["state"]) for row in told] == [(token.prefix, "good")]
    assert secret not in json.dumps(told)
    assert command("--project", project.slug, "--revoke", token.prefix) == "Revoked."
    assert opened(secret) is None
    assert "revoked" in command("--project", project.slug)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--make", "a", "--scopes", "root"], "Scopes are some of"),
        (["--make", "a", "--scopes", ""], "Scopes are some of"),
        (["--make", "a", "--days", "9999"], "1 to 366"),
        (["--make", "a", "--as", "nobody"], "no member 'nobody'"),
        (["--revoke", "ragt_nothing"], "no token"),
    ],
)
def test_the_command_says_what_is_wrong(project: Project, words: list[str], says: str) -> None:
    make_member(project, Role.OWNER)
    with pytest.raises(CommandError, match=re.escape(says)) as fault:
        command("--project", project.slug, *words)
    assert fault.value.returncode == 2


def test_the_command_needs_somebody_whose_role_bounds_the_token(project: Project) -> None:
    with pytest.raises(CommandError, match="no owner"):
        command("--project", project.slug, "--make", "a")
    with pytest.raises(CommandError, match="no project"):
        command("--project", "nowhere")


def test_every_scope_says_what_it_opens() -> None:
    assert all(scope.label and scope.label != scope.value for scope in Scope)


def test_a_password_given_by_command_stops_tokens_and_sessions_and_is_written_down(
    project: Project, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Client()
    browser.force_login(lead)
    kept, secret = make(project, lead, "server", ["read"], 7, by_command=True)
    _, gone = make(project, lead, "laptop", ["read"], 7)
    monkeypatch.setattr("getpass.getpass", lambda prompt: "quite another pass-phrase")
    out = StringIO()
    call_command("changepassword", lead.get_username(), stdout=out)
    assert "Tokens stopped: 1." in out.getvalue()
    assert (opened(gone), opened(secret)) == (None, kept)
    assert browser.get(f"/p/{project.slug}/runs/").status_code == 302
    row = Change.objects.get(action="account.password_changed")
    assert (row.key, row.new) == (lead.get_username(), {"tokens_revoked": 1})
