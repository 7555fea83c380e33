"""The lines of a card: frozen values that templates print and never compute with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from labeling.core.segments import Segment
from triage.core.labels import Support

UNMARKED = "unmarked"
SUPPORT_ICONS = {
    Support.SUPPORTED: "check",
    Support.UNSUPPORTED: "cross",
    Support.CONTRADICTED: "clash",
    Support.UNSURE: "unsure",
    UNMARKED: "ring",
}
SUPPORT_WORDS = {
    Support.SUPPORTED: "Supported",
    Support.UNSUPPORTED: "Unsupported",
    Support.CONTRADICTED: "Contradicted",
    Support.UNSURE: "Unsure",
    UNMARKED: "Not marked",
}


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """One claim with the reviewer's own mark."""

    number: int
    id: int
    text: str
    #: It stands in the answer word for word, and is underlined there.
    is_in_answer: bool
    mark: str = UNMARKED
    #: Slot of the prompt that the reviewer's mark rests on, and the span of its chunk as "start-end".
    slot: int | None = None
    span: str = ""
    #: What the answer cites for it that cannot be checked against one chunk.
    unverifiable: tuple[str, ...] = ()

    @property
    def icon(self) -> str:
        """Return the icon of the mark."""
        return SUPPORT_ICONS[self.mark]

    @property
    def words(self) -> str:
        """Return the mark in words."""
        return SUPPORT_WORDS[self.mark]

    @property
    def where(self) -> str:
        """Return what the mark rests on, in words."""
        if self.slot:
            return f"chunk {self.slot}"
        return "" if self.mark == UNMARKED else "no evidence"


@dataclass(frozen=True, slots=True)
class Cite:
    """A citation in the answer: where it leads on the page ("" = nowhere) and what it names, in words."""

    anchor: str
    words: str


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A stretch of the answer with the claims over it; the first claim is the one a click selects.

    `cite`: the stretch is a citation, and a click goes to what it names.
    """

    segment: Segment
    claim: ClaimLine | None
    ends: tuple[ClaimLine, ...] = ()
    cite: Cite | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A passage that a summary chunk was made from."""

    name: str
    #: None = the file gave its id only.
    text: str | None


@dataclass(frozen=True, slots=True)
class Superseded:
    """What replaced a chunk: its name, and its place on this page where it is shown."""

    name: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class ChunkLine:
    """One chunk as evidence. `slot` None = it did not reach the prompt."""

    anchor: str
    slot: int | None
    key: str
    document: str
    heading: str
    #: None = the file gave its id only.
    text: str | None
    is_gold: bool
    rank: int | None = None
    score: float | None = None
    rerank_score: float | None = None
    tokens: int | None = None
    age: str = ""
    superseded: Superseded | None = None
    sources: tuple[Source, ...] = ()
    is_summary: bool = False
    #: Longer than a page should be: `text` is its beginning.
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Beyond:
    """What the prompt did not hold: candidates further down, and gold that was never retrieved."""

    candidates: int
    #: "ranks 7, 9 and 11 to 20; none is gold"
    words: str
    unreachable: int


@dataclass(frozen=True, slots=True)
class SubCause:
    """One sub-cause to choose."""

    value: str
    title: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """One label to choose, as the codebook words it, with its sub-causes."""

    key: str
    label: str
    title: str
    definition: str
    tone: str
    is_chosen: bool
    sub_causes: tuple[SubCause, ...]


@dataclass(frozen=True, slots=True)
class Earlier:
    """The reviewer's own word on the item as it stands."""

    verdict_id: int
    label: str
    sub_cause: str
    note: str
    was_blind: bool
    seconds: float | None
    saved_at: datetime

    @property
    def milliseconds(self) -> float | None:
        """Return the time the first save took, in the unit that figures are spelled from."""
        return None if self.seconds is None else self.seconds * 1000


@dataclass(frozen=True, slots=True)
class Challenge:
    """A gold challenge this reviewer raised on the item."""

    kind: str
    note: str
    state: str


@dataclass(frozen=True, slots=True)
class BlindCard:
    """One item before anything the machine said is shown. It has no field that could hold it."""

    position: int
    #: None once the reviewer has judged the item.
    token: UUID | None
    #: Made with the card: the same save twice is one verdict.
    key: UUID
    question: str
    title: str
    asks: str
    turns: tuple[tuple[str, str], ...]
    slices: tuple[tuple[str, str], ...]
    #: None = no answer was produced.
    answer: str | None
    pieces: tuple[AnswerPiece, ...]
    claims: tuple[ClaimLine, ...]
    reference: str | None
    gold_note: str
    is_answerable: bool
    #: None = the file did not say what was retrieved.
    chunks: tuple[ChunkLine, ...] | None
    tokens: int | None
    beyond: Beyond
    choices: tuple[Choice, ...]
    note: str
    earlier: Earlier | None
    #: The reviewer saved it once, so the machine's word is known to them, even if they took the save back.
    was_saved: bool
    challenges: tuple[Challenge, ...]
    is_cut: bool = False

    @property
    def seen(self) -> int | None:
        """Return the reviewer's verdict that this card shows; a save of anything older is stale."""
        return self.earlier.verdict_id if self.earlier else None

    @property
    def chosen(self) -> Choice | None:
        """Return the label that is ticked."""
        return next((choice for choice in self.choices if choice.is_chosen), None)

    @property
    def marked(self) -> int:
        """Return how many claims are marked."""
        return sum(claim.mark != UNMARKED for claim in self.claims)

    @property
    def first_claim(self) -> ClaimLine | None:
        """Return the claim that is looked at first: the first one without a mark, else the first."""
        unmarked = (claim for claim in self.claims if claim.mark == UNMARKED)
        return next(unmarked, self.claims[0] if self.claims else None)
