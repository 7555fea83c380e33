"""The numbers that change an answer, in one frozen value with a fingerprint.

Defaults are those of `metrics.md` sections 3 and 4. Every stored result carries the fingerprint of the
policy it was made under; numbers that only change speed live in settings instead.
"""

from __future__ import annotations

import hashlib
import json

from pydantic import BaseModel, ConfigDict, Field

#: Refusals the abstention test looks for, matched case-insensitively anywhere in a short answer.
DEFAULT_ABSTENTION_PATTERNS: tuple[str, ...] = (
    "i don't know",
    "i do not know",
    "i cannot find",
    "i can't find",
    "i could not find",
    "cannot answer",
    "can't answer",
    "unable to answer",
    "no information",
    "not enough information",
    "does not answer this question",
    "do not answer this question",
    "does not contain",
    "do not contain",
    "is not mentioned",
    "not covered in the",
)


class Policy(BaseModel):
    """Thresholds of the classifier and everything else that can move a label.

    All thresholds lie in [0, 1] and are compared strictly: a value equal to its threshold passes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    #: Test 1: context recall below this files a query as `retrieval_miss`.
    context_recall: float = Field(default=0.50, ge=0, le=1)
    #: Test 2: faithfulness below this files a query as `unsupported_claims`.
    faithfulness: float = Field(default=0.85, ge=0, le=1)
    #: Test 3: answer relevance below this files a query as `grounded_wrong_question`.
    answer_relevance: float = Field(default=0.70, ge=0, le=1)
    #: A margin smaller than this (either side) marks the query as near a threshold.
    near: float = Field(default=0.05, ge=0, le=1)
    #: An answer longer than this many characters is never an abstention by pattern alone.
    abstention_max_chars: int = Field(default=400, ge=0)
    #: Phrases that mark a refusal; data, not regular expressions, so that matching stays linear.
    abstention_patterns: tuple[str, ...] = DEFAULT_ABSTENTION_PATTERNS

    @property
    def fingerprint(self) -> str:
        """Return the first 8 hex digits of the sha256 of the canonical JSON of all fields."""
        body = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(body.encode()).hexdigest()[:8]


DEFAULT_POLICY = Policy()

#: Dashboard targets (metrics.md section 3), editable per project: metric -> at least.
DEFAULT_TARGETS: dict[str, float] = {
    "context_recall": 0.90,
    "faithfulness": 0.85,
    "answer_relevance": 0.80,
}
#: CI gates (metrics.md section 3), editable per project: metric -> at least.
DEFAULT_GATES: dict[str, float] = {
    "faithfulness": 0.85,
    "answer_relevance": 0.70,
    "citation_precision": 0.70,
    "citation_coverage": 0.90,
}
