"""How fast the embedded judge reads, beside bare onnxruntime on pairs tokenised before, in the same run."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from benchmarks.judge import labelled
from triage.core.judging import ChunkText, ClaimText, GroundingItem, GroundingJudge
from triage.judges.cross_encoder import MAX_TOKENS, MODEL_FILE, TOKENIZER_FILE, WEIGHTS
from triage.judges.embedded import EmbeddedGrounding
from triage.judges.nli import NliGrounding
from triage.judges.setups import NliSetup

PAIRS, ROUNDS = 200, 5
BARE = "bare onnxruntime, tokenised before"
CHECKPOINT = labelled.DATA.parent / "models" / "grounding-ce-l12"
NO_CHECKPOINT = f"they need the extra torch (pip install 'rag-triage[torch]') and the folder {CHECKPOINT}."


def checkpoint() -> dict[str, GroundingJudge]:
    """Return the fp16 checkpoint the int8 weights were made from, read by the NLI judge; nothing without torch."""
    if importlib.util.find_spec("torch") is None or not CHECKPOINT.is_dir():
        return {}
    setup = NliSetup(kind="nli", model=str(CHECKPOINT), order="claim_first", max_tokens=MAX_TOKENS, threshold=0.31)
    return {"fp16 checkpoint (torch)": NliGrounding("checkpoint", setup)}


def _pipeline(pairs: list[labelled.Pair]) -> Callable[[], None] | None:
    """Return a plain transformers pipeline call for each pair, fp32 on torch; None without torch."""
    if not checkpoint():
        return None
    import torch
    from transformers import pipeline

    torch.set_num_threads(1)
    ask = pipeline("text-classification", model=str(CHECKPOINT), dtype=torch.float32, device="cpu")
    texts = [{"text": pair.claim, "text_pair": pair.text} for pair in pairs]
    return lambda: [ask(text, truncation="only_second", max_length=MAX_TOKENS) for text in texts].clear()


def table() -> list[str]:
    """Return pairs a second on one thread for pairs of at most one window: medians of rounds in turn."""
    pairs = [p for p in labelled.grounding("factcheck_gpt", "test") if len(p.text.split()) <= 100][:PAIRS]
    ways = {BARE: _bare(pairs), "the judge, windows and evidence included": lambda: _ours(pairs)}
    if (plain := _pipeline(pairs)) is not None:
        ways = {"transformers pipeline, fp32 torch, one call a pair": plain, **ways}
    rates: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(1 + ROUNDS):
        for name, work in ways.items():
            rates[name].append(len(pairs) / _seconds(work))
    warm = {name: sorted(each[1:]) for name, each in rates.items()}  # the first round warms up
    bare = warm[BARE][ROUNDS // 2]
    rows = [_row(name, len(pairs), each, bare) for name, each in warm.items()]
    return [f"| how (one thread) | pairs | pairs/s, median (range of {ROUNDS}) | of bare |", "|---|---|---|---|", *rows]


def _row(name: str, pairs: int, rates: list[float], bare: float) -> str:
    middle = rates[ROUNDS // 2]
    return f"| {name} | {pairs} | {middle:.1f} ({rates[0]:.1f}–{rates[-1]:.1f}) | {middle / bare:.2f} |"


def _seconds(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _ours(pairs: list[labelled.Pair]) -> None:
    items = [
        GroundingItem(str(i), "", (ClaimText("a", pair.claim),), (ChunkText("c", pair.text),))
        for i, pair in enumerate(pairs)
    ]
    EmbeddedGrounding().read(items)


def _bare(pairs: list[labelled.Pair]) -> Callable[[], None]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(WEIGHTS / MODEL_FILE), options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(WEIGHTS / TOKENIZER_FILE))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS, strategy="only_second")
    feeds = []
    for pair in pairs:
        tokens = tokenizer.encode(pair.claim, pair.text)
        ids = {"input_ids": tokens.ids, "attention_mask": tokens.attention_mask, "token_type_ids": tokens.type_ids}
        feeds.append({name: np.array([values], dtype=np.int64) for name, values in ids.items()})
    return lambda: [session.run(None, feed) for feed in feeds].clear()
