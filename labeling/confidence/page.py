"""What the scores foretell, as its page prints it."""

from __future__ import annotations

from dataclasses import dataclass

from labeling.confidence.document import HOW, sentence
from labeling.confidence.read import Confidence, Foretold, confidence
from labeling.core.foretelling import Fifth
from triage.core.pictures import Axis, Interval, interval, share_axis
from triage.models import Run


@dataclass(frozen=True, slots=True)
class FifthLine:
    """One fifth with its bar."""

    values: str
    part: Fifth
    bar: Interval


@dataclass(frozen=True, slots=True)
class SignalPanel:
    """One signal as it is printed."""

    signal: str
    title: str
    sentence: str
    tone: str
    words: str
    lines: tuple[FifthLine, ...]


@dataclass(frozen=True, slots=True)
class ConfidencePage:
    """Everything the page prints."""

    run: Run
    found: Confidence
    axis: Axis
    panels: tuple[SignalPanel, ...]
    how: str = HOW


TONES = {True: ("ok", "foretells failure"), False: ("open", "not known to foretell"), None: ("open", "not known")}


def confidence_page(run: Run) -> ConfidencePage:
    """Return the page of a run."""
    found, on = confidence(run), share_axis()
    return ConfidencePage(run, found, on, tuple(_panel(one, found, on) for one in found.signals))


def _panel(one: Foretold, found: Confidence, on: Axis) -> SignalPanel:
    lines = tuple(
        FifthLine(
            f"{one.told(part.lowest):.4g} to {one.told(part.highest):.4g}",
            part,
            interval(on, part.rate, part.low, part.high),
        )
        for part in one.fifths
    )
    tone, words = TONES[one.auroc.foretells]
    return SignalPanel(one.signal, one.title, sentence(one, found.decided), tone, words, lines)
