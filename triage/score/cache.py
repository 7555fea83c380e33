"""Words from before: the same judge on the same texts says the same, so it is not asked again.

Looked up by (judge, hash of the claim's text, hash of the chunk's text) among the rows of the same project.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from triage.core.judging import PairScore, RelevanceScore
from triage.core.labels import Support
from triage.models import Judge, Project, Query, Score
from triage.score.cases import Case

#: (judge fingerprint, claim text hash, chunk text hash).
PairKey = tuple[str, bytes, bytes]


class WordsFromBefore:
    """What the cache knows about a batch; grows with what the batch itself brings."""

    def __init__(
        self, project: Project, cases: Sequence[Case], judges: Iterable[Judge], skimming: frozenset[str]
    ) -> None:
        """Look everything up in two statements. `skimming`: fingerprints of judges whose words may be skimmed ones."""
        self._skimming = skimming
        self._marks = {judge.pk: judge.fingerprint for judge in judges}
        self._pairs = self._read_pairs(project, cases)
        self._answers = self._read_answers(project, cases)

    def on_claims(self, case: Case) -> dict[tuple[str, str, str], PairScore]:
        """Return the known words on a case's pairs, by (judge fingerprint, claim key, chunk key)."""
        known = {}
        for claim, claim_hash in case.claim_hashes.items():
            for key, chunk in case.chunks.items():
                for mark in self._marks.values():
                    word = self._pairs.get((mark, claim_hash, chunk.text_hash))
                    if word is not None:
                        known[mark, claim, key] = PairScore(
                            claim, key, score=word.score, label=word.label, evidence=word.evidence
                        )
        return known

    def on_answer(self, case: Case) -> dict[str, RelevanceScore]:
        """Return the known words on a case's answer by judge fingerprint."""
        if case.relevance is None:
            return {}
        found = self._answers.get((case.relevance.question, case.relevance.answer), {})
        return {mark: RelevanceScore(case.relevance.key, score=value) for mark, value in found.items()}

    def learn(self, case: Case, mark: str, words: Iterable[PairScore]) -> None:
        """Keep new words for the cases that follow in the batch."""
        for word in words:
            if word.chunk is not None and not word.error and not self._is_skimmed(mark, word.score):
                key = (mark, case.claim_hashes[word.claim], case.chunks[word.chunk].text_hash)
                self._pairs.setdefault(key, word)

    def _is_skimmed(self, mark: str, value: float | None) -> bool:
        """Say whether a word came of skimming: it holds among the chunks it was said among, not elsewhere."""
        return value is None and mark in self._skimming

    def _read_pairs(self, project: Project, cases: Sequence[Case]) -> dict[PairKey, PairScore]:
        claim_hashes = {value for case in cases for value in case.claim_hashes.values()}
        chunk_hashes = {chunk.text_hash for case in cases for chunk in case.chunks.values()}
        rows = Score.objects.filter(
            claim__text_hash__in=claim_hashes,
            chunk__text_hash__in=chunk_hashes,
            judge__in=self._marks,
            query__run__project=project,
            error="",
        ).values_list(
            "judge_id", "claim__text_hash", "chunk__text_hash", "value", "label", "evidence_start", "evidence_end"
        )
        found: dict[PairKey, PairScore] = {}
        for judge, claim, chunk, value, label, start, end in rows:
            if self._is_skimmed(self._marks[judge], value):
                continue
            evidence = None if start is None or end is None else (start, end)
            word = PairScore("", "", score=value, label=Support(label) if label else None, evidence=evidence)
            found[self._marks[judge], bytes(claim), bytes(chunk)] = word
        return found

    def _read_answers(self, project: Project, cases: Sequence[Case]) -> dict[tuple[str, str], dict[str, float]]:
        wanted = {(case.relevance.question, case.relevance.answer) for case in cases if case.relevance is not None}
        keys = Query.objects.filter(pk__in=[case.query for case in cases]).values("key_hash")
        rows = Score.objects.filter(
            claim__isnull=True,
            query__run__project=project,
            query__key_hash__in=keys,
            judge__in=self._marks,
            value__isnull=False,
        ).values_list("judge_id", "query__question", "query__answer", "value")
        found: dict[tuple[str, str], dict[str, float]] = {}
        for judge, question, answer, value in rows:
            if answer is not None and value is not None and (question, answer) in wanted:
                found.setdefault((question, answer), {})[self._marks[judge]] = value
        return found
