"""What production refuses to start with: each of these has been somebody's incident."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

KEY_MIN_CHARS, KEY_MIN_DISTINCT = 50, 20
#: Parts of keys that were published: examples, defaults, generators' marks.
KNOWN_KEY_PARTS = ("django-insecure", "changeme", "change-me", "secret", "password", "example", "replace")
REMEDY = 'python3 -c "import secrets; print(secrets.token_urlsafe(64))"'


def refuse_unsafe(
    secret_key: str, *, debug: bool, allowed_hosts: Sequence[str], database_url: str, redis_url: str
) -> None:
    """Raise ImproperlyConfigured, with the remedy, when the settings are not fit to be reached by others."""
    if not database_url or not redis_url:
        raise ImproperlyConfigured("PRODUCTION=1 needs DATABASE_URL and REDIS_URL: the embedded ones are for a laptop.")
    if not secret_key:
        raise ImproperlyConfigured(f"PRODUCTION=1 needs SECRET_KEY (or SECRET_KEY_FILE). Make one: {REMEDY}")
    if is_weak(secret_key):
        raise ImproperlyConfigured(f"SECRET_KEY is short, simple or a known example. Make one: {REMEDY}")
    if debug:
        raise ImproperlyConfigured("DEBUG=1 shows settings and source to everybody: remove it, or PRODUCTION=1.")
    if not allowed_hosts or any(host in {"*", "."} for host in allowed_hosts):
        raise ImproperlyConfigured("ALLOWED_HOSTS must name the hosts the product answers to; * is refused.")
    if redis_url.startswith(("redis://", "rediss://")) and not urlsplit(redis_url).password:
        raise ImproperlyConfigured(
            "REDIS_URL needs a password: redis://:password@host:6379/0. Whoever reaches it may write tasks."
        )


def is_weak(key: str) -> bool:
    """Say whether a signing key is short, has few distinct characters, or contains a published part."""
    lowered = key.lower()
    return (
        len(key) < KEY_MIN_CHARS or len(set(key)) < KEY_MIN_DISTINCT or any(part in lowered for part in KNOWN_KEY_PARTS)
    )
