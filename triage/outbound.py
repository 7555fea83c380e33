"""The one way out: a signed HTTP POST to an address the operator allows (SEC-03).

    delivery = post("https://hooks.example.org/rag", body, secret, kind="due")   # body: bytes of JSON
    delivery.is_taken   # True = any 2xx; else try again later with the same `message_id`: receivers drop repeats

`RefusedError` = never going to be sent as things are set (tell the person, do not retry); `UndeliveredError` = the
line is down or slow (retry). Nothing goes out unless the operator set WEBHOOKS=1. The name is resolved once, every
address it has must be public, and the connection is made to the very address that was checked, so a name that
changes its mind meanwhile (DNS rebinding) gains nothing. Redirects are not followed, proxies are not read from the
environment, the answer's body is never read. The message is signed as standardwebhooks.com describes.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import socket
import ssl
import time
import uuid
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from triage.core.addresses import is_public

MOST_URL_CHARS = 2_000
PREFIX_OF_ENCODED_SECRET = "whsec_"  # noqa: S105 - the standard's prefix, no secret


class RefusedError(Exception):
    """This address, or any address, may not be sent to; the message names the remedy."""


class UndeliveredError(Exception):
    """The line is down, slow or speaks no HTTP: worth another try."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What became of a message: its id, the receiver's HTTP status, how long it took."""

    message_id: str
    status: int
    milliseconds: int

    @property
    def is_taken(self) -> bool:
        """Say whether the receiver took it."""
        return 200 <= self.status < 300


def post(url: str, body: bytes, secret: str, *, kind: str = "", message_id: str = "") -> Delivery:
    """Send `body` (JSON, UTF-8) signed with `secret`; return the receiver's status, whatever it is.

    Give the same `message_id` at a repeat. Raises RefusedError (do not retry) and UndeliveredError (retry).
    """
    parts = checked_url(url)
    if not secret:
        raise RefusedError("A message is only sent signed: set WEBHOOK_SECRET.")
    message = message_id or str(uuid.uuid4())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "rag-triage",
        "X-RagTriage-Event": kind,
        **signature(message, int(time.time()), body, secret),
    }
    began = time.monotonic()
    try:
        status = _send(parts, body, headers)
    except (OSError, HTTPException) as fault:
        raise UndeliveredError(f"{parts.hostname} did not take the message: {fault!r}"[:300]) from fault
    return Delivery(message, status, round((time.monotonic() - began) * 1000))


def checked_url(url: str) -> SplitResult:
    """Return the parts of an address that may be tried. Raises RefusedError. Names are resolved only by `post`."""
    if not settings.WEBHOOKS:
        raise RefusedError("Sending is off: the operator switches it on with WEBHOOKS=1.")
    if len(url) > MOST_URL_CHARS or not url.isascii() or any(character <= " " for character in url):
        raise RefusedError("The address has spaces, control or non-ASCII characters, or is too long.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as fault:
        raise RefusedError(f"The address cannot be read: {fault}.") from fault
    if parts.username is not None or parts.password is not None or port == 0 or not parts.hostname:
        raise RefusedError("The address needs a host, and no name or password in it.")
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_listed(parts.hostname)):
        raise RefusedError("The address must start with https:// (http:// only for OUTBOUND_PRIVATE_HOSTS).")
    return parts


def signature(message_id: str, seconds: int, body: bytes, secret: str) -> dict[str, str]:
    """Return the three headers of the Standard Webhooks scheme: HMAC-SHA256 over `id.timestamp.body`, base64."""
    key = secret.encode()
    if secret.startswith(PREFIX_OF_ENCODED_SECRET):
        key = base64.b64decode(secret.removeprefix(PREFIX_OF_ENCODED_SECRET))
    mark = hmac.new(key, f"{message_id}.{seconds}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{base64.b64encode(mark).decode()}",
    }


def _is_listed(host: str) -> bool:
    return host in settings.OUTBOUND_PRIVATE_HOSTS


def _send(parts: SplitResult, body: bytes, headers: dict[str, str]) -> int:
    host = str(parts.hostname)
    make = _Tls if parts.scheme == "https" else _Plain
    connection = make(host, parts.port, timeout=settings.OUTBOUND_TIMEOUT_S)
    try:
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", path, body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def _open(host: str, port: int) -> socket.socket:
    """Resolve, check every address, connect to a checked one. Raises RefusedError, OSError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as fault:
        raise RefusedError(f"{host[:60]} is no host name.") from fault
    if not _is_listed(host) and not all(is_public(str(place[0])) for *_, place in found):
        raise RefusedError(
            f"{host} is an address inside the network; the operator may list it: OUTBOUND_PRIVATE_HOSTS."
        )
    family, kind, protocol, _, place = found[0]
    line = socket.socket(family, kind, protocol)
    try:
        line.settimeout(settings.OUTBOUND_TIMEOUT_S)
        line.connect(place)
    except OSError:
        line.close()
        raise
    return line


class _Plain(HTTPConnection):
    """Connects to a checked address only."""

    def connect(self) -> None:
        """Open the checked line."""
        self.sock = _open(self.host, self.port)


class _Tls(HTTPSConnection):
    """The same under TLS: the certificate must be the host's, whatever address was connected to."""

    def connect(self) -> None:
        """Open the checked line and shake hands over it."""
        line = _open(self.host, self.port)
        try:
            self.sock = ssl.create_default_context().wrap_socket(line, server_hostname=self.host)
        except OSError:
            line.close()
            raise
