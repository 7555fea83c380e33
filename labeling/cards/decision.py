"""The labels and sub-causes to choose from, with what is chosen."""

from __future__ import annotations

from labeling.cards.lines import Choice, SubCause
from labeling.codebook import Codebook
from labeling.models import ReviewSession
from labeling.review import Decision
from triage.core.labels import CODEBOOK

ASKS = {
    ReviewSession.Population.FAILING: "Why did this answer fail?",
    ReviewSession.Population.PASSING: "Is this answer right after all?",
    ReviewSession.Population.UNDECIDED: "Is this answer right?",
}
#: Words that plain capitalising would get wrong.
TITLES = {"over_abstention": "Over-abstention"}


def asks(population: str) -> str:
    """Return the question above the labels."""
    return ASKS[ReviewSession.Population(population)]


def title_of(sub_cause: str) -> str:
    """Return a sub-cause as people read it."""
    return TITLES.get(sub_cause, sub_cause.replace("_", " ").capitalize())


def choices(decision: Decision, codebook: Codebook) -> tuple[Choice, ...]:
    """Return the labels in the order of their keys 1 to 5, the decided one ticked."""
    return tuple(
        Choice(
            key=str(number),
            label=str(entry.label),
            title=entry.title,
            definition=entry.definition,
            tone=entry.tone,
            is_chosen=entry.label == decision.label,
            sub_causes=tuple(
                SubCause(name, title_of(name), entry.label == decision.label and name == decision.sub_cause)
                for name in codebook.names(entry.label)
            ),
        )
        for number, entry in enumerate(CODEBOOK, 1)
    )
