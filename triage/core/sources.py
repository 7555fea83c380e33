"""A claim that only summaries support: do the passages they were made from say so too?

A summary may say what none of its sources says. The check changes no number: it is shown beside the claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum


class Standing(StrEnum):
    """What the sources come to."""

    #: At least one source supports the claim on its own.
    AGREE = "agree"
    #: Every source was read, and none supports it on its own.
    DISAGREE = "disagree"
    #: Some source has no text or was not read, and none that was read supports it.
    UNKNOWN = "unknown"


def resting_on(supporting: frozenset[str], summaries: Iterable[str]) -> frozenset[str]:
    """Return the summaries a claim rests on alone; empty where another chunk supports it too, or nothing does."""
    return supporting if supporting <= frozenset(summaries) else frozenset()


def sources_of(resting: Iterable[str], made_from: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Return the keys of all passages that these summaries were made from."""
    return frozenset(key for summary in resting for key in made_from.get(summary, ()))


def standing(supports: Iterable[bool | None]) -> Standing:
    """Return what the words on the sources come to; None = no usable word on that source."""
    words = list(supports)
    if True in words:
        return Standing.AGREE
    return Standing.DISAGREE if words and None not in words else Standing.UNKNOWN
