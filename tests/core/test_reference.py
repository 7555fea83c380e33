"""Match of an answer with its reference: the SQuAD normalisation, exact, inclusion, token F1."""

from __future__ import annotations

import collections
import re
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from triage.core.policy import DEFAULT_POLICY, Policy
from triage.core.reference import MatchKind, agrees, match, normalise


def squad_words(text: str) -> list[str]:
    """The published evaluation, step by step in its order: lower case, punctuation, articles, white space."""
    bare = "".join(character for character in text.lower() if character not in set(string.punctuation))
    return re.compile(r"\b(a|an|the)\b", re.UNICODE).sub(" ", bare).split()


def squad_f1(answer: str, reference: str) -> float:
    """The published token F1, by precision and recall."""
    said, wanted = squad_words(answer), squad_words(reference)
    shared = sum((collections.Counter(said) & collections.Counter(wanted)).values())
    if not said or not wanted:
        return float(said == wanted)
    if not shared:
        return 0.0
    precision, recall = shared / len(said), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


ascii_text = st.text(st.characters(codec="ascii", exclude_characters="\x1c\x1d\x1e\x1f"), max_size=60)
words = st.lists(
    st.sampled_from(["the", "a", "plan", "Plan,", "is", "free", "no", "14-day", "of", "charge."]), max_size=12
)
sentences = words.map(" ".join)


@given(st.one_of(ascii_text, sentences), st.one_of(ascii_text, sentences))
@example("An apple", "apple")
@example("theatre", "the atre")
@example("a.b", "ab")
def test_ascii_texts_are_compared_as_the_published_evaluation_does(answer: str, reference: str) -> None:
    assert normalise(answer).split() == squad_words(answer)
    found = match(answer, reference)
    if not squad_words(reference):
        assert found is None
        return
    assert found is not None
    assert found.f1 == pytest.approx(squad_f1(answer, reference))
    assert (found.kind is MatchKind.EXACT) == (squad_words(answer) == squad_words(reference))


@given(st.text(max_size=60), st.text(max_size=60))
def test_f1_is_a_symmetric_share_and_exactly_one_for_the_same_words(answer: str, reference: str) -> None:
    found, back = match(answer, reference), match(reference, answer)
    if found is None:
        assert normalise(reference) == ""
        return
    assert 0.0 <= found.f1 <= 1.0
    assert found.kind is not MatchKind.EXACT or found.f1 == 1.0
    assert (found.kind is MatchKind.NOTHING) == (found.f1 == 0.0)
    assert back is None or back.f1 == found.f1
    same = match(reference, reference)
    assert same is not None
    assert (same.kind, same.f1) == (MatchKind.EXACT, 1.0)


@given(sentences, sentences, sentences)
def test_a_reference_within_the_answer_is_included_or_exact(before: str, reference: str, after: str) -> None:
    found = match(f"{before} {reference} {after}", reference)
    if found is not None and normalise(reference) not in {"yes", "no"}:
        assert found.kind in {MatchKind.EXACT, MatchKind.INCLUDED}
        assert agrees(found, DEFAULT_POLICY)


@pytest.mark.parametrize(
    ("answer", "reference", "kind", "f1"),
    [
        ("The Eiffel Tower!", "eiffel tower", MatchKind.EXACT, 1.0),
        ("It is in Paris, France.", "Paris", MatchKind.INCLUDED, 2 / 6),
        ("Parisian", "Paris", MatchKind.NOTHING, 0.0),
        ("within 30 days of purchase", "30 days", MatchKind.INCLUDED, 4 / 7),
        ("thirty days after the purchase", "within 30 days of purchase", MatchKind.OVERLAP, 4 / 9),
        ("free free free", "free plan", MatchKind.OVERLAP, 2 / 5),
        ("No, there is no refund.", "no", MatchKind.INCLUDED, 2 / 6),
        ("There is no refund.", "No.", MatchKind.OVERLAP, 2 / 5),
        ("Yes", "no", MatchKind.NOTHING, 0.0),
        (None, "Paris", MatchKind.NOTHING, 0.0),
        ("", "Paris", MatchKind.NOTHING, 0.0),
        ("the", "Paris", MatchKind.NOTHING, 0.0),
        ("“Paris”", "Paris", MatchKind.EXACT, 1.0),
        ("¿Dónde? ¡Aquí!", "dónde aquí", MatchKind.EXACT, 1.0),
        ("首都是北京。", "北京", MatchKind.INCLUDED, 4 / 7),
        ("東京です", "東京", MatchKind.INCLUDED, 4 / 6),
    ],
)
def test_examples_counted_by_hand(answer: str | None, reference: str, kind: MatchKind, f1: float) -> None:
    found = match(answer, reference)
    assert found is not None
    assert found.kind is kind
    assert found.f1 == pytest.approx(f1)


@pytest.mark.parametrize("reference", [None, "", "  ", "...", "The", "a an the", "—"])
def test_without_a_word_in_the_reference_there_is_nothing_to_compare(reference: str | None) -> None:
    assert match("An answer.", reference) is None


@pytest.mark.parametrize(
    ("answer", "policy", "holds"),
    [
        ("in Paris, on the left bank of the river", Policy(), True),
        ("in Paris, on the left bank of the river", Policy(match_inclusion=False), False),
        ("in Paris, on the left bank of the river", Policy(match_inclusion=False, match_token_f1=0.2), True),
        ("Paris", Policy(match_inclusion=False, match_token_f1=1.0), True),
        ("Lyon", Policy(), False),
    ],
)
def test_the_policy_says_what_counts(answer: str, policy: Policy, holds: bool) -> None:
    found = match(answer, "Paris")
    assert found is not None
    assert agrees(found, policy) is holds


def test_a_token_f1_at_the_threshold_passes() -> None:
    found = match("free lunch", "free plan")
    assert found is not None
    assert found.f1 == 0.5
    assert agrees(found, Policy(match_token_f1=0.5))
    assert not agrees(found, Policy(match_token_f1=0.500001))


def test_F32_an_answer_of_ten_megabytes_is_compared_without_keeping_its_words() -> None:
    import tracemalloc

    answer = "word " * 2_000_000 + "Paris"
    tracemalloc.start()
    found = match(answer, "Paris")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found is not None
    assert found.kind is MatchKind.INCLUDED
    assert peak < 200_000_000
