"""Reading the environment: typed, with `*_FILE` for secrets; a bad value stops the start with its name and remedy."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"0", "false", "no", "off", ""})


def env_text(name: str, default: str = "") -> str:
    """Return the variable, or the content of the file that `NAME_FILE` names, or the default."""
    if path := os.environ.get(f"{name}_FILE"):
        return Path(path).read_text(encoding="utf-8").strip()
    return os.environ.get(name, default)


def env_bool(name: str, default: bool) -> bool:
    """Return the variable as a truth value; anything but 1/0, true/false, yes/no, on/off is refused."""
    word = os.environ.get(name)
    if word is None:
        return default
    if word.lower() in TRUE_WORDS:
        return True
    if word.lower() in FALSE_WORDS:
        return False
    raise ImproperlyConfigured(f"{name}={word!r} is not a truth value: write {name}=1 or {name}=0.")


def env_int(name: str, default: int) -> int:
    """Return the variable as a whole number."""
    word = os.environ.get(name)
    if word is None:
        return default
    try:
        return int(word)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}={word!r} is not a whole number.") from error


def env_list(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """Return the variable split at commas, blanks dropped."""
    word = os.environ.get(name)
    if word is None:
        return list(default)
    return [part.strip() for part in word.split(",") if part.strip()]
