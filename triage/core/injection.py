"""Does an evaluated text talk to its judge? Told to people beside the verdict; it never changes one.

By phrases, in linear time: data, not a model. A hit is a reason to look, no proof.
"""

from __future__ import annotations

#: Only this much of a text is looked at: an instruction to a judge has to be short to work.
_LOOKED_AT = 100_000
_PHRASES: tuple[str, ...] = (
    "ignore previous instructions",
    "ignore all previous",
    "ignore the previous",
    "ignore any previous",
    "ignore the above",
    "ignore your instructions",
    "disregard previous",
    "disregard the above",
    "disregard all",
    "forget your instructions",
    "forget all previous",
    "as grader you",
    "as a grader you",
    "as the grader",
    "as judge you",
    "as a judge you",
    "as the judge",
    "as an evaluator",
    "as the evaluator",
    "to the evaluator",
    "note to the grader",
    "note to the judge",
    "you must output",
    "you must answer supported",
    "output pass",
    "output supported",
    "respond with supported",
    "respond only with",
    "mark this as correct",
    "mark this answer as",
    "mark this claim as",
    "rate this answer",
    "score this answer",
    "give this answer a",
    "give the maximum score",
    "with score 1.0",
    '"verdict": "supported"',
    '"verdict":"supported"',
    "new system prompt",
    "system prompt:",
    "[system]",
    "<|im_start|>",
    "you are now a",
    "developer mode",
)
#: One of these stands in every phrase (tested), and none has a blank in it, so that blanks need no putting in order:
#: nearly every text is done with after asking for them.
SIGNS: tuple[str, ...] = (
    "ignore", "disregard", "forget", "grader", "judge", "evaluator", "output", "respond", "supported", "correct",
    "answer", "maximum", "1.0", '"verdict"', "claim", "system", "<|im_", "now", "developer",
)  # fmt: skip


def talks_to_judge(text: str | None) -> bool:
    """Say whether a phrase that addresses a judge stands in `text`."""
    if not text:
        return False
    folded = text[:_LOOKED_AT].casefold()
    if not any(map(folded.__contains__, SIGNS)):
        return False
    spaced = " ".join(folded.replace("’", "'").split())
    return any(phrase in spaced for phrase in _PHRASES)
