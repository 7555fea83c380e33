"""The session of a request and the account logged in by it, in one look-up: every request of a person asks for both.

Whose session it is stands inside its signed data, where a statement cannot join it. A process therefore remembers whose
each session was when it last read or wrote it, and asks for that account along with the session. Both rows are read
afresh each time, and what is remembered is a guess: unless it proves right in every respect, Django looks the account
up itself.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from triage.models.prepared import Columns, prepared

#: Sessions remembered at most; then it begins anew, at the price of one more look-up each.
REMEMBERED = 10_000

ACCOUNT = Columns(User, "account")
SESSION = f"""
SELECT session.session_data, {ACCOUNT.sql} FROM django_session AS session
LEFT JOIN auth_user AS account ON account.id = %(account)s
WHERE session.session_key = %(key)s AND session.expire_date > %(now)s
"""  # noqa: S608 - our own columns

#: Session key -> id of the account that was logged in by it.
_whose: dict[str, int] = {}


class SessionStore(db.SessionStore):
    """Django's sessions in the database, with the account beside them."""

    #: The account that came with the session, if it is the one guessed.
    account: User | None = None

    def load(self) -> dict[str, Any]:
        """Return what the session holds; nothing where there is none or its time is over."""
        key = str(self.session_key)
        with prepared() as cursor:
            cursor.execute(SESSION, {"key": key, "account": _whose.get(key), "now": timezone.now()})
            row = cursor.fetchone()
        if row is None:
            _whose.pop(key, None)
            self._session_key = None
            return {}
        data: dict[str, Any] = self.decode(row[0])
        self.account = ACCOUNT.object(row[1:]) if row[1] is not None else None
        _remember(key, data.get(SESSION_KEY, ""))
        return data

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        """Return the row that a save writes; a log-in is remembered with it."""
        row = super().create_model_instance(data)
        _remember(row.session_key, data.get(SESSION_KEY, ""))
        return row


def _remember(key: str, account: str) -> None:
    """Remember whose session it is."""
    if not account.isdigit():
        return
    if len(_whose) >= REMEMBERED:
        _whose.clear()
    _whose[key] = int(account)


def account_of(session: SessionBase) -> User | None:
    """Return the account that a session logs in, where nothing about it is in doubt; None = let Django decide.

    What Django asks is asked here too: the account is active, and its password is the one the session began with.
    """
    whose, begun = session.get(SESSION_KEY), session.get(HASH_SESSION_KEY, "")
    account = getattr(session, "account", None)
    if account is None or str(account.pk) != whose or not account.is_active:
        return None
    if session.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
        return None
    return account if constant_time_compare(begun, account.get_session_auth_hash()) else None
