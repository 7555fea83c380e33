"""Log-in, sessions, roles: SEC-08 to SEC-10 of the security model, on the running pages."""

from __future__ import annotations

from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import Settings

from tests.factories import PASSWORD, make_member, make_project
from triage.models import Member, Project, Role
from triage.people import change_role, remove
from triage.throttle import client_ip

pytestmark = pytest.mark.django_db
NEW = "quite another pass-phrase"
HERE, THERE = "192.0.2.7", "192.0.2.8"


@pytest.fixture
def project(settings: Settings) -> Project:
    settings.AXES_ENABLED = True
    project = make_project()
    make_member(project, Role.OWNER, "mira")
    return project


def log_in(client: Client, username: str, password: str, address: str = HERE, **more: str) -> int:
    data = {"username": username, "password": password}
    return client.post("/login/", data, REMOTE_ADDR=address, **more).status_code  # type: ignore[arg-type]


def test_SEC09_wrong_passwords_make_one_name_from_one_address_wait(project: Project) -> None:
    make_member(project, Role.VIEWER, "ben")
    assert [log_in(Client(), "mira", "wrong") for _ in range(6)] == [200, 200, 200, 200, 429, 429]
    answer = Client().post("/login/", {"username": "mira", "password": PASSWORD}, REMOTE_ADDR=HERE)
    assert answer.status_code == 429
    assert "Try again in 15 minutes" in answer.content.decode()
    assert answer.headers["Retry-After"] == "900"
    assert log_in(Client(), "mira", PASSWORD, THERE) == 302
    assert log_in(Client(), "ben", PASSWORD) == 302


def test_SEC09_the_wait_is_told_as_it_is_and_ends(project: Project) -> None:
    for _ in range(5):
        log_in(Client(), "mira", "wrong")
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=11, seconds=30))
    answer = Client().post("/login/", {"username": "mira", "password": "wrong"}, REMOTE_ADDR=HERE)
    assert "Try again in 4 minutes" in answer.content.decode()
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=16))
    assert log_in(Client(), "mira", PASSWORD) == 302


def test_SEC09_a_right_password_forgets_the_wrong_ones(project: Project) -> None:
    for _ in range(3):
        assert [log_in(Client(), "mira", "wrong") for _ in range(4)] == [200] * 4
        assert log_in(Client(), "mira", PASSWORD) == 302


def test_SEC09_many_names_from_one_address_make_everybody_there_wait(project: Project, settings: Settings) -> None:
    settings.LOGIN_FAILURES_PER_ADDRESS = 8
    assert [log_in(Client(), f"name{turn % 7}", "wrong") for turn in range(9)] == [200] * 8 + [429]
    answer = Client().post("/login/", {"username": "mira", "password": PASSWORD}, REMOTE_ADDR=HERE)
    assert answer.status_code == 429
    assert "Too many wrong passwords</b> from here. Try again in 15 minutes" in answer.content.decode()
    assert log_in(Client(), "mira", PASSWORD, THERE) == 302


def test_SEC09_an_address_is_free_when_enough_of_its_attempts_are_old(project: Project, settings: Settings) -> None:
    settings.LOGIN_FAILURES_PER_ADDRESS = 3
    for turn in range(3):
        log_in(Client(), f"name{turn}", "wrong")
    now = timezone.now()
    for minutes in range(3):
        old = now - timedelta(minutes=10 + minutes, seconds=30)
        AccessAttempt.objects.filter(username=f"name{minutes}").update(attempt_time=old)
    answer = Client().post("/login/", {"username": "mira", "password": PASSWORD}, REMOTE_ADDR=HERE)
    assert "Try again in 3 minutes" in answer.content.decode(), "when the oldest of the three is 15 minutes old"
    AccessAttempt.objects.filter(username="name2").update(attempt_time=now - timedelta(minutes=16))
    assert log_in(Client(), "mira", PASSWORD) == 302


def test_SEC09_known_unknown_and_inactive_names_are_answered_alike(project: Project) -> None:
    off = make_member(project, Role.VIEWER, "formerly-ann")
    off.is_active = False
    off.save()
    pages = set()
    for name, password in (("mira", "wrong"), ("nobody", "wrong"), ("formerly-ann", PASSWORD)):
        answer = Client().post("/login/", {"username": name, "password": password}, REMOTE_ADDR=HERE)
        assert answer.status_code == 200
        csrf = str(answer.context["csrf_token"])
        pages.add(answer.content.decode().replace(csrf, "").replace(name, ""))
    assert len(pages) == 1


def test_SEC09_no_password_is_kept_of_a_failed_attempt(project: Project) -> None:
    log_in(Client(), "mira", "my other site's password")
    assert "other site" not in str(list(AccessAttempt.objects.values()))


@pytest.mark.parametrize(
    ("proxies", "forwarded", "seen"),
    [
        (0, "203.0.113.9", HERE),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "10.0.0.1, 203.0.113.9", "203.0.113.9"),
        (2, "10.0.0.1, 203.0.113.9, 10.1.1.1", "203.0.113.9"),
        (2, "203.0.113.9", HERE),
        (1, "", HERE),
    ],
)
def test_SEC09_only_ones_own_proxies_say_where_a_request_comes_from(
    settings: Settings, proxies: int, forwarded: str, seen: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    request = RequestFactory().post("/login/", REMOTE_ADDR=HERE, HTTP_X_FORWARDED_FOR=forwarded)
    assert client_ip(request) == seen


@pytest.mark.parametrize("weak", ["12345678901", "password1", "short7", "83921746503"])
def test_SEC09_a_weak_password_is_refused(project: Project, client: Client, weak: str) -> None:
    assert log_in(client, "mira", PASSWORD) == 302
    data = {"old_password": PASSWORD, "new_password1": weak, "new_password2": weak}
    assert client.post("/password/", data).status_code == 200
    assert log_in(Client(), "mira", weak) == 200


def test_SEC08_the_session_key_changes_at_log_in(project: Project, client: Client) -> None:
    client.cookies["sessionid"] = "a" * 32
    assert log_in(client, "mira", PASSWORD) == 302
    assert client.cookies["sessionid"].value != "a" * 32


def test_SEC08_every_other_session_dies_with_the_password(project: Project) -> None:
    here, elsewhere = Client(), Client()
    assert log_in(here, "mira", PASSWORD) == log_in(elsewhere, "mira", PASSWORD) == 302
    data = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert here.post("/password/", data).status_code == 302
    page = f"/p/{project.slug}/runs/"
    assert here.get(page).status_code == 200
    assert elsewhere.get(page).status_code == 302
    assert elsewhere.get(page, headers={"HX-Request": "true"}).status_code == 401


def test_SEC08_every_session_dies_with_the_account(project: Project, client: Client) -> None:
    ben = make_member(project, Role.VIEWER, "ben")
    assert log_in(client, "ben", PASSWORD) == 302
    ben.is_active = False
    ben.save()
    assert client.get(f"/p/{project.slug}/runs/").status_code == 302


def test_SEC07_another_role_holds_from_the_next_request_on(project: Project, client: Client) -> None:
    ben = make_member(project, Role.LEAD, "ben")
    assert log_in(client, "ben", PASSWORD) == 302
    settings_page = f"/p/{project.slug}/settings/"
    assert client.get(settings_page).status_code == 200
    change_role(Member.objects.get(user=ben), Role.VIEWER)
    assert client.get(settings_page).status_code == 403
    remove(Member.objects.get(user=ben))
    assert client.get(settings_page).status_code == 404


def test_SEC08_next_leads_nowhere_else(project: Project) -> None:
    for target in ("https://example.org/", "//example.org", "javascript:alert(1)"):
        data = {"username": "mira", "password": PASSWORD, "next": target}
        assert Client().post("/login/", data).headers["Location"] == "/"


def test_SEC08_a_post_without_a_token_is_refused(project: Project) -> None:
    client = Client(enforce_csrf_checks=True)
    assert log_in(client, "mira", PASSWORD) == 403


def test_SEC10_nobody_registers_without_an_invitation(client: Client) -> None:
    for path in ("/signup/", "/register/", "/accounts/signup/"):
        assert client.post(path, {"username": "eve", "password": NEW}).status_code in {302, 404}
    assert client.post("/join/nonsense/", {"username": "eve", "password": NEW}).status_code == 410
