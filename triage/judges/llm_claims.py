"""Atomic claims by a chat model behind an OpenAI-compatible endpoint, for answers that came without claims."""

from __future__ import annotations

from dataclasses import replace

from triage.core.atomic import Cut, CutError, read_cut
from triage.judges.chat import Chat, LineDownError, SpentError
from triage.judges.llm import MAX_CHARS
from triage.judges.prompts import CLAIMS, CLAIMS_SCHEMA, prompt_hash
from triage.judges.setups import LlmSetup

#: Room for the claims of a long answer.
MAX_REPLY_TOKENS = 4_000


class LlmClaims:
    """Asks the model to cut one answer at a time."""

    def __init__(self, name: str, setup: LlmSetup, chat: Chat) -> None:
        """Take the operator's choices; `chat` is shared with the judges of the same name, and so is its budget."""
        parts = (name, setup.model, setup.revision, prompt_hash(CLAIMS, CLAIMS_SCHEMA))
        self._by, self._chat = " ".join(part for part in parts if part), chat

    def cut(self, answer: str) -> Cut:
        """Return the atomic claims of an answer, or why there are none that can be used."""
        if len(answer) > MAX_CHARS:
            return Cut(self._by, fault=f"the answer is longer than {MAX_CHARS:,} characters")
        try:
            reply = self._chat.ask(CLAIMS, CLAIMS_SCHEMA, {"answer": answer}, max_tokens=MAX_REPLY_TOKENS)
        except (SpentError, LineDownError) as fault:
            return Cut(self._by, fault=str(fault))
        paid = Cut(self._by, calls=1, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
        if reply.body is None:
            return replace(paid, fault=reply.fault)
        try:
            return replace(paid, claims=read_cut(reply.body, answer))
        except CutError as fault:
            return replace(paid, fault=str(fault))
