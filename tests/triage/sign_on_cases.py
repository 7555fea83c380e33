"""Log-in by a provider, against a real local one. Settings differ: test_sign_on.py runs these in a process apart."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from allauth.socialaccount.models import SocialAccount
from axes.models import AccessAttempt
from django.conf import settings as given
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from tests.factories import PASSWORD, make_member, make_project
from tests.provider import CLIENT_ID, CLIENT_SECRET, EMAIL, KID, SUBJECT, Provider, new_key, providing
from triage.core.identity import SUBJECT_MOST_CHARS, WORDS, Refusal
from triage.invite import first_lead, invite
from triage.models import Change, Member, Project, Role

pytestmark = pytest.mark.django_db
LEAVE, RETURN = "/login/single-sign-on/", "/login/single-sign-on/return/"
HERE = "192.0.2.7"


@pytest.fixture(scope="session")
def _running() -> Iterator[Provider]:
    with providing(urlsplit(given.OIDC_ISSUER).port or 0) as provider:
        yield provider


@pytest.fixture
def provider(_running: Provider, settings: Settings) -> Provider:
    settings.AXES_ENABLED = True
    _running.forget()
    return _running


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def mira(project: Project) -> User:
    """Somebody with a password, whom the operator has given the address that the provider knows."""
    user = make_member(project, Role.REVIEWER, "mira")
    call_command("account_email", "mira", EMAIL, stdout=StringIO())
    return user


def come_back(provider: Provider, client: Client, asked: dict[str, str] | None = None) -> HttpResponse:
    """Leave for the provider, log in there and come back."""
    left = client.get(LEAVE, asked or {}, REMOTE_ADDR=HERE)
    assert left.status_code == 302, left.content.decode()
    return client.get(RETURN, provider.consent(left["Location"]), REMOTE_ADDR=HERE)  # type: ignore[return-value]


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def assert_refused(answer: HttpResponse, client: Client, reason: Refusal) -> None:
    page = answer.content.decode()
    assert WORDS[reason].replace("'", "&#x27;") in page, page[-1500:]
    assert answer.status_code in {400, 403, 502}
    assert not is_in(client)


# --- in


def test_SEC09_somebody_whose_address_is_verified_gets_into_their_account(provider: Provider, mira: User) -> None:
    client = Client()
    answer = come_back(provider, client, {"next": "/keys/"})
    assert (answer.status_code, answer["Location"]) == (302, "/keys/")
    assert client.session["_auth_user_id"] == str(mira.pk)
    rows = Change.objects.filter(who="mira").order_by("pk").values_list("action", "via", "place")
    assert list(rows) == [("account.linked", "page", "sign_on_return"), ("account.logged_in", "page", "sign_on_return")]
    again = Client()
    provider.userinfo = {"email": "new@example.org", "email_verified": False}
    assert come_back(provider, again).status_code == 302
    assert again.session["_auth_user_id"] == str(mira.pk), "by issuer and subject, whatever the address is now"
    assert SocialAccount.objects.count() == 1


def test_SEC09_nothing_of_the_person_is_kept_but_the_providers_id_of_them(provider: Provider, mira: User) -> None:
    come_back(provider, Client())
    row = SocialAccount.objects.get()
    assert (row.provider, row.uid, row.extra_data, row.user) == (provider.issuer, SUBJECT, {}, mira)


def test_SEC09_the_log_in_is_bound_by_state_nonce_and_pkce(provider: Provider, mira: User) -> None:
    asked = {name: values[0] for name, values in parse_qs(urlsplit(Client().get(LEAVE)["Location"]).query).items()}
    assert asked["response_type"] == "code"
    assert asked["code_challenge_method"] == "S256"
    assert {"openid", "email", "profile"} == set(asked["scope"].split())
    assert len(asked["nonce"]) == 64
    assert len(asked["state"]) >= 16
    assert asked["redirect_uri"] == "http://testserver" + RETURN


def test_SEC08_the_session_is_a_new_one_and_the_way_on_stays_here(provider: Provider, mira: User) -> None:
    client = Client()
    client.get(LEAVE)
    before = client.cookies["sessionid"].value
    answer = come_back(provider, client, {"next": "https://elsewhere.example/"})
    assert answer["Location"] == "/"
    assert client.cookies["sessionid"].value != before


def test_SEC10_an_invitation_makes_one_account_without_a_password(provider: Provider, project: Project) -> None:
    token = invite(project, Role.REVIEWER)
    assert "Join with Example accounts" in Client().get(f"/join/{token}/").content.decode()
    provider.userinfo = {"email_verified": None, "preferred_username": "Mira <M>"}
    client = Client()
    assert come_back(provider, client, {"invitation": token}).status_code == 302
    user = User.objects.get()
    assert (user.username, user.email, user.has_usable_password()) == ("MiraM", "", False)
    assert Member.objects.get().role == Role.REVIEWER
    assert Client().get(f"/join/{token}/").status_code == 410
    actions = list(Change.objects.filter(who="MiraM").order_by("pk").values_list("action", flat=True))
    assert actions == ["member.joined", "account.linked", "account.logged_in"]
    assert token not in str(list(Change.objects.values()))


def test_SEC10_somebody_with_an_account_joins_one_more_project(provider: Provider, mira: User) -> None:
    come_back(provider, Client())
    other = make_project()
    token = invite(other, Role.VIEWER)
    assert come_back(provider, Client(), {"invitation": token}).status_code == 302
    assert User.objects.count() == 1
    assert Member.objects.get(project=other).user == mira
    spare = invite(other, Role.OWNER)
    come_back(provider, Client(), {"invitation": spare})
    assert Member.objects.get(project=other).role == Role.VIEWER, "a member's role is changed by owners"
    assert Client().get(f"/join/{spare}/").status_code == 200, "and the link is still good for somebody else"


def test_SEC10_a_name_that_is_taken_gets_a_number(provider: Provider, project: Project) -> None:
    make_member(project, Role.VIEWER, "MIRA.M")
    come_back(provider, Client(), {"invitation": invite(project, Role.VIEWER)})
    assert User.objects.filter(username="mira.m-2").exists()


def test_SEC10_the_operator_may_admit_whoever_is_of_a_domain_as_viewer(
    provider: Provider, project: Project, settings: Settings
) -> None:
    settings.OIDC_ADMIT_TO, settings.OIDC_DOMAINS = project.slug, ["Example.org"]
    client = Client()
    assert come_back(provider, client).status_code == 302
    assert Member.objects.get().role == Role.VIEWER
    assert is_in(client)


def test_SEC09_groups_decide_where_the_operator_names_some(provider: Provider, mira: User, settings: Settings) -> None:
    settings.OIDC_GROUPS = ["triage", "evaluation"]
    for groups in (None, "other", ["other"], [["triage"]], {"triage": 1}, 7):
        provider.userinfo = {"groups": groups}
        client = Client()
        assert_refused(come_back(provider, client), client, Refusal.OUTSIDE)
    for token, userinfo in (({}, {"groups": ["a", "triage"]}), ({"groups": "evaluation"}, {})):
        provider.token, provider.userinfo = token, userinfo
        assert come_back(provider, Client()).status_code == 302


# --- not in


def signed_by(algorithm: str, key: Any) -> Callable[[dict[str, Any]], str]:
    return lambda claims: jwt.encode(claims, key, algorithm=algorithm, headers={"kid": KID})


FORGED: dict[str, Callable[[Provider], None]] = {
    "bad_signature": lambda provider: setattr(provider, "signing_key", new_key()),
    "no_signature": lambda provider: setattr(provider, "sign", signed_by("none", None)),
    "signed_with_the_secret": lambda provider: setattr(provider, "sign", signed_by("HS256", CLIENT_SECRET)),
    "cut": lambda provider: setattr(provider, "sign", lambda claims: "a.b"),
    "no_token": lambda provider: setattr(provider, "sign", lambda claims: None),
    "no_text": lambda provider: setattr(provider, "sign", lambda claims: {"sub": SUBJECT}),
    "unknown_key": lambda provider: setattr(
        provider, "sign", lambda claims: jwt.encode(claims, provider.key, "RS256", headers={"kid": "key-2"})
    ),
    "wrong_nonce": lambda provider: provider.token.update(nonce="another"),
    "no_nonce": lambda provider: provider.token.update(nonce=None),
    "wrong_audience": lambda provider: provider.token.update(aud="another-client"),
    "two_audiences": lambda provider: provider.token.update(aud=[CLIENT_ID, "another-client"]),
    "two_audiences_for_another": lambda provider: provider.token.update(aud=[CLIENT_ID, "another"], azp="another"),
    "wrong_issuer": lambda provider: provider.token.update(iss="https://elsewhere.example"),
    "expired": lambda provider: provider.token.update(iat=int(time.time()) - 900, exp=int(time.time()) - 300),
    "no_expiry": lambda provider: provider.token.update(exp=None),
    "from_the_future": lambda provider: provider.token.update(iat=int(time.time()) + 600),
    "another_subject": lambda provider: provider.userinfo.update(sub="subject-0002"),
    "no_subject_in_userinfo": lambda provider: provider.userinfo.update(sub=None),
    "no_subject": lambda provider: provider.token.update(sub=None),
    "long_subject": lambda provider: (
        provider.token.update(sub="s" * (SUBJECT_MOST_CHARS + 1)),
        provider.userinfo.update(sub="s" * (SUBJECT_MOST_CHARS + 1)),
    ),
    "nul_in_subject": lambda provider: (provider.token.update(sub="s\0"), provider.userinfo.update(sub="s\0")),
}


@pytest.mark.parametrize("how", FORGED)
def test_SEC09_an_answer_that_is_not_proven_lets_nobody_in(provider: Provider, mira: User, how: str) -> None:
    FORGED[how](provider)
    client = Client()
    assert_refused(come_back(provider, client), client, Refusal.UNPROVEN)
    assert not SocialAccount.objects.exists()


def test_SEC09_two_audiences_are_taken_where_the_token_says_it_is_ours(provider: Provider, mira: User) -> None:
    provider.token = {"aud": [CLIENT_ID, "another"], "azp": CLIENT_ID}
    assert come_back(provider, Client()).status_code == 302


@pytest.mark.parametrize("verified", [False, None, "false", 1.5, "yes", []])
def test_SEC09_an_address_that_is_not_verified_opens_nothing(
    provider: Provider, mira: User, verified: object, settings: Settings
) -> None:
    provider.userinfo = {"email_verified": verified}
    client = Client()
    assert_refused(come_back(provider, client), client, Refusal.NO_ACCOUNT)
    settings.OIDC_ADMIT_TO = Project.objects.get().slug
    assert_refused(come_back(provider, client), client, Refusal.UNVERIFIED)
    settings.OIDC_DOMAINS = ["example.org"]
    assert_refused(come_back(provider, client), client, Refusal.UNVERIFIED)
    assert User.objects.count() == 1


@pytest.mark.parametrize("email", ["mira@sub.example.org", "mira@example.org.evil.example", "mira@evil.example", "x"])
def test_SEC09_another_domain_is_outside(provider: Provider, mira: User, email: str, settings: Settings) -> None:
    settings.OIDC_DOMAINS = ["example.org"]
    provider.userinfo = {"email": email}
    client = Client()
    assert_refused(come_back(provider, client), client, Refusal.OUTSIDE)


def test_SEC10_nobody_gets_an_account_silently(provider: Provider, project: Project) -> None:
    make_member(project, Role.OWNER, EMAIL)  # a name somebody chose is no address somebody verified
    for invitation in ("", "no-such-link", first_lead()):
        client = Client()
        assert_refused(come_back(provider, client, {"invitation": invitation}), client, Refusal.NO_ACCOUNT)
    assert User.objects.count() == 1
    assert AccessAttempt.objects.count() == 0, "having no account is no attack"


def test_SEC09_an_account_that_is_switched_off_is_answered_as_none(provider: Provider, mira: User) -> None:
    come_back(provider, Client())
    User.objects.update(is_active=False)
    client = Client()
    assert_refused(come_back(provider, client), client, Refusal.NO_ACCOUNT)
    SocialAccount.objects.all().delete()
    assert_refused(come_back(provider, client), client, Refusal.NO_ACCOUNT)


def test_SEC09_an_address_given_to_somebody_else_opens_no_linked_account(provider: Provider, mira: User) -> None:
    come_back(provider, Client())
    provider.token = provider.userinfo = {"sub": "subject-0002"}
    client = Client()
    assert_refused(come_back(provider, client), client, Refusal.NO_ACCOUNT)


def test_SEC09_two_accounts_with_one_address_are_nobodys(provider: Provider, mira: User, project: Project) -> None:
    make_member(project, Role.OWNER, "second")
    with pytest.raises(CommandError, match="Another account"):
        call_command("account_email", "second", EMAIL.upper())
    User.objects.update(email=EMAIL)
    client = Client()
    assert_refused(come_back(provider, client), client, Refusal.NO_ACCOUNT)


@pytest.mark.parametrize(("name", "address"), [("nobody", EMAIL), ("mira", "no address")])
def test_a_wrong_address_is_said(mira: User, name: str, address: str) -> None:
    with pytest.raises(CommandError):
        call_command("account_email", name, address)
    assert User.objects.get().email == EMAIL


def test_SEC08_an_answer_is_good_once_and_in_its_own_browser(provider: Provider, mira: User) -> None:
    client, other = Client(), Client()
    back = provider.consent(client.get(LEAVE)["Location"])
    assert_refused(other.get(RETURN, back), other, Refusal.STALE)  # type: ignore[arg-type]
    assert client.get(RETURN, back).status_code == 302
    client.logout()
    assert_refused(client.get(RETURN, back), client, Refusal.STALE)  # type: ignore[arg-type]
    for odd in ({}, {"state": "x\0"}, {"state": "x", "code": "\0"}, {"code": "1"}, {"error": "access_denied"}):
        assert_refused(client.get(RETURN, odd), client, Refusal.STALE)  # type: ignore[arg-type]
    for method in ("post", "put", "delete"):
        assert getattr(client, method)(RETURN).status_code == getattr(client, method)(LEAVE).status_code == 405


def test_SEC08_who_says_no_there_is_told_so(provider: Provider, mira: User) -> None:
    for error in ("access_denied", "server_error"):
        client = Client()
        state = provider.consent(client.get(LEAVE)["Location"])["state"]
        answer = client.get(RETURN, {"state": state, "error": error, "error_description": "<b>x</b>"})
        assert_refused(answer, client, Refusal.CANCELLED)  # type: ignore[arg-type]
        assert "<b>x</b>" not in answer.content.decode()


BROKEN = {
    "error": (500, "text/html", b"<h1>down</h1>"),
    "page": (200, "text/html", b"<h1>a proxy asks for money</h1>"),
    "redirect": (307, "text/plain", b"http://127.0.0.1:9/"),
    "null": (200, "application/json", b"null"),
    "list": (200, "application/json", b"[]"),
    "empty": (200, "application/json", b"{}"),
    "deep": (200, "application/json", b"[" * 100_000),
    "surrogate": (200, "application/json", b'{"access_token": "\\ud800", "sub": "\\ud800", "keys": "\\ud800"}'),
}
DESCRIPTION = "/.well-known/openid-configuration"


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("path", [DESCRIPTION, "/token", "/keys", "/userinfo"])
def test_SEC03_a_provider_that_answers_nonsense_is_no_500(provider: Provider, mira: User, path: str, how: str) -> None:
    client = Client()
    left = client.get(LEAVE)
    provider.answers[path] = BROKEN[how]
    answer = client.get(RETURN, provider.consent(left["Location"]))
    assert answer.status_code in {403, 502}
    assert not is_in(client)
    if path == DESCRIPTION:
        assert client.get(LEAVE).status_code == 502


@pytest.mark.parametrize(
    "wrong",
    [
        {"issuer": "https://elsewhere.example"},
        {"token_endpoint": None},
        {"jwks_uri": "file:///etc/passwd"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"userinfo_endpoint": 7},
    ],
)
def test_SEC03_a_description_that_is_not_of_this_issuer_is_not_used(
    provider: Provider, mira: User, wrong: dict[str, object]
) -> None:
    provider.answers[DESCRIPTION] = (200, "application/json", json.dumps(provider.describe() | wrong).encode())
    assert Client().get(LEAVE).status_code == 502


def test_SEC03_the_clients_secret_follows_no_redirect(provider: Provider, mira: User) -> None:
    client = Client()
    left = client.get(LEAVE)
    provider.answers["/token"] = (307, "text/plain", f"{provider.issuer}/userinfo".encode())
    assert client.get(RETURN, provider.consent(left["Location"])).status_code == 502
    assert [path for path, _, sent in provider.asked if "client_secret" in sent] == ["/token"]


# --- waiting


def test_SEC09_forged_answers_make_the_address_wait_as_wrong_passwords_do(provider: Provider, mira: User) -> None:
    provider.signing_key = new_key()
    assert [come_back(provider, Client()).status_code for _ in range(5)] == [403] * 4 + [429]
    provider.signing_key = provider.key
    waiting = Client().get(LEAVE, REMOTE_ADDR=HERE)
    assert waiting.status_code == 429
    assert waiting.headers["Retry-After"] == "900"
    assert "answers that could not be proven" in waiting.content.decode()
    assert "single sign-on" not in waiting.content.decode(), "what is counted under is no name to show"
    assert Client().get(RETURN, {"state": "x"}, REMOTE_ADDR=HERE).status_code == 429
    assert Client().get(LEAVE, REMOTE_ADDR="192.0.2.8").status_code == 302
    assert Client().post("/login/", {"username": "mira", "password": PASSWORD}, REMOTE_ADDR=HERE).status_code == 302
    kept = str(list(AccessAttempt.objects.values()))
    assert "code-" not in kept


def test_SEC09_an_address_that_tried_too_many_passwords_waits_here_too(
    provider: Provider, mira: User, settings: Settings
) -> None:
    settings.LOGIN_FAILURES_PER_ADDRESS = 3
    for turn in range(3):
        Client().post("/login/", {"username": f"name{turn}", "password": "wrong"}, REMOTE_ADDR=HERE)
    assert Client().get(LEAVE, REMOTE_ADDR=HERE).status_code == 429


# --- around


def test_the_log_in_page_shows_the_door_and_keeps_where_one_wanted_to_go(provider: Provider) -> None:
    page = Client().get("/login/?next=/keys/").content.decode()
    assert f'href="{LEAVE}?next=/keys/"' in page
    assert "Log in with Example accounts" in page


def test_SEC11_none_of_allauths_own_pages_is_there(provider: Provider) -> None:
    for path in ("/accounts/", "/accounts/login/", "/accounts/signup/", "/accounts/oidc/oidc/login/", "/signup/"):
        assert Client().get(path).status_code in {302, 404}
        assert "allauth" not in Client().get(path, follow=True).content.decode()


def test_SEC01_the_checks_find_nothing_with_the_provider_switched_on(provider: Provider) -> None:
    call_command("check", fail_level="INFO")
    call_command("makemigrations", check=True, dry_run=True, stdout=StringIO())
