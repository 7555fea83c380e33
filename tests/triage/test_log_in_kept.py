"""A log-in from request to request: one look-up for session and account, and none that outlives either."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.utils import timezone

from tests.factories import make_member, make_project, make_user
from triage import sessions
from triage.models import Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def anna(client: Client) -> User:
    """Return somebody who is logged in: this process has written their session."""
    person = make_member(make_project(), Role.REVIEWER)
    client.force_login(person)
    return person


def whose(client: Client) -> User | None:
    """Return whom the client's next request is answered as; None = nobody is logged in."""
    answer = client.get("/password/")
    return answer.wsgi_request.user if answer.status_code == 200 else None


def test_session_and_account_are_read_in_one_statement(client: Client, anna: User) -> None:
    asked: list[str] = []

    def listen(execute: Any, sql: str, *more: Any) -> Any:
        asked.append(sql)
        return execute(sql, *more)

    with connection.execute_wrapper(listen):
        assert whose(client) == anna
    assert len([sql for sql in asked if "django_session" in sql or "auth_user" in sql]) == 1, asked


def test_whoever_logs_out_is_nobody_in_every_window(client: Client, anna: User) -> None:
    other = Client()
    other.cookies = client.cookies.copy()
    client.post("/logout/")
    assert whose(other) is None


def test_a_session_whose_time_is_over_is_nobodys(client: Client, anna: User) -> None:
    Session.objects.update(expire_date=timezone.now())
    assert whose(client) is None


def test_another_password_ends_the_log_in(client: Client, anna: User) -> None:
    anna.set_password("quite another one 1")
    anna.save()
    assert whose(client) is None


def test_an_account_that_is_switched_off_is_nobody_at_once(client: Client, anna: User) -> None:
    User.objects.filter(pk=anna.pk).update(is_active=False)
    assert whose(client) is None
    User.objects.filter(pk=anna.pk).update(is_active=True)
    assert whose(client) == anna


def test_a_deleted_account_is_nobody(client: Client, anna: User) -> None:
    anna.memberships.all().delete()
    anna.delete()
    assert whose(client) is None


@pytest.mark.parametrize("known", [True, False])
def test_a_wrong_guess_never_says_who_asks(client: Client, anna: User, known: bool) -> None:
    key, other = client.session.session_key, make_user()
    sessions._whose.clear()
    if known:
        sessions._whose[key] = other.pk
    assert whose(client) == anna
    assert sessions._whose == {key: anna.pk}


def test_a_way_to_log_in_that_is_gone_lets_nobody_in(client: Client, anna: User, settings: object) -> None:
    settings.AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend"]  # type: ignore[attr-defined]
    assert whose(client) is None


def test_a_key_that_is_replaced_keeps_its_log_in(client: Client, anna: User, settings: object) -> None:
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]  # type: ignore[attr-defined]
    settings.SECRET_KEY = "the key that came after it"  # type: ignore[attr-defined]
    assert whose(client) == anna


def test_no_more_sessions_are_remembered_than_fit(client: Client, anna: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triage.sessions.REMEMBERED", 2)
    for _ in range(4):
        one = Client()
        one.force_login(anna)
        assert whose(one) == anna
    assert len(sessions._whose) <= 2
