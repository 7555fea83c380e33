"""Who a provider of log-ins (OpenID Connect) says somebody is, and whether that is enough. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

#: Longest subject taken: the column that keeps it. The standard allows 255, but ASCII ids of 191 are unheard of.
SUBJECT_MOST_CHARS = 191
EMAIL_MOST_CHARS = 254


class Refusal(StrEnum):
    """Why somebody who comes back from the provider is not let in."""

    STALE = "stale"
    CANCELLED = "cancelled"
    UNREACHABLE = "unreachable"
    UNPROVEN = "unproven"
    UNVERIFIED = "unverified"
    OUTSIDE = "outside"
    NO_ACCOUNT = "no_account"


#: What the person is told. Nothing says whether there is an account of some name.
WORDS: dict[Refusal, str] = {
    Refusal.STALE: "This log-in was begun in another browser, or more than ten minutes ago. Begin again.",
    Refusal.CANCELLED: "The log-in was not finished there. Begin again, or ask whoever runs this server.",
    Refusal.UNREACHABLE: "The log-in service does not answer as it should. Try again in a minute.",
    Refusal.UNPROVEN: "What the log-in service sent could not be proven to be meant for you and for here.",
    Refusal.UNVERIFIED: "The log-in service does not vouch for your e-mail address. Confirm it there, then try again.",
    Refusal.OUTSIDE: "Your account there is not among those that may come in here.",
    Refusal.NO_ACCOUNT: "You have no account here yet. Ask a lead of your project for an invitation, and open it.",
}


class RefusedError(Exception):
    """Somebody is not let in; `reason` says why."""

    def __init__(self, reason: Refusal) -> None:
        super().__init__(WORDS[reason])
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Identity:
    """A person as the provider knows them: `subject` is theirs for ever there; `email` only if it is vouched for."""

    issuer: str
    subject: str
    email: str
    name: str
    groups: frozenset[str]


def read(issuer: str, token: Mapping[str, object], userinfo: Mapping[str, object], groups_claim: str) -> Identity:
    """Return who a verified ID token and the userinfo answer speak of.

    Raises RefusedError where the two name different subjects (OpenID Connect Core 5.3.2), or none that can be kept.
    """
    subject = token.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= SUBJECT_MOST_CHARS or "\0" in subject:
        raise RefusedError(Refusal.UNPROVEN)
    if userinfo and userinfo.get("sub") != subject:
        raise RefusedError(Refusal.UNPROVEN)
    claims = {**token, **userinfo}
    # Some providers write the truth value as text.
    is_verified = claims.get("email_verified") in (True, "true")
    email = _text(claims.get("email")) if is_verified else ""
    name = _text(claims.get("preferred_username")) or _text(claims.get("email")) or _text(claims.get("name"))
    groups = claims.get(groups_claim)
    listed = [groups] if isinstance(groups, str) else groups if isinstance(groups, list) else []
    return Identity(issuer, subject, email, name, frozenset(group for group in listed if isinstance(group, str)))


def check_admission(identity: Identity, domains: Collection[str], groups: Collection[str]) -> None:
    """Raise RefusedError where the operator named domains or groups and this person is in none of them.

    A domain counts only with an address the provider vouches for, and as a whole: not its subdomains.
    """
    if domains and not identity.email:
        raise RefusedError(Refusal.UNVERIFIED)
    if domains and identity.email.rpartition("@")[2].lower() not in {domain.lower() for domain in domains}:
        raise RefusedError(Refusal.OUTSIDE)
    if groups and not identity.groups & set(groups):
        raise RefusedError(Refusal.OUTSIDE)


def _text(value: object) -> str:
    """Return a short text as it is, anything else as blank."""
    return value if isinstance(value, str) and len(value) <= EMAIL_MOST_CHARS and "\0" not in value else ""
