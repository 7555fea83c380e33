"""Computing the agreement of a run: in a worker or a command, never in a web process."""

from __future__ import annotations

from typing import Any

from labeling.agree.words import Word, basis_of, by_item, claim_words, label_words
from labeling.core.items import LabelPair, Unit
from labeling.models import AgreementReport
from triage.core.labels import UNSCORED, VERDICT_LABELS, Support
from triage.models import Run


def basis_now(run: Run) -> str:
    """Return the fingerprint of the words on the run as they are now."""
    return basis_of([*label_words(run), *claim_words(run)])


def agree(run: Run) -> AgreementReport:
    """Compare everybody's first blind words, and store the figures. The same words keep their row."""
    labels, claims = label_words(run), claim_words(run)
    basis = basis_of([*labels, *claims])
    stored = AgreementReport.objects.filter(run=run, basis=basis).first()
    if stored is not None:
        return stored
    figures = {
        "labels": _among(labels, [str(label) for label in VERDICT_LABELS]),
        "claims": _among(claims, [support.value for support in Support]),
        "machine": _with_machine(labels),
        "anchoring": _anchoring(labels),
    }
    return AgreementReport.objects.update_or_create(run=run, defaults={"basis": basis, "figures": figures})[0]


def _among(words: list[Word], categories: list[str]) -> dict[str, Any]:
    """Return how people agree with each other; clusters are queries."""
    from labeling.core.agreement import agreement_of_units  # numpy: workers only

    units = [
        Unit(str(said[0].query), tuple(word.label for word in said))
        for said in by_item(words).values()
        if len(said) > 1
    ]
    single = sum(len(said) == 1 for said in by_item(words).values())
    return {**_told(agreement_of_units(units, categories)), "single": single}


def _with_machine(words: list[Word]) -> dict[str, Any]:
    """Return how blind first words agree with what the machine said at the time."""
    from labeling.core.agreement import agreement_of_pairs  # numpy: workers only

    pairs = [
        LabelPair(str(word.query), word.label, word.suggested)
        for word in words
        if word.blind and word.suggested not in {"", UNSCORED}
    ]
    return _told(agreement_of_pairs(pairs, [str(label) for label in VERDICT_LABELS]))


def _told(found: Any) -> dict[str, Any]:  # noqa: ANN401 - its type needs numpy
    """Return an Agreement as JSON."""
    return {
        "n": found.n,
        "queries": found.clusters,
        "categories": list(found.categories),
        "matrix": [list(row) for row in found.matrix],
        "raw": found.raw.as_json(),
        "kappa": found.kappa.as_json(),
        "alpha": found.alpha.as_json(),
        "ac1": found.ac1.as_json(),
        "per_class": {label: figure.as_json() for label, figure in found.per_class.items()},
    }


def _anchoring(words: list[Word]) -> dict[str, Any]:
    """Return agreement with the machine where it was seen first, minus where it was not, with Newcombe's interval."""
    from labeling.agree.anchoring import anchoring

    heard = [word for word in words if word.suggested not in {"", UNSCORED}]
    seen = [word.label == word.suggested for word in heard if not word.blind]
    blind = [word.label == word.suggested for word in heard if word.blind]
    return anchoring((sum(seen), len(seen)), (sum(blind), len(blind))).as_json()
