"""The pairs the embedded judge is fine-tuned on: human labels of the train splits, and some made from them, seeded."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.judge import labelled

#: Supported claims copied with one number or name exchanged.
SWAPPED = 700
_NAME_OR_NUMBER = re.compile(r"\b(?:\d[\d,.]*\d|\d|[A-Z][a-z]{2,})\b")
#: A claim turned into its opposite at the first of these words it has.
_OPPOSITES = {
    "is": "is not",
    "are": "are not",
    "was": "was not",
    "were": "were not",
    "has": "has not",
    "have": "have not",
    "can": "cannot",
    "will": "will not",
    "increases": "reduces",
    "increased": "reduced",
    "reduces": "increases",
    "first": "last",
    "more": "less",
    "most": "least",
    "before": "after",
    "largest": "smallest",
}
#: A claim made into another one.
Change = Callable[[str, random.Random], str]


@dataclass(frozen=True, slots=True)
class Example:
    """A claim, a text, and whether the text supports the claim."""

    claim: str
    text: str
    supported: bool


def examples(seed: int, flipped: int) -> list[Example]:
    """Return the training pairs in a shuffled order. `flipped`: supported claims added in their opposite."""
    dice = random.Random(seed)
    human = [Example(p.claim, p.text, p.supported) for name in labelled.SETS for p in labelled.grounding(name, "train")]
    every = [*human, *_clapnq(dice)]
    supported = [example for example in every if example.supported]
    every += list(_made(supported, swapped, SWAPPED, dice)) + list(_made(supported, opposite, flipped, dice))
    dice.shuffle(every)
    return every


def _clapnq(dice: random.Random) -> Iterator[Example]:
    """Yield human answers with their own passage, and with that of another question."""
    texts = {row["doc_id"]: row["text"] for row in labelled.rows(labelled.DATA / "clapnq_dev" / "passages.jsonl")}
    keys = sorted(texts)
    for row in labelled.rows(labelled.DATA / "clapnq_dev" / "questions.jsonl"):
        for answer in row["answers"][:1]:
            if answer["answer"] and row["passage_id"] in texts:
                yield Example(answer["answer"], texts[row["passage_id"]], supported=True)
                yield Example(answer["answer"], texts[dice.choice(keys)], supported=False)


def _made(source: list[Example], change: Change, count: int, dice: random.Random) -> Iterator[Example]:
    made = 0
    for example in dice.sample(source, len(source)):
        claim = change(example.claim, dice)
        if made < count and claim != example.claim:
            made += 1
            yield Example(claim, example.text, supported=False)


def swapped(claim: str, dice: random.Random) -> str:
    """Return the claim with one number or name, not its first word, exchanged; unchanged where it has none."""
    found = [match for match in _NAME_OR_NUMBER.finditer(claim) if match.start() > 0]
    if not found:
        return claim
    chosen = dice.choice(found)
    other = str(dice.randint(2, 2_000)) if chosen.group()[0].isdigit() else dice.choice(_NAMES)
    return claim[: chosen.start()] + other + claim[chosen.end() :]


_NAMES = ("Portugal", "Harris", "Boston", "Siemens", "Elena", "Ohio", "Turing", "Kenya", "Madrid", "Clara")


def opposite(claim: str, _dice: random.Random) -> str:
    """Return the claim with its first reversible word reversed; unchanged where it has none."""
    if " not " in claim:
        return claim.replace(" not ", " ", 1)
    words = claim.split(" ")
    for place, word in enumerate(words):
        if word in _OPPOSITES:
            return " ".join([*words[:place], _OPPOSITES[word], *words[place + 1 :]])
    return claim
