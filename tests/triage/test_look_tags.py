from __future__ import annotations

import pytest
from django.template import Context, engines
from hypothesis import given
from hypothesis import strategies as st

from triage.core.labels import CODEBOOK, MISSED_FAILURE, NOT_A_FAILURE, UNSCORED
from triage.templatetags import look


def _render(source: str, **context: object) -> str:
    return " ".join(engines["django"].engine.from_string("{% load look %}" + source).render(Context(context)).split())


def test_every_label_has_a_tone_of_its_own() -> None:
    labels = [*(str(entry.label) for entry in CODEBOOK), UNSCORED, MISSED_FAILURE]
    tones = [look.tone(label) for label in labels]
    assert len(set(tones)) == len(labels)
    assert look.tone("something else") == "plain"


def test_a_label_reads_as_its_title() -> None:
    assert look.title_of(NOT_A_FAILURE) == "Not a failure"
    assert look.title_of("over_abstention") == "Over abstention"


def test_every_tone_has_its_icon_in_the_sprite() -> None:
    sprite = _render('{% include "components/sprite.html" %}')
    tones = {entry.tone for entry in CODEBOOK} | set(look.OTHER_TONES.values()) | set(look.STATE_ICONS.values())
    tones.add(look.tone("a word without a tone"))
    assert all(f'id="i-{tone}"' in sprite for tone in tones)


def test_a_class_tag_links_when_it_leads_somewhere() -> None:
    assert "<a " not in _render("{% class_tag 'still_wrong' %}")
    assert 'class="cls still" href="/x/"' in _render("{% class_tag 'still_wrong' url='/x/' %}")


def test_a_state_says_it_in_words_beside_the_icon() -> None:
    shown = _render("{% state 'warn' words icon='clock' %}", words="stale <b>")
    assert "#i-clock" in shown
    assert "stale &lt;b&gt;" in shown


def test_a_tone_that_does_not_exist_is_refused() -> None:
    with pytest.raises(KeyError):
        look.state("red", "Away")


@pytest.mark.parametrize("level", ["success", "warning", "error", "info", "debug"])
def test_every_level_of_message_has_a_tone(level: str) -> None:
    assert look.message_tone(level) in look.STATE_ICONS


def test_what_turns_text_around_unseen_is_spelled_out() -> None:
    assert look.visible("a\u202eb\u2066c\x1b[31m\ufeff") == "a⟦U+202E⟧b⟦U+2066⟧c⟦U+001B⟧[31m⟦U+FEFF⟧"
    assert look.visible("tab\tline\nreturn\r é 👩‍👩‍👧 مرحبا") == "tab\tline\nreturn\r é 👩‍👩‍👧 مرحبا"


@given(st.text())
def test_visible_text_hides_nothing_and_loses_nothing(text: str) -> None:
    shown = look.visible(text)
    assert not set(map(ord, shown)) & set(look.UNSEEN)
    assert len(shown) == len(text) + 7 * sum(ord(char) in look.UNSEEN for char in text)


@pytest.mark.parametrize("code", [*look.UNSEEN, ord("\r")])
def test_a_text_with_something_unseen_is_never_taken_for_a_plain_one(code: int) -> None:
    assert not look.is_plain(f"before{chr(code)}\nafter")
    assert look.is_plain("one line, “quoted” and naïve\nand another")
