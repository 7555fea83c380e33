"""What each figure of a page says in one sentence, its formula, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Meaning:
    """One figure explained."""

    name: str
    says: str
    formula: str
    source: str


RAW = Meaning("Raw agreement", "How often two said the same.", "same ÷ all; Wilson or bootstrap over queries", "")
KAPPA = Meaning(
    "Kappa",
    "Agreement beyond what chance alone would give: 0 is chance, 1 is always.",
    "(po − pe) ÷ (1 − pe), pe from both margins",
    "Cohen 1960; any number of people: Fleiss 1971",
)
ALPHA = Meaning(
    "Krippendorff’s alpha",
    "The same for any number of people, where some rated only a part.",
    "1 − Do ÷ De on coincidences",
    "Krippendorff 2011",
)
AC1 = Meaning(
    "Gwet’s AC1",
    "Agreement beyond chance that stays steady where one class is very common.",
    "kappa with pe = mean of π(1 − π) over categories × k ÷ (k − 1)",
    "Gwet 2008",
)
BY_CLASS = Meaning(
    "By class",
    "Of the times either said this class, how often the other did too.",
    "2 both ÷ (left + right)",
    "Cicchetti and Feinstein 1990",
)
ANCHORING = Meaning(
    "Anchoring",
    "How much more people agree with the machine when they saw its word first.",
    "agreement seen − agreement blind; Newcombe’s interval",
    "Newcombe 1998",
)
OF_AGREEMENT = (RAW, KAPPA, ALPHA, AC1, BY_CLASS, ANCHORING)
OF_A_JUDGE = (
    Meaning("TPR", "Of what people call yes, how much the judge calls yes.", "tp ÷ (tp + fn)", "Wilson 1927"),
    Meaning("TNR", "Of what people call no, how much the judge calls no.", "tn ÷ (tn + fp)", "Wilson 1927"),
    Meaning(
        "Balanced accuracy",
        "How often the judge is right when both classes weigh the same.",
        "(TPR + TNR) ÷ 2",
        "interval MOVER, Zou and Donner 2008",
    ),
    Meaning(
        "Youden J",
        "How far the judge is from guessing: 0 tells nothing.",
        "TPR + TNR − 1",
        "Youden 1950; interval MOVER",
    ),
    KAPPA,
    Meaning(
        "AUROC",
        "The chance that a yes scores above a no, whatever the threshold.",
        "share of yes–no pairs in order, ties half",
        "Hanley and McNeil 1982",
    ),
    Meaning("Brier", "How far scores lie from what people say.", "mean of (score − outcome)²", "Brier 1950"),
    Meaning(
        "ECE",
        "How far a score is from the share of yes among items with such scores.",
        "mean over items of |mean score − share of yes| of their bin; 10 equal bins",
        "Guo et al. 2017",
    ),
    Meaning(
        "Precision, recall, F1",
        "Of what was said, how much is so; of what is so, how much was said; both in one.",
        "both ÷ said; both ÷ true; 2 both ÷ (said + true)",
        "Wilson 1927; F1 by bootstrap over queries",
    ),
    Meaning(
        "Corrected rate",
        "What the judge’s passes come to once its errors are taken out.",
        "(passes + TNR − 1) ÷ (TPR + TNR − 1), or prediction-powered where the run has labels",
        "Rogan and Gladen 1978; Lee et al. 2025; Angelopoulos et al. 2023",
    ),
)
#: Only where yes and no were read at rates of their own.
OF_ALL = Meaning(
    "Read or not",
    "The same over all answers called, read or not.",
    "p1 N1 ÷ (p1 N1 + (1 − p0) N0), p1 and p0 the shares of yes and of no that are right",
    "Begg and Greenes 1983",
)
