"""What the passages behind a summary say of a claim that only the summary supports, as pages show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from triage.core.sources import Standing, resting_on, sources_of, standing
from triage.models import Claim
from triage.pages.manifest import Manifest

_STANDING: dict[Standing, tuple[str, str]] = {
    Standing.AGREE: ("ok", "supported by a summary, and by its sources"),
    Standing.DISAGREE: ("bad", "supported by a summary only: none of its sources says so"),
    Standing.UNKNOWN: ("warn", "supported by a summary only: its sources could not all be read"),
}
_SAID = {True: "supports it", False: "does not support it", None: "no usable score"}


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One passage that a summary was made from."""

    key: str
    words: str
    score: float | None
    #: None = the file gave its id only.
    text: str | None


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """A claim that rests on summaries alone, held against their sources."""

    tone: str
    state: str
    #: The sources do not back the summary, or may not: they are shown opened.
    in_doubt: bool
    lines: tuple[SourceLine, ...]


def source_check(claim: Claim, manifest: Manifest) -> SourceCheck | None:
    """Return the check of a claim; None where something else than a summary supports it, or nothing does."""
    made_from = {slot.chunk.key: slot.chunk.summary_of for slot in manifest.slots if slot.chunk.summary_of}
    words = manifest.words[claim.pk]
    keys = sorted(sources_of(resting_on(words.decide(manifest.context).supporting, made_from), made_from))
    if not keys:
        return None
    said = {key: words.on_pair(key) for key in keys}
    found = standing(said.values())
    tone, state = _STANDING[found]
    lines = (
        SourceLine(key, _SAID[said[key]] if text else "text not supplied", words.score_on(key), text)
        for key, text in _texts(keys, manifest).items()
    )
    return SourceCheck(tone, state, found is not Standing.AGREE, tuple(lines))


def _texts(keys: list[str], manifest: Manifest) -> Mapping[str, str | None]:
    return {key: manifest.corpus[key].text if key in manifest.corpus else None for key in keys}
