"""Ids for files that give none: made of the text itself, so that the same chunk or question is the same everywhere."""

from __future__ import annotations

import hashlib
import unicodedata

from triage.core.records import Notices, RecordError, describe, visible

#: Digits of a made id: 2**48 values keep a million texts apart.
_DIGITS = 12


def text_digest(text: str) -> str:
    """Return 12 hex digits of a text; Unicode forms and runs of white space do not matter."""
    plain = unicodedata.normalize("NFC", " ".join(text.split()))
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:_DIGITS]


def text_id(text: str) -> str:
    """Return the id of a chunk known by its text alone."""
    return f"text-{text_digest(text)}"


class ChunkIds:
    """Gives every chunk of a file an id under which it has one text only.

    Tools number documents per question ("000", "001"), so the same id comes with different texts. The first text
    keeps the id; every other text gets the id with a mark made of that text.
    """

    def __init__(self, notices: Notices) -> None:
        self._notices = notices
        self._texts: dict[int, int] = {}

    def of(self, key: object, text: object) -> str | int | float:
        """Return the id of a chunk; `key` None or blank = the file gives none (then `text` is needed).

        Raises:
            RecordError: the text is no text, or there is neither text nor id.
        """
        if not isinstance(text, str) and (text is not None or key is None):
            raise RecordError(
                "retrieved", f"{describe(text)} for a chunk", "its text", "Give each chunk a text or an id."
            )
        if key is None or (isinstance(key, str) and not key.strip()):
            made = text_id(text or "")
            self._notices.add("chunk_without_id", (made,))
            return made
        if text is None or not isinstance(key, str | int | float):
            return key  # type: ignore[return-value] # what is no id is refused where the record is read
        digest = text_digest(text)
        number = int(digest, 16)
        if self._texts.setdefault(hash(str(key)), number) == number:
            return key
        self._notices.add("chunk_id_reused", (visible(str(key)),))
        return f"{key}#{digest}"


class QueryIds:
    """Gives a query without an id one made of its question; the same question again gets a number behind it."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices
        self._seen: dict[str, int] = {}

    def of(self, question: object) -> str:
        """Return an id that is used once in the file and is the same in every file with this question."""
        key = f"q-{text_digest(question if isinstance(question, str) else repr(question))}"
        self._notices.add("query_without_id", (key,))
        count = self._seen[key] = self._seen.get(key, 0) + 1
        return key if count == 1 else f"{key}-{count}"
