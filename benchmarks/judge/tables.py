"""The tables of docs/judges.md, each as Markdown lines, from any judge that keeps the port."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np
from scipy.stats import spearmanr

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


def answer_scores(judge: GroundingJudge, answers: Sequence[labelled.Answer]) -> Array:
    """Return, for each answer, the mean over its claims of the best chunk's score; an answer without claims: NaN."""
    values = []
    for answer in answers:
        best = best_scores(judge, [claim.text for claim in split(answer.text, DEFAULT_POLICY)], answer.passages)
        values.append(fmean(best) if best else float("nan"))
    return np.array(values)


def best_scores(judge: GroundingJudge, claims: Sequence[str], passages: Sequence[str]) -> list[float]:
    """Return each claim's best score over the passages, as the product computes it (skimming included)."""
    texts = tuple(ClaimText(str(i), claim) for i, claim in enumerate(claims))
    chunks = tuple(ChunkText(str(i), passage) for i, passage in enumerate(passages))
    best = dict.fromkeys((claim.key for claim in texts), 0.0)
    for word in judge.ground([GroundingItem("i", "", texts, chunks)])[0]:
        best[word.claim] = max(best[word.claim], word.score or 0.0)
    return list(best.values())


def mtrag_table(judges: dict[str, GroundingJudge]) -> list[str]:
    """Return the rank correlation with mean human faithfulness on LLM answers, beside the data's own LLM judge."""
    answers = [answer for answer in labelled.mtrag_answers() if answer.passages]
    human = np.array([answer.human for answer in answers])
    columns = {name: answer_scores(judge, answers) for name, judge in judges.items()}
    columns["LLM judge of the data (ragas faithfulness)"] = np.array([answer.llm_judge for answer in answers])
    used = ~np.isnan(np.array(list(columns.values()))).any(axis=0)
    rows = [
        f"| {name} | {used.sum()} | {spearmanr(human[used], score[used]).statistic:.3f} |"
        for name, score in columns.items()
    ]
    return ["| judge | LLM answers | Spearman with mean human faithfulness |", "|---|---|---|", *rows]


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
