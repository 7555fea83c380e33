"""Every address needs a login unless a reason is written here; URL name = view = template."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

#: URL name -> why no login is needed.
PUBLIC: dict[str, str] = {
    "login": "people log in here",
    "join": "a single-use link makes the account; the token is the key",
    "sign_on": "people leave for the operator's own log-in provider; without one there is no such page",
    "sign_on_return": "people come back from there with a proof; without a provider there is no such page",
    "openapi": "the shape of the API, as the source has it; no data",
    "healthz": "a load balancer asks whether the process answers; no version, no count",
    "metrics": "behind a key of its own, which Prometheus shows; without one there is no such page",
    "readyz": "a load balancer asks whether the services answer; no version, no count",
}
#: URL names whose view is not one of ours.
FOREIGN_VIEWS = {"login", "logout", "password_change"}


def _patterns(resolver: URLResolver) -> Iterator[URLPattern]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver) and entry.app_name == "api":
            continue  # tokens instead of log-ins: test_api_matrix
        if isinstance(entry, URLResolver):
            yield from _patterns(entry)
        else:
            yield entry


def patterns() -> list[URLPattern]:
    """Return every URL pattern of the product, static files left out."""
    return [pattern for pattern in _patterns(get_resolver()) if pattern.name]


@pytest.mark.parametrize("pattern", patterns(), ids=lambda pattern: pattern.name)
def test_a_url_needs_a_login_unless_a_reason_is_written(pattern: URLPattern) -> None:
    needs_login = getattr(pattern.callback, "login_required", True)
    assert needs_login == (pattern.name not in PUBLIC), f"{pattern.name}: add a reason to PUBLIC or require a login"


@pytest.mark.parametrize("pattern", patterns(), ids=lambda pattern: pattern.name)
def test_a_url_is_named_like_its_view(pattern: URLPattern) -> None:
    if pattern.name not in FOREIGN_VIEWS:
        view = getattr(pattern.callback, "view_class", pattern.callback)
        assert view.__name__.lower().replace("_", "") == str(pattern.name).replace("_", "")


@pytest.mark.django_db
def test_every_answer_carries_the_enforcing_policy(client: Client) -> None:
    for path in ("/login/", "/no-such-page/", "/"):
        policy = client.get(path).headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
