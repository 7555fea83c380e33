"""What settings switch on and an extra brings: half-made settings stop the start, with the remedy."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

REMEDY = "pip install --require-hashes -r requirements-extras.lock"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
#: django-allauth's apps that speak OpenID Connect. Of its pages and addresses none is mounted.
SIGN_ON_APPS = ["allauth", "allauth.account", "allauth.socialaccount", "allauth.socialaccount.providers.openid_connect"]


def need(package: str, setting: str) -> None:
    """Raise ImproperlyConfigured where a setting needs a package that is not there."""
    try:
        is_there = find_spec(package) is not None
    except ModuleNotFoundError:  # not even the package it is part of
        is_there = False
    if not is_there:
        raise ImproperlyConfigured(f"{setting} needs the package {package}, which is not installed: {REMEDY}")


def check_sign_on(
    issuer: str, client_id: str, secret: str, *, admit_to: str, domains: Sequence[str], groups: Sequence[str]
) -> None:
    """Raise ImproperlyConfigured where log-in by a provider is set by half, or would let everybody in."""
    need("allauth", "OIDC_ISSUER")
    parts = urlsplit(issuer)
    if not parts.hostname or (parts.scheme != "https" and parts.hostname not in LOOPBACK):
        raise ImproperlyConfigured("OIDC_ISSUER must be the provider's https:// address, as its description says it.")
    if not client_id or not secret:
        raise ImproperlyConfigured("OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET (or its _FILE).")
    if admit_to and not domains and not groups:
        raise ImproperlyConfigured(
            "OIDC_ADMIT_TO makes accounts for everybody the provider knows: name OIDC_DOMAINS or OIDC_GROUPS as well."
        )
