"""The trials of judges as their page shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from triage.models import JudgeTrial

_WORDS = {True: "supported", False: "not supported", None: "no word"}
_TONES = {True: "ok", False: "warn", None: "open"}


@dataclass(frozen=True, slots=True)
class Told:
    """One judge's word on one line."""

    tone: str
    words: str
    score: float | None


@dataclass(frozen=True, slots=True)
class TrialLine:
    """One claim and what each judge said of it."""

    claim: str
    chunk: str
    passage: str
    told: tuple[Told, ...]
    differs: bool


@dataclass(frozen=True, slots=True)
class TrialCard:
    """One trial. `agreed` is empty for a single judge."""

    trial: JudgeTrial
    names: tuple[tuple[str, int], ...]
    lines: tuple[TrialLine, ...]
    agreed: str


def trial_cards(trials: Iterable[JudgeTrial]) -> list[TrialCard]:
    """Return the trials with their lines."""
    return [_card(trial) for trial in trials]


def _card(trial: JudgeTrial) -> TrialCard:
    lines = tuple(_line(line, trial.names) for line in trial.lines)
    same = sum(not line.differs for line in lines)
    return TrialCard(
        trial=trial,
        names=tuple((name, int(trial.took_ms.get(name, 0))) for name in trial.names),
        lines=lines,
        agreed=f"{same} of {len(lines)} alike" if len(trial.names) > 1 and lines else "",
    )


def _line(line: dict[str, Any], names: list[str]) -> TrialLine:
    said = [line["words"].get(name, {}) for name in names]
    supports = [word.get("supports") for word in said]
    told = tuple(
        Told(_TONES[word.get("supports")], word.get("error") or _WORDS[word.get("supports")], word.get("score"))
        for word in said
    )
    return TrialLine(line["claim"], line["chunk"], line["passage"], told, differs=len(set(supports)) > 1)
