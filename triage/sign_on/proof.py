"""What a provider sends is believed only as far as it is proven: its own description, and the ID token.

OpenID Connect lets a client skip the token's signature where it fetched the token itself over TLS (Core 3.1.3.7),
and django-allauth does. It is verified here all the same: a proxy that opens TLS, or a token endpoint that was
taken over, forges nobody.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import jwt

from triage.core.identity import Refusal, RefusedError

#: Signatures by a key that only the provider has. None of the HS family: its key would be the client's secret.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
#: How far the clocks may differ.
LEEWAY_S = 60
NEEDED = ["iss", "sub", "aud", "exp", "iat", "nonce"]
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


def checked_description(described: object, issuer: str) -> dict[str, Any]:
    """Return the provider's description of itself where it is of this issuer and usable (OpenID Discovery 4.3).

    Raises RefusedError. Its addresses must be https, as the issuer is; http only beside an issuer on this machine.
    """
    if not isinstance(described, dict) or described.get("issuer") != issuer:
        raise RefusedError(Refusal.UNREACHABLE)
    used = [name for name in (*ENDPOINTS, "userinfo_endpoint") if name in ENDPOINTS or name in described]
    schemes = {"https", urlsplit(issuer).scheme}
    for name in used:
        address = described.get(name)
        if not isinstance(address, str) or urlsplit(address).scheme not in schemes:
            raise RefusedError(Refusal.UNREACHABLE)
    return described


def nonce_of(state: str) -> str:
    """Return the nonce that belongs to a state: it binds the token to the one log-in that this browser began."""
    return hashlib.sha256(f"nonce of {state}".encode()).hexdigest()


def verified(token: object, keys: object, *, issuer: str, client_id: str, nonce: str) -> Mapping[str, object]:
    """Return the claims of an ID token whose signature, issuer, audience, age and nonce are right.

    `keys` is the provider's set of public keys (JWKS). Raises RefusedError.
    """
    try:
        claims: dict[str, object] = jwt.decode(
            str(token),
            key=_key(str(token), keys),
            algorithms=ALGORITHMS,
            issuer=issuer,
            audience=client_id,
            leeway=LEEWAY_S,
            options={"require": NEEDED},
        )
    except (jwt.PyJWTError, ValueError, TypeError, KeyError) as fault:
        raise RefusedError(Refusal.UNPROVEN) from fault
    meant_for = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    is_ours_alone = meant_for == [client_id] or claims.get("azp") == client_id
    if claims["nonce"] != nonce or not is_ours_alone:
        raise RefusedError(Refusal.UNPROVEN)
    return claims


def _key(token: str, keys: object) -> jwt.PyJWK:
    """Return the one key the token names; a token without a name is checked where there is only one key."""
    if not isinstance(keys, dict):
        raise TypeError("a set of keys is an object")
    wanted = jwt.get_unverified_header(token).get("kid")
    found = [key for key in jwt.PyJWKSet.from_dict(keys).keys if wanted is None or key.key_id == wanted]
    if len(found) != 1:
        raise KeyError("no such key")
    return found[0]
