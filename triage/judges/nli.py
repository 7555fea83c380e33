"""The NLI judge: any sequence classifier of the operator's, from a folder or a hub id. The only user of transformers.

A folder with `model.onnx` and `tokenizer.json` runs on onnxruntime; anything else goes through transformers and torch
(the extra `torch`), from safetensors only. Code that comes with a model is never run: a model that asks for it is
refused by name. Pairs are run one at a time, so that a score never depends on its neighbours.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from triage.core.judging import ChunkText, ClaimText, GroundingItem, JudgeIdentity, PairScore, Task
from triage.core.labels import Support
from triage.judges.cross_encoder import plain
from triage.judges.lexical import read_claim
from triage.judges.setups import NliSetup
from triage.judges.windows import picked

#: (first text, second text) -> one logit a label.
Logits = Callable[[str, str], Sequence[float]]
CONFIG = "config.json"
ONNX = "model.onnx"
WEIGHT_FILES = ("*.safetensors", "*.onnx", "tokenizer.json", CONFIG)
#: A contradiction is told from this probability on.
CONTRADICTION_FROM = 0.5


class NliFaultError(Exception):
    """The model cannot be used; the message says why and what to do."""


class NliGrounding:
    """Scores a claim against a chunk by the probability of entailment; says where a chunk contradicts."""

    def __init__(self, name: str, setup: NliSetup) -> None:
        """Take the operator's choices; nothing is loaded yet. Raises NliFaultError when no revision can be told."""
        self._name, self._setup = name, setup
        self._revision = _revision(setup)
        self._logits: Logits | None = None
        self._labels = _Labels(-1, -1, single=False)

    @property
    def identity(self) -> JudgeIdentity:
        """Return who this is: model, its exact revision, and every choice that moves a score."""
        setup = self._setup
        return JudgeIdentity(
            self._name, Task.GROUNDING, setup.model, self._revision, setup.choices_hash, setup.threshold
        )

    def ground(self, items: Sequence[GroundingItem]) -> list[list[PairScore]]:
        """Score every claim against every chunk that has text. Raises NliFaultError when the model cannot be used."""
        return [
            [
                self._read(claim, chunk)
                for claim in item.claims
                for chunk in item.chunks
                if chunk.text and chunk.text.strip()
            ]
            for item in items
        ]

    def _read(self, claim: ClaimText, chunk: ChunkText) -> PairScore:
        """Return the window with the highest entailment; a contradiction counts where no window entails."""
        text, wanted = chunk.text or "", read_claim(claim.text)
        read = [
            (*self._probabilities(claim.text, text[window.start : window.end]), window)
            for window in picked(text, wanted)
        ]
        if not read:
            return PairScore(claim.key, chunk.key, score=0.0)
        entails, _, window = max(read, key=lambda each: each[0])
        worst = max(read, key=lambda each: each[1])
        if entails < self._setup.threshold and worst[1] >= CONTRADICTION_FROM:
            evidence = worst[2].best_sentence(wanted)
            return PairScore(claim.key, chunk.key, score=entails, label=Support.CONTRADICTED, evidence=evidence)
        return PairScore(claim.key, chunk.key, score=entails, evidence=window.best_sentence(wanted))

    def _probabilities(self, claim: str, window: str) -> tuple[float, float]:
        """Return the probabilities of entailment and of contradiction."""
        if self._logits is None:
            self._logits, self._labels = _load(self._setup)
        chunk_first = self._setup.order == "chunk_first"
        first, second = (window, claim) if chunk_first else (claim, window)
        return self._labels.probabilities(self._logits(plain(first), plain(second)))


class _Labels:
    """Which logit means what."""

    def __init__(self, entailment: int, contradiction: int, *, single: bool) -> None:
        self._entailment, self._contradiction, self._single = entailment, contradiction, single

    def probabilities(self, logits: Sequence[float]) -> tuple[float, float]:
        if self._single:
            return 1.0 / (1.0 + math.exp(-max(-700.0, min(700.0, logits[0])))), 0.0
        top = max(logits)
        powers = [math.exp(logit - top) for logit in logits]
        total = math.fsum(powers)
        contradicts = powers[self._contradiction] / total if self._contradiction >= 0 else 0.0
        return powers[self._entailment] / total, contradicts


def read_labels(config: Mapping[str, Any], wanted: str = "") -> _Labels:
    """Find the labels in a model's config. Raises NliFaultError when none of several means entailment."""
    names = {int(key): str(name) for key, name in dict(config.get("id2label") or {}).items()}
    count = len(names) or int(config.get("num_labels") or 0)
    if count == 1:
        return _Labels(0, -1, single=True)
    start = wanted.lower() or "entail"
    entailment = [index for index, name in names.items() if name.lower().startswith(start)]
    if len(entailment) != 1:
        told = ", ".join(names.values()) or "none"
        raise NliFaultError(f"No label of the model means entailment (labels: {told}). Set entailment_label.")
    contradiction = [index for index, name in names.items() if name.lower().startswith("contradict")]
    return _Labels(entailment[0], contradiction[0] if contradiction else -1, single=False)


def _revision(setup: NliSetup) -> str:
    folder = Path(setup.model)
    if folder.is_dir():
        return _digest_of(folder)
    if not setup.revision:
        raise NliFaultError(
            f"{setup.model} is no folder here, and a hub id needs a revision: the 40 digits of a commit."
        )
    return setup.revision


def _digest_of(folder: Path) -> str:
    """Return 12 hex digits over the files that make the model."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in WEIGHT_FILES for path in folder.glob(pattern)}):
        found = path.stat()
        digest.update(f"{path.name} {_file_digest(path, found.st_size, found.st_mtime_ns)}\n".encode())
    return digest.hexdigest()[:12]


@lru_cache(maxsize=64)
def _file_digest(path: Path, _size: int, _changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _load(setup: NliSetup) -> tuple[Logits, _Labels]:
    folder = Path(setup.model)
    if (folder / ONNX).is_file():
        config = _checked(json.loads((folder / CONFIG).read_text(encoding="utf-8")), setup.model)
        return _onnx_logits(folder, setup), read_labels(config, setup.entailment_label)
    return _torch_logits(setup)


def _checked(config: dict[str, Any], model: str) -> dict[str, Any]:
    """Refuse a model that wants its own code run, whatever a library would make of it."""
    if "auto_map" in config or "trust_remote_code" in config:
        raise NliFaultError(f"{model} wants to run code of its own (auto_map in {CONFIG}): it is not loaded.")
    return config


def _onnx_logits(folder: Path, setup: NliSetup) -> Logits:
    import numpy as np
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(setup.max_tokens, strategy="longest_first")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # From bytes: an ONNX file read so cannot name other files to be loaded beside it.
    session = onnxruntime.InferenceSession((folder / ONNX).read_bytes(), options, providers=["CPUExecutionProvider"])
    wanted = {given.name for given in session.get_inputs()}

    def logits(first: str, second: str) -> Sequence[float]:
        pair = tokenizer.encode(first, second)
        every = {"input_ids": pair.ids, "attention_mask": pair.attention_mask, "token_type_ids": pair.type_ids}
        feed = {name: np.array([values], dtype=np.int64) for name, values in every.items() if name in wanted}
        return [float(value) for value in session.run(None, feed)[0][0]]

    return logits


def _torch_logits(setup: NliSetup) -> tuple[Logits, _Labels]:
    try:
        import torch
        from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer, PretrainedConfig
    except ImportError as fault:
        raise NliFaultError("This model needs torch: install the extra, pip install 'rag-triage[torch]'.") from fault
    where: dict[str, Any] = {"local_files_only": setup.offline, "trust_remote_code": False}
    if setup.revision:
        where["revision"] = setup.revision
    try:
        raw, _ = PretrainedConfig.get_config_dict(setup.model, **where)
        _checked(raw, setup.model)
        config = AutoConfig.from_pretrained(setup.model, **where)
        tokenizer = AutoTokenizer.from_pretrained(setup.model, **where)
        model = AutoModelForSequenceClassification.from_pretrained(
            setup.model, use_safetensors=True, dtype=getattr(torch, setup.dtype), **where
        )
    except (OSError, ValueError) as fault:
        raise NliFaultError(f"{setup.model} cannot be loaded: {str(fault)[:300]}") from fault
    torch.set_num_threads(1)
    model.eval().to(setup.device)

    def logits(first: str, second: str) -> Sequence[float]:
        pair = tokenizer(first, second, truncation="longest_first", max_length=setup.max_tokens, return_tensors="pt")
        with torch.inference_mode():
            return [float(value) for value in model(**pair.to(setup.device)).logits[0].float()]

    return logits, read_labels(config.to_dict(), setup.entailment_label)
