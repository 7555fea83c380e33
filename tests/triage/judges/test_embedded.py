"""The judge that ships with the product."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.core.judging import ChunkText, ClaimText, GroundingItem, RelevanceItem
from triage.core.labels import Support
from triage.judges import cross_encoder, embedded
from triage.judges.cross_encoder import (
    WEIGHTS,
    ModelFaultError,
    fault_of,
    shared_encoder,
)
from triage.judges.embedded import (
    ALWAYS_READ,
    GROUNDING_THRESHOLD,
    READ_AT_MOST,
    EmbeddedGrounding,
    EmbeddedRelevance,
    pick,
)
from triage.judges.roster import open_panel
from triage.judges.windows import WINDOW_WORDS, WINDOWS_READ, picked, windows
from triage.judges.words import read

CLAIM = "The refund window is thirty days."
SUPPORT = "Customers of every plan may return a purchase within thirty days and get their money back."
FILLER = "The museum shows paintings of the nineteenth century in eleven rooms. " * 40


def score(claim: str, chunk: str) -> float:
    item = GroundingItem("i", "", (ClaimText("a", claim),), (ChunkText("c", chunk),))
    value = EmbeddedGrounding().ground([item])[0][0].score
    assert value is not None
    return value


def test_a_paraphrase_is_supported_and_a_foreign_text_is_not() -> None:
    assert score("Purchases can be returned for thirty days.", SUPPORT) >= GROUNDING_THRESHOLD
    assert score("Purchases can be returned for thirty days.", "The museum opens at nine.") < GROUNDING_THRESHOLD


def test_the_sentence_that_supports_is_found_far_into_a_long_chunk() -> None:
    chunk = f"{FILLER}{SUPPORT} {FILLER}"
    item = GroundingItem(
        "i", "", (ClaimText("a", "Customers may return a purchase within thirty days."),), (ChunkText("c", chunk),)
    )
    word = EmbeddedGrounding().ground([item])[0][0]
    assert word.score is not None
    assert word.score >= GROUNDING_THRESHOLD
    assert word.evidence is not None
    assert chunk[slice(*word.evidence)] == SUPPORT


def test_a_long_chunk_is_read_in_a_bounded_number_of_windows() -> None:
    assert len(windows(FILLER)) > WINDOWS_READ
    assert len(picked(FILLER, read(CLAIM))) == WINDOWS_READ
    assert picked(SUPPORT, read(CLAIM)) == windows(SUPPORT)
    first, _ = picked(f"{FILLER}{SUPPORT} {FILLER}", read(SUPPORT))
    assert first.shared(read(SUPPORT)) == len(read(SUPPORT).all)


@given(
    st.lists(st.sampled_from(["One two three. ", "word " * 150, "\n", "x" * 3000, "Is it? ", "😀 "]), max_size=12).map(
        "".join
    )
)
def test_windows_follow_each_other_and_leave_no_word_out(text: str) -> None:
    found = windows(text)
    at = 0
    for window in found:
        assert at <= window.start < window.end <= len(text)
        assert not text[at : window.start].strip()
        assert all(window.start <= start < end <= window.end for _, (start, end) in window.sentences)
        at = window.end
    assert not text[at:].strip()


def test_a_window_is_small_enough_for_the_model() -> None:
    assert max(text.count(" ") for text in (FILLER[w.start : w.end] for w in windows(FILLER))) <= WINDOW_WORDS


def test_many_chunks_are_skimmed_and_the_closest_are_read() -> None:
    chunks = tuple(ChunkText(f"c{i}", f"The museum shows {i} paintings.") for i in range(20))
    right = (ChunkText("r1", "The refund window is thirty days."), ChunkText("r2", "Refund windows differ."))
    item = GroundingItem("i", "", (ClaimText("a", CLAIM),), chunks + right)
    words = EmbeddedGrounding().ground([item])[0]
    scored = {word.chunk for word in words if word.score is not None}
    assert {"r1", "r2"} <= scored
    assert ALWAYS_READ <= len(scored) <= READ_AT_MOST
    assert len(words) == 22
    assert {word.label for word in words if word.score is None} == {Support.UNSUPPORTED}


def test_what_is_read_does_not_depend_on_the_order_of_the_chunks() -> None:
    chunks = tuple(ChunkText(f"c{i}", f"The refund of plan {i % 7} takes days.") for i in range(20))
    claim = ClaimText("a", CLAIM)
    assert pick(claim, chunks) == pick(claim, chunks[::-1])


def test_a_score_is_the_same_alone_and_among_others() -> None:
    chunks = (ChunkText("c1", SUPPORT), ChunkText("c2", FILLER), ChunkText("c3", "The museum opens at nine."))
    claims = (ClaimText("a", CLAIM), ClaimText("b", "The museum has eleven rooms."))
    together = EmbeddedGrounding().ground([GroundingItem("i", "", claims, chunks)])[0]
    for word in together:
        text = {chunk.key: chunk.text for chunk in chunks}[word.chunk or ""]
        claim = {claim.key: claim.text for claim in claims}[word.claim]
        assert score(claim, text or "") == word.score


def test_an_answer_on_the_question_is_relevant_and_a_neighbours_or_a_refusal_is_not() -> None:
    question = "How long is the refund window?"
    answers = [
        "Purchases can be returned within thirty days.",
        "Subscriptions renew every year in March.",
        "The documents do not answer this question.",
    ]
    words = EmbeddedRelevance().rate([RelevanceItem(str(i), question, answer) for i, answer in enumerate(answers)])
    on, off, refusal = [word.score for word in words if word is not None and word.score is not None]
    assert max(off, refusal) < embedded.RELEVANCE_THRESHOLD <= on


def test_an_overlong_first_text_leaves_room_for_the_second() -> None:
    model = shared_encoder()
    long = "refund " * 5_000
    assert len(model.cut(long)) < len(long) // 10
    assert model.cut(long) == model.cut(model.cut(long))
    assert model.logit(long, SUPPORT) != model.logit(long, "The museum opens at nine.")
    assert model.cut(CLAIM) == CLAIM


def test_the_identity_names_the_weights() -> None:
    identity = EmbeddedGrounding().identity
    assert identity.model == "grounding-ce-l12-int8"
    assert identity.revision == cross_encoder.revision_of(WEIGHTS)
    assert identity.threshold == GROUNDING_THRESHOLD


def test_SEC14_the_weights_in_the_repository_are_the_ones_of_the_card_and_small() -> None:
    digests = json.loads((WEIGHTS / "digests.json").read_text())
    assert set(digests) == {"model_int8.onnx", "tokenizer.json"}
    assert fault_of(WEIGHTS) == ""
    assert sum(path.stat().st_size for path in WEIGHTS.iterdir()) <= 40 * 1024**2


def missing(folder: Path) -> None:
    (folder / "model_int8.onnx").unlink()


def cut_short(folder: Path) -> None:
    with (folder / "model_int8.onnx").open("r+b") as file:
        file.truncate(1_000_000)


def altered(folder: Path) -> None:
    with (folder / "tokenizer.json").open("r+b") as file:
        file.write(b" ")


def without_digests(folder: Path) -> None:
    (folder / "digests.json").write_text("{")


@pytest.mark.parametrize("harm", [missing, cut_short, altered, without_digests])
def test_F18_harmed_weights_are_a_named_state_and_never_loaded(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    folder = tmp_path / "weights"
    shutil.copytree(WEIGHTS, folder)
    assert fault_of(folder) == ""
    harm(folder)
    assert "Restore" in fault_of(folder)
    with pytest.raises(ModelFaultError, match="Restore"):
        cross_encoder.CrossEncoder(folder)


def test_F18_repaired_weights_work_again_in_the_same_process(tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    shutil.copytree(WEIGHTS, folder)
    cut_short(folder)
    assert fault_of(folder) != ""
    shutil.copy(WEIGHTS / "model_int8.onnx", folder / "model_int8.onnx")
    assert fault_of(folder) == ""


def test_F18_the_lexical_judge_stands_in_and_the_panel_says_so(tmp_path: Path) -> None:
    names = ("recorded", "embedded", "lexical")
    whole, harmed = open_panel(names), open_panel(names, weights=tmp_path)
    assert [judge.identity.name for judge in whole.grounding] == ["recorded", "embedded", "lexical"]
    assert [judge.identity.name for judge in harmed.grounding] == ["recorded", "lexical"]
    assert [judge.identity.name for judge in open_panel(["embedded"], weights=tmp_path).grounding] == ["lexical"]
    assert whole.notes == ()
    assert "The judge embedded is not asked." in harmed.notes[0]
    assert "stands in" in open_panel(["embedded"], weights=tmp_path).notes[-1]
    assert whole.fingerprint != harmed.fingerprint
