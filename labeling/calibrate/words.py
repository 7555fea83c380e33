"""What the judge pages call things."""

from __future__ import annotations

from labeling.models.calibrations import CLAIM_SUPPORT, CORRECTNESS, LABELS, RELEVANCE

KIND_WORDS = {
    CLAIM_SUPPORT: "claim support",
    RELEVANCE: "relevance",
    CORRECTNESS: "correctness",
    LABELS: "the four labels",
}
#: What the two sides of a binary comparison are called, yes first.
SIDES = {
    CLAIM_SUPPORT: ("supported", "unsupported"),
    RELEVANCE: ("relevant", "not relevant"),
    CORRECTNESS: ("correct", "wrong"),
}
#: Under the matrix: what people's no takes in.
NO_TAKES_IN = {
    CLAIM_SUPPORT: "Unsupported here takes in contradicted and unsure.",
    RELEVANCE: "Grounded, wrong question means not relevant; still wrong and not a failure mean relevant.",
    CORRECTNESS: "Wrong here takes in all four failure labels. Verdicts on queries that a person chose are left out.",
}
#: key, words; {0} and {1} are the sides.
FIGURES = (
    ("tpr", "TPR, {0}"),
    ("tnr", "TNR, {1}"),
    ("balanced_accuracy", "Balanced accuracy"),
    ("youden_j", "Youden J"),
    ("kappa", "Cohen's kappa"),
    ("auroc", "AUROC"),
    ("brier", "Brier, lower is better"),
    ("ece", "ECE, 10 bins, lower is better"),
)
#: What holds of all items called, where yes and no were read at rates of their own.
FIGURES_OF_ALL = (
    ("ppv", "Called {0}, and it is"),
    ("npv", "Called {1}, and it is"),
    ("tpr", "TPR, {0}"),
    ("tnr", "TNR, {1}"),
)
