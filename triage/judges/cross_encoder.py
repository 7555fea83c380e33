"""A small cross-encoder on the CPU: (first text, second text) -> one logit. Checked, then loaded when first asked.

Pairs are run one at a time on one thread: with dynamic int8 a score in a batch depends on its neighbours, and one at
a time is faster as well. So a score is a function of the two texts and the weights alone.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnxruntime
    from tokenizers import Tokenizer

WEIGHTS = Path(__file__).parent / "weights"
#: File name -> sha256, for every file of the weights; beside them, so that new weights are one folder.
DIGESTS = "digests.json"
MODEL_FILE = "model_int8.onnx"
TOKENIZER_FILE = "tokenizer.json"

#: Tokens of a pair the model was trained with, and how many of them the first text may take.
MAX_TOKENS = 160
MAX_FIRST_TOKENS = 96

_SURROGATE = re.compile("[\ud800-\udfff]")


class ModelFaultError(Exception):
    """The weights cannot be used; the message says which file, why, and what to do."""


def fault_of(folder: Path = WEIGHTS) -> str:
    """Return "" when the weights in `folder` are whole, else what is wrong with them, in a sentence.

    Reads every byte once a process, and again when a file's size or time of change differs.
    """
    try:
        digests: dict[str, str] = json.loads((folder / DIGESTS).read_text(encoding="utf-8"))
        marks = tuple((name, _mark(folder / name)) for name in sorted(digests))
    except (OSError, ValueError) as fault:
        return f"The embedded judge's weights cannot be read ({fault}). Restore {folder} from the repository."
    for name, mark in marks:
        if _digest(folder / name, mark) != digests[name]:
            return f"{name} is cut short or altered (its sha256 differs). Restore {folder} from the repository."
    return ""


def revision_of(folder: Path = WEIGHTS) -> str:
    """Return 12 hex digits of the digests file: any change of model or tokenizer is another revision."""
    return hashlib.sha256((folder / DIGESTS).read_bytes()).hexdigest()[:12]


def _mark(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


@lru_cache(maxsize=16)
def _digest(path: Path, _mark: tuple[int, int]) -> str:
    """Return the sha256 of a file; the mark is there for the cache, which must forget a file that changed."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class CrossEncoder:
    """The loaded model. One a process: about 130 MB."""

    def __init__(self, folder: Path = WEIGHTS) -> None:
        """Load the weights. Raises ModelFaultError where they are missing, cut short or altered."""
        if fault := fault_of(folder):
            raise ModelFaultError(fault)
        self._whole = _load_tokenizer(folder / TOKENIZER_FILE)
        self._tokenizer = _load_tokenizer(folder / TOKENIZER_FILE)
        self._tokenizer.enable_truncation(MAX_TOKENS, strategy="only_second")
        self._session = _load_session(folder / MODEL_FILE)

    def logit(self, first: str, second: str) -> float:
        """Return the model's word on a pair; the first text is cut at 96 tokens, the second where the pair has 160."""
        import numpy as np

        pair = self._tokenizer.encode(self.cut(plain(first)), plain(second))
        feed = {
            "input_ids": np.array([pair.ids], dtype=np.int64),
            "attention_mask": np.array([pair.attention_mask], dtype=np.int64),
            "token_type_ids": np.array([pair.type_ids], dtype=np.int64),
        }
        return float(self._session.run(None, feed)[0][0, 0])

    @lru_cache(maxsize=1_024)  # noqa: B019 - there is one encoder a process, and a claim is read with many chunks
    def cut(self, text: str) -> str:
        """Return the text up to its 96th token: a first text alone over the limit leaves no room for the second."""
        if len(text) <= MAX_FIRST_TOKENS:  # a token has at least one character
            return text
        text = text[: MAX_FIRST_TOKENS * 40]
        tokens = self._whole.encode(text, add_special_tokens=False)
        if len(tokens.ids) <= MAX_FIRST_TOKENS:
            return text
        end: int = tokens.offsets[MAX_FIRST_TOKENS - 1][1]
        return text[:end]


def plain(text: str) -> str:
    """Return the text with lone surrogates, which no tokenizer reads, as U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


@lru_cache(maxsize=1)
def shared_encoder(folder: Path = WEIGHTS) -> CrossEncoder:
    """Return the process's one loaded model."""
    return CrossEncoder(folder)


def _load_tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _load_session(path: Path) -> onnxruntime.InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # The weights are one file of ours; nothing may be loaded from beside it (external data) or from code.
    return onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])
