"""How people get in and stay out: log-in, links, sessions, forged forms, and what a browser may keep."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.factories import PASSWORD, make_member, make_project, make_run
from tests.house.test_urls import PUBLIC, patterns
from triage.invite import invite
from triage.models import Member, Project, Role

pytestmark = pytest.mark.django_db
NEW = "another quiet long pass-phrase"


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def lead(project: Project) -> User:
    return make_member(project, Role.LEAD)


def logged_in(user: User, **options: bool) -> Client:
    """Return a browser that typed its password."""
    client = Client(**options)  # type: ignore[arg-type]
    page = client.get("/login/").content.decode()
    typed = {"username": user.username, "password": PASSWORD, "csrfmiddlewaretoken": hidden(page)}
    assert client.post("/login/", typed).status_code == 302
    return client


def hidden(page: str) -> str:
    """Return the token a form of the page would send."""
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert found, page[:300]
    return found[1]


# --- headers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/login/", "/no-such-page/", "/healthz", "/api/v1/token", "/join/no-such-link/"])
def test_SEC06_every_answer_carries_the_policy_without_a_hole(path: str) -> None:
    policy = Client().get(path).headers["Content-Security-Policy"]
    directives = dict(part.strip().partition(" ")[::2] for part in policy.split(";"))
    assert directives == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "font-src": "'self'",
        "connect-src": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
    }


def test_SEC21_no_browser_keeps_a_page_or_shows_it_in_a_frame(project: Project, lead: User) -> None:
    run, client = make_run(project), logged_in(lead)
    for path in (f"/runs/{run.key}/", f"/runs/{run.key}/queries/", f"/p/{project.slug}/", "/login/", "/nowhere/"):
        answer = client.get(path)
        kept = answer.headers["Cache-Control"]
        assert "no-store" in kept, (path, kept)
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    page = client.get(f"/runs/{run.key}/").content.decode()
    assert 'hx-history="false"' in page
    assert "&quot;allowEval&quot;: false" in page or '"allowEval": false' in page
    assert '"historyCacheSize": 0' in page


def test_SEC21_after_the_log_out_the_same_address_asks_for_the_password(project: Project, lead: User) -> None:
    run, client = make_run(project), logged_in(lead)
    path = f"/runs/{run.key}/"
    assert client.get(path).status_code == 200
    client.post("/logout/")
    assert client.get(path).url == f"/login/?next={path}"  # type: ignore[attr-defined]


# --- forged and stolen -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["", "x" * 64, "none at all"])
def test_SEC08_a_form_without_the_right_token_changes_nothing(project: Project, lead: User, token: str) -> None:
    run, client = make_run(project), logged_in(lead, enforce_csrf_checks=True)
    form = {"name": "forged"} | ({} if token == "none at all" else {"csrfmiddlewaretoken": token})
    for headers in ({}, {"HX-Request": "true"}):
        answer = client.post(f"/runs/{run.key}/rename/", form, headers=headers)
        assert answer.status_code == 403
    run.refresh_from_db()
    assert run.name != "forged"


def test_SEC08_the_token_of_somebody_else_is_no_token(project: Project, lead: User) -> None:
    other = Client()
    foreign = hidden(other.get("/login/").content.decode())
    client = logged_in(lead, enforce_csrf_checks=True)
    answer = client.post("/password/", {"csrfmiddlewaretoken": foreign})
    assert answer.status_code == 403


def test_SEC08_reading_changes_nothing(project: Project, lead: User) -> None:
    run, client = make_run(project), logged_in(lead)
    for path in ("pause/", "cancel/", "delete/", "rename/"):
        client.get(f"/runs/{run.key}/{path}", {"name": "by a link"})
    before = (run.name, run.state)
    run.refresh_from_db()
    assert (run.name, run.state) == before
    assert client.get("/logout/").status_code == 405


def test_SEC08_a_session_known_before_the_log_in_is_worth_nothing_after(lead: User) -> None:
    client = Client()
    client.session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = client.session.session_key or ""
    planted = client.cookies[settings.SESSION_COOKIE_NAME].value
    assert client.post("/login/", {"username": lead.username, "password": PASSWORD}).status_code == 302
    assert client.cookies[settings.SESSION_COOKIE_NAME].value != planted
    thief = Client()
    thief.cookies[settings.SESSION_COOKIE_NAME] = planted
    assert thief.get("/keys/").status_code == 302


def test_SEC08_a_new_password_ends_every_other_session(lead: User) -> None:
    here, elsewhere = logged_in(lead), logged_in(lead)
    form = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert here.post("/password/", form).status_code == 302
    assert here.get("/keys/").status_code == 200
    assert elsewhere.get("/keys/").status_code == 302


def test_SEC08_somebody_deactivated_is_out_at_once(lead: User) -> None:
    client = logged_in(lead)
    User.objects.filter(pk=lead.pk).update(is_active=False)
    assert client.get("/keys/").status_code == 302


@pytest.mark.parametrize(
    "place",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "http:///evil.example"],
)
def test_SEC08_a_log_in_leads_nowhere_else(lead: User, place: str) -> None:
    answer = Client().post(f"/login/?next={place}", {"username": lead.username, "password": PASSWORD, "next": place})
    assert answer.status_code == 302
    assert answer.url == reverse("home")  # type: ignore[attr-defined]


def test_SEC08_cookies_are_for_this_site_and_not_for_scripts(lead: User) -> None:
    cookie = logged_in(lead).cookies[settings.SESSION_COOKIE_NAME]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


# --- getting in ------------------------------------------------------------------------------------------------------


def test_SEC09_unknown_known_and_deactivated_names_get_the_same_answer(lead: User) -> None:
    gone = make_member(make_project(), Role.LEAD, "gone")
    User.objects.filter(pk=gone.pk).update(is_active=False)
    told = set()
    for name, password in ((lead.username, "wrong"), ("nobody", "wrong"), ("gone", "wrong"), ("gone", PASSWORD)):
        answer = Client().post("/login/", {"username": name, "password": password})
        page = answer.content.decode().replace(name, "NAME")
        told.add((answer.status_code, re.sub(r'value="\w{64}"|"X-CSRFToken": "\w+"', "", page)))
    assert len(told) == 1


def test_SEC09_a_name_nobody_has_costs_a_hash_all_the_same(lead: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer takes as long as its hashes: as many are computed for a name that exists as for one that does not."""
    from django.contrib.auth.hashers import MD5PasswordHasher

    hashed: list[str] = []
    encode = MD5PasswordHasher.encode

    def counted(self: MD5PasswordHasher, password: str, salt: str) -> str:
        hashed.append(password)
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
    counts = []
    for name in (lead.username, "nobody"):
        hashed.clear()
        Client().post("/login/", {"username": name, "password": "wrong"})
        counts.append(len(hashed))
    assert counts[0] == counts[1] > 0


def test_SEC10_nobody_registers_without_a_link() -> None:
    names = {str(pattern.name) for pattern in patterns()}
    assert not {name for name in names if re.search("regist|sign_?up|account", name)}
    without_login = {name for name in PUBLIC if not name.startswith("sign_on")}
    assert without_login == {"login", "join", "openapi", "healthz", "readyz", "metrics"}
    for path in ("/register/", "/signup/", "/accounts/signup/", "/admin/", "/join/", "/join/guess/"):
        assert Client().post(path, {"username": "eve", "password": NEW, "password_again": NEW}).status_code in {
            302,  # to the log-in
            404,
            410,
        }
    assert not User.objects.exists()


def test_SEC10_a_link_makes_one_account_with_the_role_it_says(project: Project) -> None:
    token = invite(project, Role.REVIEWER)
    form = {"username": "rene", "password": NEW, "password_again": NEW, "role": "owner", "is_superuser": "on"}
    assert Client().post(f"/join/{token}/", form).status_code == 302
    assert Client().post(f"/join/{token}/", {**form, "username": "eve"}).status_code == 410
    made = User.objects.get()
    assert (made.username, made.is_superuser, made.is_staff) == ("rene", False, False)
    assert Member.objects.get().role == Role.REVIEWER


# --- what is serialised, what is secret ------------------------------------------------------------------------------


def test_SEC15_nothing_is_unpickled_anywhere(settings: Settings) -> None:
    assert settings.SESSION_SERIALIZER.endswith("JSONSerializer")
    assert settings.CELERY_ACCEPT_CONTENT == ["json"]
    assert settings.CELERY_TASK_SERIALIZER == "json"
    assert settings.CELERY_RESULT_BACKEND is None
    places = {cache["BACKEND"] for cache in settings.CACHES.values()}
    assert places <= {
        "django.core.cache.backends.locmem.LocMemCache",  # this process's own memory
        "django.core.cache.backends.dummy.DummyCache",
    }
