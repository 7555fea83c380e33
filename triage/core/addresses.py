"""Which IP addresses a message may be sent to: public ones. Pure: an address in, yes or no out."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

#: Prefixes whose last 32 bits are an IPv4 address that a gateway would connect to (RFC 6052, RFC 8215).
TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))


def is_public(text: str) -> bool:
    """Say whether an address as a resolver returns it lies in the open internet.

    No loopback, private, link-local (cloud metadata), shared, multicast, reserved or unspecified address, and no IPv6
    address that stands for such an IPv4 one (mapped, compatible, 6to4, Teredo, NAT64). What cannot be read is not
    public. Source: the registries of RFC 6890 as `ipaddress` keeps them.
    """
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return _is_open(address)
    return _is_open(address) and all(_is_open(inner) for inner in _stands_for(address))


def _is_open(address: IPv4Address | IPv6Address) -> bool:
    # Python counts some reserved ranges as global; the extra names close them whatever its version.
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _stands_for(address: IPv6Address) -> list[IPv4Address]:
    """Return the IPv4 addresses that an IPv6 address carries."""
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if any(address in network for network in TRANSLATED) or int(address) < 2**32:
        found.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return [inner for inner in found if inner is not None]
