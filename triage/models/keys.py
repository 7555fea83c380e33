"""Short random public keys: what URLs, commands and exports name an object by."""

from __future__ import annotations

import secrets

#: Lower case without look-alikes (0/o, 1/l/i), so that a key can be read out and typed.
ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"


def new_key() -> str:
    """Return 10 random characters: about 49 bits, unique by constraint."""
    return "".join(secrets.choice(ALPHABET) for _ in range(10))
