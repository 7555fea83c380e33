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

PAIRS = 200
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
    """Return pairs a second, one thread, pairs of at most one window."""
    pairs = [p for p in labelled.grounding("factcheck_gpt", "test") if len(p.text.split()) <= 100][:PAIRS]
    ours, bare = _rate(lambda: _ours(pairs)), _rate(_bare(pairs))
    head = ["| how (one thread) | pairs | pairs/s | of bare |", "|---|---|---|---|"]
    plain = _pipeline(pairs)
    rows = [] if plain is None else [(_rate(plain), "transformers pipeline, fp32 torch, one call a pair")]
    return [
        *head,
        *(f"| {name} | {len(pairs)} | {len(pairs) / took:.1f} | {bare / took:.2f} |" for took, name in rows),
        f"| bare onnxruntime, tokenised before | {len(pairs)} | {len(pairs) / bare:.1f} | 1.00 |",
        f"| the judge, windows and evidence included | {len(pairs)} | {len(pairs) / ours:.1f} | {bare / ours:.2f} |",
    ]


def _rate(work: Callable[[], None]) -> float:
    """Return the shortest of three runs in seconds, after one to warm up."""
    work()
    times = []
    for _ in range(3):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


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
