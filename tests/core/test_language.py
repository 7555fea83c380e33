"""Texts that are plainly not English."""

from __future__ import annotations

import time

import pytest

from triage.core.language import is_plainly_not_english


@pytest.mark.parametrize(
    "text",
    [
        "Die Frist für die Rückgabe ist dreißig Tage und gilt nicht für Gutscheine.",
        "Le délai de retour est de trente jours et il ne vaut pas pour les bons.",
        "El plazo de devolución es de treinta días y no vale para los bonos.",
        "今天天气很好。我们去公园吧！",
        "Срок возврата составляет тридцать дней.",
        "مدة الإرجاع ثلاثون يومًا.",
    ],
)
def test_another_language_is_told(text: str) -> None:
    assert is_plainly_not_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "The refund window is thirty days and does not apply to gift cards.",
        "Paris",
        "",
        "42 %",
        "He said 'la dolce vita' and left the room with the others.",
        "naïve café résumé",
        "👍",
    ],
)
def test_english_and_what_is_too_short_to_tell_are_not(text: str) -> None:
    assert not is_plainly_not_english(text)


def test_SEC17_only_the_beginning_is_read() -> None:
    began = time.process_time()
    is_plainly_not_english("é" * 10_000_000)
    assert time.process_time() - began < 1
