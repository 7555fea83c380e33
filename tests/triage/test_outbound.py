"""The one way out: guarded, signed, never following (SEC-03). The receiver is a real local server."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import socket
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.receiver import Receiver, receiving
from triage.outbound import RefusedError, UndeliveredError, checked_url, post, signature

SECRET = "a secret of the operator"


@pytest.fixture(autouse=True)
def _on(settings: Settings) -> None:
    settings.WEBHOOKS = True
    settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.1"]
    settings.OUTBOUND_TIMEOUT_S = 2


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as server:
        yield server


def test_a_message_arrives_signed_as_the_standard_says(receiver: Receiver) -> None:
    body = json.dumps({"type": "due"}).encode()
    delivery = post(receiver.url, body, SECRET, kind="due", message_id="m1")
    (taken,) = receiver.taken
    assert (delivery.is_taken, delivery.status, delivery.message_id) == (True, 204, "m1")
    assert (taken.path, taken.body, taken.headers["x-ragtriage-event"]) == ("/hook?a=1", body, "due")
    signed = f"m1.{taken.headers['webhook-timestamp']}.".encode() + body
    mark = base64.b64encode(hmac.new(SECRET.encode(), signed, hashlib.sha256).digest()).decode()
    assert taken.headers["webhook-signature"] == f"v1,{mark}"
    assert taken.headers["webhook-id"] == "m1"


def test_the_standards_own_example_gives_its_signature() -> None:
    secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}'
    told = signature("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body, secret)
    assert told["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_fault_of_the_receiver_is_told_not_raised(receiver: Receiver) -> None:
    receiver.status = 500
    delivery = post(receiver.url, b"{}", SECRET)
    assert (delivery.is_taken, delivery.status) == (False, 500)


def test_SEC03_a_redirect_is_not_followed(receiver: Receiver) -> None:
    receiver.status, receiver.location = 302, receiver.url.replace("/hook", "/other")
    assert not post(receiver.url, b"{}", SECRET).is_taken
    assert len(receiver.taken) == 1


def test_SEC03_nothing_goes_out_unless_the_operator_says_so(receiver: Receiver, settings: Settings) -> None:
    settings.WEBHOOKS = False
    with pytest.raises(RefusedError, match="WEBHOOKS=1"):
        post(receiver.url, b"{}", SECRET)
    assert receiver.taken == []


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "017700000001",
        "127.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
    ],
)
def test_SEC03_no_form_of_an_inside_address_is_reached(host: str, receiver: Receiver, settings: Settings) -> None:
    settings.OUTBOUND_PRIVATE_HOSTS = []
    with pytest.raises(RefusedError, match="inside the network"):
        post(f"https://{host}:{receiver.server_port}/", b"{}", SECRET)
    assert receiver.taken == []


def test_SEC03_a_name_is_resolved_once_and_every_address_is_checked(
    receiver: Receiver, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rebinding name server: first a public address beside an inside one, then the inside one alone."""
    settings.OUTBOUND_PRIVATE_HOSTS = []
    asked = []

    def resolve(host: str, port: int, **_: object) -> list[object]:
        asked.append(host)
        inside = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", receiver.server_port))
        public = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", port))
        return [public, inside] if len(asked) == 1 else [inside]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(RefusedError, match="inside the network"):
        post("https://rebind.example/", b"{}", SECRET)
    assert asked == ["rebind.example"]
    assert receiver.taken == []


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://hooks.example/", "must start with https"),
        ("file:///etc/passwd", "needs a host"),
        ("gopher://hooks.example/", "must start with https"),
        ("https://user:word@hooks.example/", "no name or password"),
        ("https:///path", "needs a host"),
        ("https://hooks.example:0/", "needs a host"),
        ("https://hooks.example:99999/", "cannot be read"),
        ("https://[::1", "cannot be read"),
        ("https://hooks.example/\r\nX: y", "control"),
        ("https://hööks.example/", "non-ASCII"),
        ("https://hooks.example/" + "a" * 2_000, "too long"),
    ],
)
def test_SEC03_an_address_that_is_no_plain_https_one_is_refused(url: str, why: str) -> None:
    with pytest.raises(RefusedError, match=why):
        checked_url(url)


def test_a_message_is_never_sent_unsigned(receiver: Receiver) -> None:
    with pytest.raises(RefusedError, match="WEBHOOK_SECRET"):
        post(receiver.url, b"{}", "")
    assert receiver.taken == []


def test_a_line_that_is_down_or_silent_is_worth_another_try(settings: Settings) -> None:
    settings.OUTBOUND_TIMEOUT_S = 0.2
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        with pytest.raises(UndeliveredError, match="did not take"):
            post(f"http://127.0.0.1:{port}/", b"{}", SECRET)
        silent.listen()
        with pytest.raises(UndeliveredError, match="did not take"):
            post(f"http://127.0.0.1:{port}/", b"{}", SECRET)


def test_a_host_name_that_is_none_is_refused() -> None:
    with pytest.raises(RefusedError, match="no host name"):
        post(f"https://{'a' * 70}.example/", b"{}", SECRET)
