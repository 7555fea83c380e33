"""The machine's word on an item, for the reveal: label, tests in order, the judge claim by claim."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from labeling.cards.decision import title_of
from labeling.cards.lines import BlindCard
from labeling.cards.machine_rows import Heard, filing_of, scores_of
from labeling.cards.revealed import BestLine, JudgeLine, MachineWord, RevealedCard, StepLine
from labeling.core.segments import Segment, is_inside, segments
from labeling.models import SessionItem
from triage.core.labels import CODEBOOK_BY_LABEL, UNSCORED, FailureLabel, Support
from triage.core.policy import Policy
from triage.core.sources import Standing, resting_on, sources_of, standing
from triage.core.support import Word, decide, on_pair, word
from triage.models import Judge, Query, QueryMetrics, Suggestion

TESTS = (
    ("context_recall", "Context recall", FailureLabel.RETRIEVAL_MISS),
    ("faithfulness", "Faithfulness", FailureLabel.UNSUPPORTED_CLAIMS),
    ("answer_relevance", "Answer relevance", FailureLabel.GROUNDED_WRONG_QUESTION),
)
UNKNOWN = "unmarked"
SOURCE_WORDS = {
    Standing.AGREE: "Only a summary supports it; one of its sources says so too.",
    Standing.DISAGREE: "Only a summary supports it, and none of its sources says so: read them.",
    Standing.UNKNOWN: "Only a summary supports it, and its sources could not all be read.",
}
#: (judge, its words), in the order the judges are asked.
Said = Sequence[tuple[str, Sequence[Word]]]


def revealed_card(item: SessionItem, card: BlindCard, policy: Policy) -> RevealedCard:
    """Put the machine's word beside a card."""
    return RevealedCard(card, _machine(item.case(), card, policy))


def _machine(query: Query, card: BlindCard, policy: Policy) -> MachineWord:
    """Return what the machine says of the query now."""
    filed, measured = filing_of(query.pk)
    words = _Words(scores_of(query.pk), card, filed.judges if filed else [], policy.judge_thresholds)
    label = filed.label if filed else None
    return MachineWord(
        label=label,
        why=_why(filed),
        would_be=_would_be(filed),
        tests=_tests(filed, measured, policy) if filed and measured else (),
        proposed_sub_cause=title_of(filed.proposed_sub_cause) if filed and filed.proposed_sub_cause else "",
        provenance=_provenance(words.judges, filed),
        judged=words.judged,
        best={slot: tuple(lines) for slot, lines in words.best.items()},
        support=words.support(),
        doubted=words.doubted,
        differs=bool(card.earlier and card.earlier.label and label and card.earlier.label != label),
    )


def _why(filed: Suggestion | None) -> str:
    """Return in one line why the machine filed the query where it did."""
    if filed is None:
        return "Not filed yet: the run is still being scored."
    for number, (metric, name, _) in enumerate(TESTS, 1):
        if filed.test == metric and filed.value is not None and filed.threshold is not None:
            return f"Test {number} fired: {name.lower()} {filed.value:.2f} < {filed.threshold:.2f}"
    if filed.label == UNSCORED:
        return f"No value: {filed.missing.replace('_', ' ')}"
    return "No test fired: evidence, support and relevance hold"


def _would_be(filed: Suggestion | None) -> str:
    """Return the title of the label an unscored query would have."""
    entry = CODEBOOK_BY_LABEL.get(filed.would_be) if filed else None
    return entry.title if entry else ""


def _tests(filed: Suggestion, measured: QueryMetrics, policy: Policy) -> tuple[StepLine, ...]:
    """Return the three tests in order; after the one that fired (or had no value) they were not reached."""
    lines, decided = [], False
    for number, (metric, name, label) in enumerate(TESTS):
        value, threshold = getattr(measured, metric), getattr(policy, metric)
        missing = "" if value is not None else str(measured.reasons.get(metric, "missing"))
        fired = filed.label == label and filed.test == metric
        blocked = filed.label == UNSCORED and filed.test == metric
        lines.append(
            StepLine(
                state="fired" if fired else "missing" if blocked else "skipped" if decided or missing else "pass",
                words=_test_words(fired, blocked, decided, missing),
                name=name,
                value=value,
                missing=missing,
                sign="<" if value is not None and value < threshold else "≥",
                threshold=threshold,
                is_near=value is not None and abs(value - threshold) < policy.near,
                explanation=_sentence(filed.reasons[number]) if number < len(filed.reasons) else "",
                value_at=round(100 * (value or 0), 1),
                threshold_at=round(100 * threshold, 1),
            )
        )
        decided = decided or fired or blocked
    return tuple(lines)


def _sentence(reason: str) -> str:
    """Return a reason of the classifier with a capital letter."""
    return reason[:1].upper() + reason[1:]


def _test_words(fired: bool, blocked: bool, decided: bool, missing: str) -> str:
    """Return the state of a test for those who hear it."""
    if fired:
        return "Fired"
    if blocked:
        return "No value"
    if decided:
        return "Not reached"
    return "Not asked" if missing else "Passed"


def _provenance(judges: Sequence[Judge], filed: Suggestion | None) -> tuple[str, ...]:
    """Return what the word rests on: judges, policy, gold version."""
    names = tuple(dict.fromkeys(f"judge {judge.name} {judge.fingerprint[:4]}" for judge in judges))
    if filed is None:
        return names
    return (*names, f"policy {filed.policy_fingerprint}", f"gold version {filed.gold_version}")


class _Words:
    """The grounding judges' words on the card's claims; per claim, the first judge that decides it counts."""

    def __init__(self, rows: Sequence[Heard], card: BlindCard, used: Sequence[str], moved: Mapping[str, float]) -> None:
        self._card = card
        self._rows: dict[int, dict[Judge, list[Heard]]] = defaultdict(lambda: defaultdict(list))
        for row in rows:
            judge = row.judge.heard_at(moved.get(row.judge.fingerprint, row.judge.threshold))
            self._rows[row.claim_id or 0][judge].append(row)
        self._used = {fingerprint: place for place, fingerprint in enumerate(used)}
        self._slots: dict[str, int] = {}
        for chunk in card.chunks or ():
            self._slots.setdefault(chunk.key, chunk.slot or 0)
        self._evidence: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
        self.best: dict[int, list[BestLine]] = defaultdict(list)
        self.judges: list[Judge] = []
        self._made_from = {
            chunk.key: tuple(source.name for source in chunk.sources) for chunk in card.chunks or () if chunk.sources
        }
        self.doubted: dict[int, bool] = {}
        self.judged = {claim.number: self._judge(claim.number, claim.id) for claim in card.claims}

    def _judge(self, number: int, claim_id: int) -> JudgeLine:
        """Return the deciding judge's word on one claim."""
        by_judge = self._rows.get(claim_id, {})
        order = sorted(by_judge, key=lambda judge: (self._used.get(judge.fingerprint, 99), judge.name, judge.pk))
        said = [(judge.fingerprint, [_word(row, judge.threshold) for row in by_judge[judge]]) for judge in order]
        decision = decide(said, frozenset(self._slots))
        judge = next((one for one in order if one.fingerprint == decision.judge), None)
        if judge is None or decision.supported is None:
            return JudgeLine(number, UNKNOWN, None, None, "No usable word of a judge.")
        if judge not in self.judges:
            self.judges.append(judge)
        support = Support.SUPPORTED if decision.supported else Support.UNSUPPORTED
        support = Support.CONTRADICTED if decision.contradicted else support
        line = self._line(number, support, judge, by_judge[judge])
        told = self._on_sources(decision.supporting, said)
        return replace(line, remark=f"{line.remark} {told}") if told else line

    def _on_sources(self, supporting: frozenset[str], said: Said) -> str:
        """Say what the sources come to where only summaries support the claim; blank otherwise."""
        resting = resting_on(supporting, self._made_from)
        keys = sources_of(resting, self._made_from)
        if not keys:
            return ""
        found = standing(on_pair(said, key) for key in keys)
        if found is not Standing.AGREE:
            self.doubted |= {self._slots[key]: True for key in resting}
        return SOURCE_WORDS[found]

    def _line(self, number: int, support: Support, judge: Judge, rows: Sequence[Heard]) -> JudgeLine:
        """Return the line of a claim, and keep the chunk it rests on for the evidence pane."""
        heard = [row for row in rows if row.chunk in self._slots]
        ranked = sorted(heard, key=lambda row: (row.label != Support.SUPPORTED, -(row.value or 0), row.pk))
        top = ranked[0] if ranked else None
        if top is None or top.chunk is None:
            whole = next((row for row in rows if row.chunk is None), None)
            return JudgeLine(number, support, whole.value if whole else None, None, "Judged on the context as a whole.")
        slot = self._slots[top.chunk]
        self.best[slot].append(self._best(number, slot, support, judge, ranked))
        span = (top.evidence_start, top.evidence_end)
        text = self._text(slot)
        if is_inside(text, span):
            self._evidence[slot][number] = (top.evidence_start or 0, top.evidence_end or 0)
        return JudgeLine(number, support, top.value, slot, self._remark(slot, support, judge))

    def _best(self, number: int, slot: int, support: Support, judge: Judge, ranked: Sequence[Heard]) -> BestLine:
        """Return what stands under the chunk that decides the claim."""
        second = next((row for row in ranked[1:] if row.value is not None and row.chunk is not None), None)
        runner_up = ""
        if second is not None and second.chunk is not None:
            runner_up = f"runner-up chunk {self._slots[second.chunk]}, {second.value:.2f}"
        return BestLine(
            number=number,
            slot=slot,
            supports=support == Support.SUPPORTED,
            score=ranked[0].value,
            threshold=judge.threshold,
            of=len(self._card.chunks or ()),
            runner_up=runner_up,
        )

    def _remark(self, slot: int, support: Support, judge: Judge) -> str:
        """Return a sentence on the best chunk."""
        chunk = (self._card.chunks or ())[slot - 1]
        if support == Support.SUPPORTED and chunk.superseded:
            return f"Best chunk {slot} is superseded: the judge reads what a chunk says, not whether it still applies."
        if support == Support.SUPPORTED:
            return f"Best chunk {slot}."
        return f"Best chunk {slot}, below the judge’s threshold of {judge.threshold:.2f}."

    def _text(self, slot: int) -> str:
        """Return the text of a slot's chunk as shown."""
        return (self._card.chunks or ())[slot - 1].text or ""

    def support(self) -> dict[int, tuple[Segment, ...]]:
        """Return slot -> its text cut at the sentences the judge rests on."""
        return {slot: segments(self._text(slot), spans) for slot, spans in self._evidence.items()}


def _word(row: Heard, threshold: float) -> Word:
    """Return a score row as the core reads it."""
    return word(row.chunk, row.value, row.label, threshold)
