"""The tables of docs/judges.md, each as Markdown lines, from any judge that keeps the port."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from benchmarks.judge import figures, labelled
from benchmarks.judge.figures import Array
from triage.core.claims import split
from triage.core.judging import ChunkText, ClaimText, GroundingItem, GroundingJudge, RelevanceItem, RelevanceJudge
from triage.core.policy import DEFAULT_POLICY

NAMES = {"factcheck_gpt": "FactCheck-GPT", "begin_wow": "BEGIN-WoW"}


def pair_score(judge: GroundingJudge, claim: str, text: str) -> float:
    """Return a judge's score on one pair; a pair it has no score on counts as 0."""
    item = GroundingItem("i", "", (ClaimText("a", claim),), (ChunkText("c", text),))
    words = judge.ground([item])[0]
    return words[0].score or 0.0 if words else 0.0


def grounding_scores(judge: GroundingJudge, pairs: Sequence[labelled.Pair]) -> Array:
    """Return the judge's score on every pair."""
    return np.array([pair_score(judge, pair.claim, pair.text) for pair in pairs])


def truth(pairs: Sequence[labelled.Pair]) -> Array:
    """Return 1 where people say that the text supports the claim completely."""
    return np.array([float(pair.supported) for pair in pairs])


def with_interval(figure: figures.Figure, y: Array, score: Array, groups: list[str]) -> str:
    """Return a figure with its 95 % interval."""
    low, high = figures.interval(figure, y, score, groups)
    return f"{figure(y, score):.3f} ({low:.3f}-{high:.3f})"


def grounding_row(judge: GroundingJudge, name: str, set_name: str, pairs: Sequence[labelled.Pair]) -> str:
    """Return one row: AUC, balanced accuracy at the judge's threshold, calibration error."""
    y, score, groups = truth(pairs), grounding_scores(judge, pairs), [pair.group for pair in pairs]
    area = with_interval(figures.auc, y, score, groups)
    right = with_interval(figures.balanced(judge.identity.threshold), y, score, groups)
    return f"| {name} | {NAMES[set_name]} test | {len(pairs)} | {area} | {right} | {figures.ece(y, score):.3f} |"


def grounding_table(judges: dict[str, GroundingJudge]) -> list[str]:
    """Return the table of grounding on the held-out splits."""
    head = ["| judge | set | pairs | AUC | balanced accuracy | ECE |", "|---|---|---|---|---|---|"]
    return head + [
        grounding_row(judge, name, set_name, labelled.grounding(set_name, "test"))
        for set_name in labelled.SETS
        for name, judge in judges.items()
    ]


def contradiction_table(judges: dict[str, GroundingJudge]) -> list[str]:
    """Return how well scores part supporting from refuting texts: .5 = not at all."""
    pairs = [p for p in labelled.grounding("factcheck_gpt", "test") if p.raw in ("completely-support", "refute")]
    y, groups = truth(pairs), [pair.group for pair in pairs]
    rows = [
        f"| {name} | {len(pairs)} | {with_interval(figures.auc, y, grounding_scores(judge, pairs), groups)} |"
        for name, judge in judges.items()
    ]
    return ["| judge | supporting and refuting pairs | AUC |", "|---|---|---|", *rows]


def best_scores(judge: GroundingJudge, claims: Sequence[str], passages: Sequence[str]) -> list[float]:
    """Return each claim's best score over the passages, as the product computes it (skimming included)."""
    texts = tuple(ClaimText(str(i), claim) for i, claim in enumerate(claims))
    chunks = tuple(ChunkText(str(i), passage) for i, passage in enumerate(passages))
    best = dict.fromkeys((claim.key for claim in texts), 0.0)
    for word in judge.ground([GroundingItem("i", "", texts, chunks)])[0]:
        best[word.claim] = max(best[word.claim], word.score or 0.0)
    return list(best.values())


#: Mean human faithfulness (1-4) from which an answer counts as faithful, as in the data's own run files.
FAITHFUL_FROM = 3.0


def mtrag_table(judges: dict[str, GroundingJudge]) -> list[str]:
    """Return how judges agree with people on whole answers of language models, beside the data's own LLM judge.

    Score of an answer: the mean over its claims of the best passage's score. Its decision: the share of its claims
    that are supported, against the policy's faithfulness.
    """
    answers = [answer for answer in labelled.mtrag_answers() if answer.passages]
    claims = [[claim.text for claim in split(answer.text, DEFAULT_POLICY)] for answer in answers]
    kept = [(answer, said) for answer, said in zip(answers, claims, strict=True) if said]
    human = np.array([answer.human for answer, _ in kept])
    groups = [answer.task for answer, _ in kept]
    llm = np.array([answer.llm_judge for answer, _ in kept])
    rows = [_answer_row("LLM judge of the data (ragas faithfulness)", human, llm, llm, groups)]
    for name, judge in reversed(judges.items()):
        best = [best_scores(judge, said, answer.passages) for answer, said in kept]
        score = np.array([fmean(each) for each in best])
        share = np.array([fmean(value >= judge.identity.threshold for value in each) for each in best])
        rows.insert(0, _answer_row(name, human, score, share, groups))
    head = "| judge | LLM answers | AUC | balanced accuracy | ECE | Spearman with mean human faithfulness |"
    return [head, "|---|---|---|---|---|---|", *rows]


def _answer_row(name: str, human: Array, score: Array, share: Array, groups: list[str]) -> str:
    y = (human >= FAITHFUL_FROM).astype(float)
    area = with_interval(figures.auc, y, score, groups)
    right = with_interval(figures.balanced(DEFAULT_POLICY.faithfulness), y, share, groups)
    rank = with_interval(figures.spearman, human, score, groups)
    return f"| {name} | {len(y)} | {area} | {right} | {figures.ece(y, score):.3f} | {rank} |"


def label_table(judges: dict[str, GroundingJudge]) -> list[str]:
    """Return how many answers of the FactCheck-GPT run a judge would file under unsupported claims, beside people."""
    answers = labelled.factcheck_answers()
    people = np.array([answer.faithfulness < DEFAULT_POLICY.faithfulness for answer in answers])
    rows = [f"| people | {len(answers)} | {people.mean():.3f} | |"]
    for name, judge in judges.items():
        filed = np.array([_is_filed(judge, answer) for answer in answers])
        rows.append(f"| {name} | {len(answers)} | {filed.mean():.3f} | {(filed == people).mean():.3f} |")
    return ["| by | answers | share with faithfulness < 0.85 | same as people |", "|---|---|---|---|", *rows]


def _is_filed(judge: GroundingJudge, answer: labelled.CheckedAnswer) -> bool:
    best = best_scores(judge, answer.claims, answer.passages)
    return fmean(float(score >= judge.identity.threshold) for score in best) < DEFAULT_POLICY.faithfulness


def relevance_table(judges: dict[str, RelevanceJudge]) -> list[str]:
    """Return own answers against foreign ones on the half of the questions that no threshold was chosen on."""
    asked = [item for item in labelled.relevance() if not item.is_dev]
    rows = []
    for name, judge in judges.items():
        own = _rated(judge, [(item.question, item.own) for item in asked])
        for kind, foreign in (
            ("nearest question's answer", [(item.question, item.neighbour) for item in asked]),
            ("closest-worded answer", [(item.question, item.closest_answer) for item in asked]),
            ("refusal", [(item.question, labelled.REFUSAL) for item in asked]),
        ):
            score = np.concatenate([own, _rated(judge, foreign)])
            y = np.concatenate([np.ones(len(asked)), np.zeros(len(asked))])
            right = figures.balanced(judge.identity.threshold)(y, score)
            rows.append(f"| {name} | {kind} | {len(asked)} | {figures.auc(y, score):.3f} | {right:.3f} |")
    return [
        "| judge | own answer against | questions | AUC | balanced accuracy at 0.70 |",
        "|---|---|---|---|---|",
        *rows,
    ]


def _rated(judge: RelevanceJudge, pairs: Sequence[tuple[str, str]]) -> Array:
    words = judge.rate([RelevanceItem(str(i), question, answer) for i, (question, answer) in enumerate(pairs)])
    return np.array([word.score if word is not None and word.score is not None else 0.0 for word in words])
