"""The machine's word as frozen values: what only a revealed item carries."""

from __future__ import annotations

from dataclasses import dataclass, field

from labeling.cards.lines import SUPPORT_ICONS, SUPPORT_WORDS, UNMARKED, BlindCard
from labeling.core.segments import Segment


@dataclass(frozen=True, slots=True)
class StepLine:
    """One test of the classifier on this query. `state`: pass, fired, skipped or missing."""

    state: str
    words: str
    name: str
    value: float | None
    #: Why there is no value; blank where there is one.
    missing: str
    sign: str
    threshold: float
    is_near: bool
    explanation: str
    #: Places on a scale of 0 to 100.
    value_at: float = 0.0
    threshold_at: float = 0.0

    @property
    def icon(self) -> str:
        """Return the icon of the state."""
        return {"pass": "check", "fired": "flag", "missing": "warn"}.get(self.state, "dash")


@dataclass(frozen=True, slots=True)
class JudgeLine:
    """The judge's word on one claim: support, score, the slot it rests on, and a remark."""

    number: int
    support: str
    score: float | None
    slot: int | None
    remark: str

    @property
    def icon(self) -> str:
        """Return the icon of the judge's word."""
        return SUPPORT_ICONS[self.support]

    @property
    def words(self) -> str:
        """Return the judge's word in words."""
        return "No word" if self.support == UNMARKED else SUPPORT_WORDS[self.support]


@dataclass(frozen=True, slots=True)
class BestLine:
    """Under the chunk that decides a claim: what the judge says of the pair."""

    number: int
    slot: int
    supports: bool
    score: float | None
    threshold: float
    of: int
    runner_up: str


@dataclass(frozen=True, slots=True)
class MachineWord:
    """What the machine says of the item, and why. Only a RevealedCard carries one."""

    #: None = not filed yet.
    label: str | None
    why: str
    would_be: str
    tests: tuple[StepLine, ...]
    proposed_sub_cause: str
    provenance: tuple[str, ...]
    judged: dict[int, JudgeLine] = field(default_factory=dict)
    #: slot -> what the judge says of its chunk and the claims it decides.
    best: dict[int, tuple[BestLine, ...]] = field(default_factory=dict)
    #: slot -> stretches of its chunk with the claims whose supporting sentence they are.
    support: dict[int, tuple[Segment, ...]] = field(default_factory=dict)
    #: Slots of summaries that support a claim their sources do not, or may not.
    doubted: dict[int, bool] = field(default_factory=dict)
    differs: bool = False


@dataclass(frozen=True, slots=True)
class RevealedCard:
    """An item with the machine's word beside it."""

    card: BlindCard
    machine: MachineWord
