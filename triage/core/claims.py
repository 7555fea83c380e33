"""An answer cut into claims: one checkable sentence each, with its exact place in the answer.

Sentences come from a rule-based segmenter (sentencex: abbreviations, quotes, many languages; linear). On top of
it: layout (`blocks`), fragments merged with their neighbour, citation marks kept with the sentence they follow,
and sentences that claim nothing (questions, greetings, hedges, refusals) left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from triage.core.abstention import declines
from triage.core.blocks import Block, BlockKind, blocks
from triage.core.citations import leading_marks
from triage.core.policy import DEFAULT_POLICY, Policy
from triage.core.sentences import sentences

#: Claims of one answer that are read at most; formats.md section 1 has the same limit for imported claims.
MAX_CLAIMS = 1_000
#: A sentence of fewer words than this is a fragment: it says something only with its neighbour.
FRAGMENT_WORDS = 3
#: A list item of fewer words than this belongs to the line that introduces the list.
SHORT_ITEM_WORDS = 4
#: A sentence of more words than this is kept as a claim even if a hedge or a refusal stands in it.
SMALL_TALK_WORDS = 14

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
_QUESTION_ENDS = ("?", "？", "؟")
_CLOSERS = " \t\r\n\"'”’»)*_`"

_WHOLE_NON_CLAIMS = frozenset(
    """hello|hi|hi there|hello there|hey|sure|sure thing|certainly|of course|absolutely|thanks|thank you|you're welcome|
great question|good question|that's a great question|i'm sorry|i am sorry|sorry|it depends|i see|okay|ok|
i'm not sure|i am not sure|i'm not certain|it's hard to say|it is hard to say""".replace("\n", "").split("|")
)
_NON_CLAIM_OPENINGS = (
    "i hope this",
    "hope this",
    "i hope that helps",
    "let me know",
    "please let me know",
    "feel free to",
    "please feel free",
    "if you have any",
    "if you need any",
    "happy to help",
    "i'd be happy to",
    "i would be happy to",
    "i am happy to",
    "i'm happy to",
    "i'm not entirely sure",
    "i am not entirely sure",
    "i could be wrong",
    "i may be wrong",
    "please verify",
    "please double-check",
    "as an ai",
)


@dataclass(frozen=True, slots=True)
class ClaimSpan:
    """One claim: `text == answer[start:end]`, offsets in code points."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the answer on its way to becoming a claim."""

    kind: BlockKind
    start: int
    end: int
    block: int
    words: int

    def joined_by(self, other: _Piece) -> _Piece:
        """Return this piece grown over `other`, of the other's kind: the next short item of a list joins as well."""
        return _Piece(other.kind, self.start, other.end, other.block, self.words + other.words)


def split(answer: str | None, policy: Policy = DEFAULT_POLICY) -> list[ClaimSpan]:
    """Return the claims of `answer` in order, at most `MAX_CLAIMS`; none for a null, blank or refusing answer.

    Spans never overlap, and every claim holds at least one letter or digit. Linear in the length of the answer.
    """
    if answer is None or not answer.strip():
        return []
    pieces = _join_lists(answer, _pieces(answer))
    claiming = (piece for piece in pieces if not _claims_nothing(answer, piece, policy))
    # Every step is lazy, so that an answer of 10 MB is read no further than its last claim that counts.
    merged = list(islice(_merge_fragments(answer, claiming), 2 * MAX_CLAIMS))
    kept = _without_titles(answer, merged)
    return [ClaimSpan(answer[p.start : p.end], p.start, p.end) for p in kept[:MAX_CLAIMS]]


def count_words(text: str) -> int:
    """Count words: runs of letters and digits; in scripts without spaces each character is one."""
    return sum(1 for _ in _WORD.finditer(text))


def _pieces(answer: str) -> Iterator[_Piece]:
    """Yield sentences of text and items, and whole rows and code blocks. Headings say nothing of their own."""
    for number, block in enumerate(blocks(answer)):
        if block.kind in (BlockKind.TEXT, BlockKind.ITEM):
            spans = _sentences(answer, block)
            # A sentence among others of its item stands on its own: only a whole item can be a short one.
            kind = block.kind if len(spans) == 1 else BlockKind.TEXT
            for start, end in spans:
                yield _Piece(kind, start, end, number, count_words(answer[start:end]))
        elif block.kind in (BlockKind.ROW, BlockKind.CODE):
            yield _Piece(block.kind, block.start, block.end, number, count_words(answer[block.start : block.end]))


def _sentences(answer: str, block: Block) -> list[tuple[int, int]]:
    """Return sentence spans inside a block, trimmed; marks that open a sentence go to the one before it."""
    spans: list[tuple[int, int]] = []
    for start, end in sentences(answer[block.start : block.end]):
        start, end = _trim(answer, block.start + start, block.start + end)
        if spans and (marks := leading_marks(answer[start:end])):
            spans[-1] = (spans[-1][0], start + marks)
            start, end = _trim(answer, start + marks, end)
        if start < end:
            spans.append((start, end))
    return spans


def _trim(answer: str, start: int, end: int) -> tuple[int, int]:
    """Take white space off both ends of a span, and the quote mark of a wrapped line off its start."""
    text = answer[start:end]
    start, end = end - len(text.lstrip(" \t\r\n\f\v\u00a0>")), start + len(text.rstrip())
    return min(start, end), end


def _join_lists(answer: str, pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """Join code and short list items to the line that introduces them; drop an introduction left alone."""
    last: _Piece | None = None
    for piece in pieces:
        if last is not None and _belongs_to(answer, last, piece):
            last = last.joined_by(piece)
            continue
        if last is not None and not _introduces(answer, last):
            yield last
        last = piece
    if last is not None and not _introduces(answer, last):
        yield last


def _belongs_to(answer: str, last: _Piece, piece: _Piece) -> bool:
    """Say whether `piece` completes `last`: code after a colon, a short item after a colon or a short item."""
    if piece.kind is BlockKind.CODE:
        return _introduces(answer, last)
    short = piece.kind is BlockKind.ITEM and piece.words < SHORT_ITEM_WORDS and piece.block != last.block
    return short and (_introduces(answer, last) or last.kind is BlockKind.ITEM)


def _introduces(answer: str, piece: _Piece) -> bool:
    """Say whether a piece only announces what follows."""
    return piece.kind is not BlockKind.CODE and _tail(answer, piece).rstrip("*_ ").endswith((":", "："))


def _tail(answer: str, piece: _Piece) -> str:
    """Return the last characters of a piece: enough to see how it ends, however long it has grown."""
    return answer[max(piece.start, piece.end - 80) : piece.end]


def _claims_nothing(answer: str, piece: _Piece, policy: Policy) -> bool:
    """Say whether a piece is a question, a greeting, a hedge, a refusal, or has no word at all."""
    if piece.words == 0 or _without_marks(_tail(answer, piece)).endswith(_QUESTION_ENDS):
        return True
    if piece.words > SMALL_TALK_WORDS or piece.end - piece.start > policy.abstention_max_chars:
        return False
    text = answer[piece.start : piece.end]
    plain = " ".join(text.casefold().replace("’", "'").strip(_CLOSERS + ".!,…").split())
    return plain in _WHOLE_NON_CLAIMS or plain.startswith(_NON_CLAIM_OPENINGS) or declines(text, policy)


def _without_marks(tail: str) -> str:
    """Return the end of a sentence without closing quotes and brackets and without trailing citation marks."""
    while tail := tail.rstrip(_CLOSERS):
        opening = tail.rfind("[") if tail.endswith("]") else -1
        if opening >= 0 and leading_marks(tail[opening:]):
            tail = tail[:opening]
        elif tail.endswith("]"):
            tail = tail[:-1]
        else:
            break
    return tail


def _merge_fragments(answer: str, pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """Merge a fragment with the kept sentence before it in its block, or with the one after it."""
    last: _Piece | None = None
    for piece in pieces:
        if last is not None and last.block == piece.block and _is_torn(answer, last, piece):
            last = last.joined_by(piece)
            continue
        if last is not None:
            yield last
        last = piece
    if last is not None:
        yield last


def _is_torn(answer: str, last: _Piece, piece: _Piece) -> bool:
    """Say whether two neighbours of one block are one sentence: a fragment, or a start in lower case."""
    if answer[last.end : piece.start].strip():
        return False
    return last.words < FRAGMENT_WORDS or piece.words < FRAGMENT_WORDS or answer[piece.start].islower()


def _without_titles(answer: str, pieces: list[_Piece]) -> list[_Piece]:
    """Leave out one- and two-word lines that end in no stop, unless they are all the answer there is."""
    kept = [p for p in pieces if not _is_title(answer, p)]
    return kept or pieces


def _is_title(answer: str, piece: _Piece) -> bool:
    """Say whether a piece is a short line of text without a final stop and without a digit."""
    text = _tail(answer, piece)
    if piece.kind is not BlockKind.TEXT or piece.words >= FRAGMENT_WORDS or any(c.isdigit() for c in text):
        return False
    return not text.rstrip(_CLOSERS).endswith((".", "!", "。", "！", "…"))
