"""Which addresses a message may be sent to (SEC-03)."""

from __future__ import annotations

from ipaddress import IPv4Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.core.addresses import is_public

INSIDE = [
    "127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
    "0.0.0.0", "100.64.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1",
    "::", "::1", "fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%eth0", "ff02::1", "2001:db8::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "2002:7f00:1::", "2002:a00:1::1",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2001:0:4136:e378:8000:63bf:80ff:fffe",
    "", "localhost", "2130706433", "0x7f.1", "017700000001", "1.1.1.1.1",
]  # fmt: skip
PRIVATE = [ip_network(text) for text in ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")]


@pytest.mark.parametrize("text", INSIDE)
def test_SEC03_an_address_inside_is_not_public(text: str) -> None:
    assert not is_public(text)


@pytest.mark.parametrize("text", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001:81b::200e"])
def test_an_address_of_the_internet_is_public(text: str) -> None:
    assert is_public(text)


@given(st.sampled_from(PRIVATE), st.data())
def test_SEC03_no_private_address_in_any_wrapping_is_public(network: object, data: st.DataObject) -> None:
    first, last = int(network.network_address), int(network.broadcast_address)  # type: ignore[attr-defined]
    number = data.draw(st.integers(first, last))
    text = str(IPv4Address(number))
    high, low = f"{number >> 16:x}", f"{number & 0xFFFF:x}"
    wrapped = (text, f"::ffff:{text}", f"::{text}", f"64:ff9b::{text}", f"2002:{high}:{low}::1")
    assert not any(is_public(each) for each in wrapped)
