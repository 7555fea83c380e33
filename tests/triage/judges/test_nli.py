"""The judge on a model of the operator's: through the real loading code, on small models."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.triage.judges.contract import grounding_items
from triage.core.judging import ChunkText, ClaimText, GroundingItem, is_usable_score
from triage.core.labels import Support
from triage.judges.cross_encoder import WEIGHTS
from triage.judges.embedded import EmbeddedGrounding
from triage.judges.nli import NliFaultError, NliGrounding, read_labels
from triage.judges.setups import NliSetup

SUPPORT = "Customers of every plan may return a purchase within thirty days."
CLAIM = "Purchases can be returned for thirty days."


def setup(model: Path | str, **fields: Any) -> NliSetup:
    return NliSetup.model_validate({"kind": "nli", "model": str(model), **fields})


def item(claim: str = CLAIM, chunk: str = SUPPORT) -> GroundingItem:
    return GroundingItem("i", "", (ClaimText("a", claim),), (ChunkText("c", chunk),))


@pytest.fixture
def one_label(tmp_path: Path) -> Path:
    """A real one-label model as a folder: the embedded judge's own weights under the names everybody uses."""
    shutil.copy(WEIGHTS / "model_int8.onnx", tmp_path / "model.onnx")
    shutil.copy(WEIGHTS / "tokenizer.json", tmp_path / "tokenizer.json")
    (tmp_path / "config.json").write_text(json.dumps({"id2label": {"0": "SUPPORTED"}}))
    return tmp_path


def test_an_onnx_folder_is_read_and_scores_as_the_same_weights_elsewhere(one_label: Path) -> None:
    judge = NliGrounding("mine", setup(one_label, order="claim_first", max_tokens=160))
    word = judge.ground([item()])[0][0]
    same = EmbeddedGrounding().ground([item()])[0][0]
    assert word.score == pytest.approx(same.score, abs=1e-6)
    assert word.evidence == same.evidence


def test_the_contract_holds_for_a_folder_model(one_label: Path) -> None:
    judge, items = NliGrounding("mine", setup(one_label)), grounding_items()
    together = judge.ground(items)
    assert [judge.ground([each])[0] for each in items] == together
    for each, words in zip(items, together, strict=True):
        texts = {chunk.key: chunk.text or "" for chunk in each.chunks}
        assert all(is_usable_score(word.score) and texts[word.chunk or ""].strip() for word in words)


def test_every_choice_that_moves_a_score_is_part_of_the_identity(one_label: Path) -> None:
    base = NliGrounding("mine", setup(one_label)).identity
    assert base.model == str(one_label)
    assert base == NliGrounding("mine", setup(one_label)).identity
    changed: list[dict[str, Any]] = [
        {"order": "claim_first"},
        {"max_tokens": 128},
        {"threshold": 0.7},
        {"dtype": "float16"},
    ]
    marks = {NliGrounding("mine", setup(one_label, **change)).identity.fingerprint for change in changed}
    (one_label / "config.json").write_text("{}")
    marks.add(NliGrounding("mine", setup(one_label)).identity.fingerprint)
    assert len(marks | {base.fingerprint}) == len(changed) + 2


@pytest.mark.parametrize(
    ("names", "logits", "entails", "contradicts"),
    [
        (["contradiction", "entailment", "neutral"], [0.0, 100.0, 0.0], 1.0, 0.0),
        (["ENTAILMENT", "NEUTRAL", "CONTRADICTION"], [0.0, 0.0, 100.0], 0.0, 1.0),
        (["entailment", "not_entailment"], [0.0, 0.0], 0.5, 0.0),
        (["SUPPORTED"], [0.0], 0.5, 0.0),
        (["SUPPORTED"], [-1e9], 0.0, 0.0),
    ],
)
def test_labels_are_found_by_their_names(
    names: list[str], logits: list[float], entails: float, contradicts: float
) -> None:
    labels = read_labels({"id2label": dict(enumerate(names))})
    assert labels.probabilities(logits) == pytest.approx((entails, contradicts), abs=1e-9)


def test_labels_that_do_not_say_entailment_are_refused_with_the_remedy() -> None:
    config = {"id2label": {0: "LABEL_0", 1: "LABEL_1"}}
    with pytest.raises(NliFaultError, match=r"LABEL_0, LABEL_1.*entailment_label"):
        read_labels(config)
    assert read_labels(config, "label_1").probabilities([0.0, 100.0])[0] == pytest.approx(1.0)


def test_SEC14_a_model_that_wants_its_own_code_run_is_refused(one_label: Path) -> None:
    config = {"id2label": {"0": "SUPPORTED"}, "auto_map": {"AutoModel": "evil.Model"}}
    (one_label / "config.json").write_text(json.dumps(config))
    with pytest.raises(NliFaultError, match="code of its own"):
        NliGrounding("mine", setup(one_label)).ground([item()])


def test_a_hub_id_without_a_revision_is_refused() -> None:
    with pytest.raises(NliFaultError, match="40 digits"):
        NliGrounding("mine", setup("owner/model"))


@pytest.fixture
def torch_folder(tmp_path: Path) -> Path:
    """A tiny three-label model made here and saved as safetensors, with a tokenizer."""
    torch = pytest.importorskip(
        "torch", reason="LOUD SKIP: torch is not installed, so the NLI judge's torch path is untested"
    )
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(7)
    labels = {0: "contradiction", 1: "entailment", 2: "neutral"}
    config = transformers.BertConfig(
        vocab_size=30522,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        id2label=labels,
        label2id={name: index for index, name in labels.items()},
    )
    transformers.BertForSequenceClassification(config).save_pretrained(tmp_path)
    shutil.copy(WEIGHTS / "tokenizer.json", tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"}))
    return tmp_path


def test_a_safetensors_folder_is_read_through_transformers(torch_folder: Path) -> None:
    judge = NliGrounding("mine", setup(torch_folder))
    words = judge.ground(grounding_items())
    assert judge.ground(grounding_items()) == words
    assert all(is_usable_score(word.score) for each in words for word in each)
    assert words[0]


def test_pair_order_matters_and_contradictions_are_told(torch_folder: Path) -> None:
    one = NliGrounding("a", setup(torch_folder, order="chunk_first")).ground([item()])[0][0]
    other = NliGrounding("b", setup(torch_folder, order="claim_first")).ground([item()])[0][0]
    assert one.score != other.score
    assert one.label in (None, Support.CONTRADICTED)


def test_SEC14_pickled_weights_are_never_loaded(torch_folder: Path) -> None:
    import torch

    (torch_folder / "model.safetensors").unlink()
    torch.save({}, torch_folder / "pytorch_model.bin")
    with pytest.raises(NliFaultError, match="cannot be loaded"):
        NliGrounding("mine", setup(torch_folder)).ground([item()])


def test_a_missing_torch_is_said_with_the_remedy(tmp_path: Path) -> None:
    try:
        import torch  # noqa: F401
    except ImportError:
        (tmp_path / "config.json").write_text(json.dumps({"id2label": {"0": "SUPPORTED"}}))
        with pytest.raises(NliFaultError, match="torch"):
            NliGrounding("mine", setup(tmp_path)).ground([item()])
    else:
        pytest.skip("torch is installed here")
