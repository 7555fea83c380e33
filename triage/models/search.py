"""What a search for words compares: the beginnings of the words of a query's question, answer and id.

PostgreSQL's full-text search without a dictionary of any language (`simple`): words in lower case, nothing left out,
nothing cut to a stem. The index holds the run as one more word, so that a search reads the rows of its run alone.
Scripts that leave no space between words (Chinese, Japanese, Thai ...) have no words in this sense, and neither have
signs: those are looked for as they stand, without the index.
"""

from __future__ import annotations

import re
import unicodedata
from functools import reduce
from operator import or_
from typing import Any

from django.contrib.postgres.search import SearchVectorField
from django.db.models import BooleanField, F, Func, Q, Value
from django.db.models.sql.compiler import SQLCompiler

#: Characters of each text that are searched: what the database can index of a row is bounded.
SEARCHED = 100_000
#: Signs that PostgreSQL would read as parts of a host, a path, a number or a tag; as blanks they part words.
_SIGNS = "-_./:@+&<>#~?=;"
_WORDS = re.compile(r"[^\W_]+")
#: How the Unicode names of letters begin in scripts without spaces.
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
_TEXTS = ("question", "key", "answer")


class Words(Func):
    """The words of a query, and its run as one more; the index is over exactly this expression."""

    template = "(%(expressions)s)"
    output_field = SearchVectorField()

    def __init__(self, *parts: Any, **extra: Any) -> None:
        super().__init__(*(parts or (*map(F, _TEXTS), F("run_id"))), **extra)

    def as_sql(self, compiler: SQLCompiler, *_: Any, **__: Any) -> tuple[str, tuple[str | int, ...]]:
        """Return the expression with nothing but constants and columns in it: an index asks for that."""
        *texts, run = [compiler.compile(part)[0] for part in self.get_source_expressions()]
        joined = " || ' ' || ".join(f"left(COALESCE({text}, ''), {SEARCHED})" for text in texts)
        # One `translate` of all signs gives the same and takes as long as the words themselves.
        plain = reduce(lambda text, sign: f"replace({text}, '{sign}', ' ')", _SIGNS, joined)
        words = f"to_tsvector('simple'::regconfig, {plain})"
        return f"({words} || array_to_tsvector(ARRAY['!' || {run}::text]))", ()


def says(text: str, run: int) -> Q:
    """Return the condition that a query of this run has words that begin like each word of the text.

    A text without words, or in a script without spaces, has to stand in the question, the answer or the id as it is.
    """
    asked = _WORDS.findall(text)
    if not asked or any(unicodedata.name(sign, "").startswith(_UNSPACED) for sign in text):
        return reduce(or_, (Q((f"{field}__icontains", text)) for field in _TEXTS))
    beginnings = " & ".join(f"'{word}':*" for word in asked)
    return Q(_Holds(Words(), Value(beginnings), Value(f"'!{run}'")))


class _Holds(Func):
    """Words that hold what is asked for; nothing is found where the database sees no word in it."""

    output_field = BooleanField()
    template = "(%(expressions)s)"

    def as_sql(self, compiler: SQLCompiler, *_: Any, **__: Any) -> tuple[str, tuple[str | int, ...]]:
        """Return the condition."""
        words, *values = self.get_source_expressions()
        beginnings, run = (value.value for value in values)
        asked = "to_tsquery('simple'::regconfig, %s)"
        sql = f"({compiler.compile(words)[0]} @@ ({asked} && %s::tsquery) AND numnode({asked}) > 0)"
        return sql, (beginnings, run, beginnings)
