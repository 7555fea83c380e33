"""DeepEval: the JSON of a test run (also what its results folder holds), or a saved list of test cases.

| DeepEval (`camelCase` in test runs, `snake_case` in data sets) | becomes |
| --- | --- |
| `input`, `actualOutput`, `expectedOutput` | `question`, `answer`, `reference` |
| `retrievalContext[]` (texts) | `retrieved`, ids made of the texts. DeepEval drops an empty list when it saves: left out = unknown |
| `context[]` (texts that should be found) | `gold`, matched by the same text |
| `metricsData[]` `name`, `score`, `evaluationModel` | `scores` with tool `deepeval` and a definition tag; `threshold`, `success`, `reason`, `error` stay with each |
| `metricsData[].success` | `correct`: true when all metrics that are not flaky passed, false when one failed, null when none decided |
| `success` of the test case | not used: a notice says where it disagrees with its metrics |
| a failed metric whose reason finds nothing wrong | slice `score_check` = `reason disagrees`, to be looked at first |
| `completionTime` (seconds) | `latency_ms` |
| `tokenCost` | `cost` |
| `tags` | `slice` `tags` |
| `name`, `order`, `metadata`, `comments`, anything else | `meta` |
| (names are the same for many cases) | `id` made of the question |
| `hyperparameters` | `config`; whole numbers, which DeepEval writes as text, are numbers again. Of a large compressed file only what stands before the cases is seen |
| `conversationalTestCases`, totals | left out |

Scores stay as given; for bias, toxicity and hallucination lower is better, and their definition tags say so.
"""  # noqa: E501 - a row of a table is one line

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from triage.core.records import RecordError, describe
from triage.formats.adapter import Adapter, Object
from triage.formats.around import member, tail_of
from triage.formats.identity import text_id

DEFINITIONS: dict[str, str] = {
    "faithfulness": "claims_not_contradicted_by_context",
    "answer relevancy": "statements_relevant_to_input",
    "contextual precision": "judged_precision_at_each_hit",
    "contextual recall": "reference_sentences_in_context",
    "contextual relevancy": "context_statements_relevant_to_input",
    "hallucination": "contexts_contradicted_lower_is_better",
    "bias": "biased_opinions_lower_is_better",
    "toxicity": "toxic_opinions_lower_is_better",
}
_NAMES = {
    "actualOutput": "actual_output",
    "expectedOutput": "expected_output",
    "retrievalContext": "retrieval_context",
    "completionTime": "completion_time",
    "tokenCost": "token_cost",
    "metricsData": "metrics_data",
    "metricsMetadata": "metrics_data",
    "metrics_metadata": "metrics_data",
}
_READ = frozenset({*_NAMES.values(), "input", "context", "success", "tags"})
_WHOLE = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
_NOTHING_WRONG = re.compile(
    r"\b(?:no|zero|without any) (?:contradiction|issue|error|inconsistenc|hallucination|problem)|"
    r"nothing (?:is )?wrong|fully (?:consistent|supported|faithful|aligned)",
    re.IGNORECASE,
)


def recognises(found: dict[str, set[str]]) -> bool:
    """Say whether these are the keys of a DeepEval file, by path."""
    top = found.get("", set())
    if top & {"testCases", "test_cases"}:
        return True
    return "input" in top and bool(top & {"actual_output", "actualOutput", "expected_output", "retrieval_context"})


class DeepEval(Adapter):
    """A DeepEval file being read."""

    title = producer = "DeepEval"
    lists = ("testCases", "test_cases")

    def opening(self, columns: Iterable[str]) -> Object:
        """Return the run with the settings under test, which stand before or after the list of cases."""
        told = member("hyperparameters", self._head, tail_of(self._stream))
        config = {str(name): _number(value) for name, value in told.items()} if isinstance(told, dict) else {}
        return {**super().opening(columns), "config": config}

    def convert(self, row: Object) -> Iterator[Object]:
        """Yield the chunks of the ideal context, then the query."""
        case = {_NAMES.get(name, name): value for name, value in row.items()}
        if not isinstance(case.get("input"), str):
            raise RecordError("input", describe(case.get("input")), "the question, as a text", "Fill it in.")
        retrieved = _texts(case, "retrieval_context")
        gold = _texts(case, "context")
        keys = [text_id(text) for text in retrieved or ()]
        for text in gold or ():
            if text_id(text) not in keys:
                yield {"kind": "chunk", "id": text_id(text), "text": text}
        if retrieved:
            self.note("chunk_without_id", keys[0])
        if gold:
            self.note("gold_by_text", text_id(gold[0]))
        metrics = [metric for metric in case.get("metrics_data") or () if isinstance(metric, dict)]
        seconds = case.get("completion_time")
        yield {
            "id": self.query_ids.of(case["input"]),
            "question": case["input"],
            "answer": case.get("actual_output"),
            "reference": case.get("expected_output"),
            "retrieved": None if retrieved is None else [{"id": text_id(t), "text": t} for t in retrieved],
            "gold": [text_id(text) for text in gold] if gold else None,
            "correct": self._passed(case, metrics),
            "scores": [_score(metric) for metric in metrics],
            "slice": self._slices(case, metrics),
            "latency_ms": seconds * 1000 if isinstance(seconds, int | float) else None,
            "cost": case.get("token_cost"),
            "meta": {name: value for name, value in case.items() if name not in _READ and value is not None},
        }

    def _passed(self, case: Object, metrics: list[Object]) -> bool | None:
        """Return whether the metrics passed, each by its own flag; the case's own flag is only compared."""
        flags = [metric.get("success") for metric in metrics if not metric.get("flaky")]
        passed = False if False in flags else (True if flags and None not in flags else None)
        if passed is not None and isinstance(case.get("success"), bool) and case["success"] is not passed:
            self.note("status_disagrees", str(case.get("name", case["input"][:40])))
        return passed

    def _slices(self, case: Object, metrics: list[Object]) -> Object:
        slices: Object = {}
        tags = case.get("tags")
        if isinstance(tags, list) and tags:
            slices["tags"] = ", ".join(map(str, tags))
        doubtful = [str(metric.get("name")) for metric in metrics if _reason_disagrees(metric)]
        if doubtful:
            self.note("reason_disagrees", *doubtful)
            slices["score_check"] = "reason disagrees"
        return slices


def _number(value: object) -> object:
    """Return a whole number that was written as text as a number, anything else as it is."""
    return int(value) if isinstance(value, str) and _WHOLE.fullmatch(value) else value


def _texts(case: Object, field: str) -> list[str] | None:
    value = case.get(field)
    if value is None:
        return None
    if not isinstance(value, list) or any(not isinstance(text, str) for text in value):
        raise RecordError(field, describe(value), "a list of texts", "Pictures and objects are not read.")
    return value


def _score(metric: Object) -> Object:
    name = str(metric.get("name", metric.get("metric", "")))
    beside: dict[str, Any] = {
        key: metric[key] for key in ("threshold", "success", "reason", "error", "flaky") if metric.get(key) is not None
    }
    return {
        "metric": name,
        "value": metric.get("score"),
        "judge": str(metric.get("evaluationModel", metric.get("evaluation_model")) or ""),
        "tool": "deepeval",
        "definition": DEFINITIONS.get(name.lower(), ""),
        "meta": beside,
    }


def _reason_disagrees(metric: Object) -> bool:
    """Say whether a metric failed although its own reason finds nothing wrong."""
    reason = metric.get("reason")
    return metric.get("success") is False and isinstance(reason, str) and _NOTHING_WRONG.search(reason) is not None
