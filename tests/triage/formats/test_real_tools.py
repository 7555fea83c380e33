"""Files made on the spot by the tools themselves. They are heavy, so they are not installed for every run.

`pip install --group tools` brings those that can stand beside this project; ragas, label-studio-sdk and RAGChecker need
an environment of their own (see pyproject.toml). Each test says which tool it misses. Which formats have no such test,
and why: docs/formats.md.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import random
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.triage.formats.reading import ids, read, read_file
from triage.core.records import QueryRecord, Remarks, parse
from triage.formats.write_label_studio import interface, label_studio_pieces
from triage.formats.write_qrels import qrels_lines
from triage.formats.write_ragas import ragas_lines


def tool(name: str) -> ModuleType:
    """Return a tool's module; what it warns about while loading is its own affair."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ImportError as error:
        pytest.skip(f"{name} is not installed (see the group `tools` in pyproject.toml): {error}")


def query_of(**fields: Any) -> QueryRecord:
    record = parse({"id": "7", "question": "How long?", "answer": "Ten years 🧀. Ask.", **fields}, Remarks())
    assert isinstance(record, QueryRecord)
    return record


def test_trec_eval_puts_the_documents_of_a_random_run_where_we_put_them() -> None:
    evaluator = tool("pytrec_eval").RelevanceEvaluator
    chance = random.Random(7)
    run = {
        str(topic): {
            f"d{n}": chance.choice([0.1, 0.10000000001, 0.2, -1.0, 3e10, 1e-9]) for n in range(chance.randint(1, 12))
        }
        for topic in range(40)
    }
    text = "".join(f"{topic} Q0 {doc} 0 {score!r} t\n" for topic, found in run.items() for doc, score in found.items())
    for query in read(text).queries:
        order = ids(query.retrieved)
        for place, document in enumerate(order, 1):
            measured = evaluator({query.id: {document: 1}}, {"recip_rank"}).evaluate({query.id: run[query.id]})
            assert measured[query.id]["recip_rank"] == pytest.approx(1 / place), (query.id, order)


def test_trec_eval_reads_our_judgements() -> None:
    pytrec_eval = tool("pytrec_eval")
    lines = list(qrels_lines([query_of(id="1", gold=["a", "b"])]))
    assert pytrec_eval.parse_qrel(lines) == {"1": {"a": 1, "b": 1}}


def test_ragas_reads_what_we_write_and_we_read_what_it_writes(tmp_path: Path) -> None:
    dataset = tool("ragas.dataset_schema").EvaluationDataset
    given = read_file("ragas_0_4.jsonl")
    path = tmp_path / "run.jsonl"
    path.write_text("".join(ragas_lines(given.queries, given.chunks)), encoding="utf-8")
    theirs = dataset.from_jsonl(path)
    assert [sample.user_input for sample in theirs.samples] == [query.question for query in given.queries]
    theirs.to_csv(tmp_path / "run.csv")
    back = read((tmp_path / "run.csv").read_bytes())
    assert [(q.question, ids(q.retrieved), q.gold) for q in back.queries] == [
        (q.question, ids(q.retrieved), q.gold) for q in given.queries
    ]


def test_label_studio_accepts_our_tasks_and_our_interface() -> None:
    label_interface = tool("label_studio_sdk.label_interface").LabelInterface(interface())
    label_interface.validate()
    mark = {"label": "unsupported", "reviewer": "ada"}
    query = query_of(
        retrieved=[{"id": "k1", "text": "Two years."}],
        claims=[{"text": "Ask", "span": [13, 16], "human": [mark]}],
        human=[{"label": "retrieval_miss", "sub_cause": "ranked_out", "note": "x", "reviewer": "ada"}],
    )
    for task in json.loads("".join(label_studio_pieces([query], {}))):
        label_interface.validate_task({"data": task["data"]})
        regions = [region for annotation in task["annotations"] for region in annotation["result"]]
        assert len(regions) == 4
        assert all(label_interface.validate_region(region) for region in regions)


def test_deepeval_writes_a_test_run_we_read() -> None:
    test_run = tool("deepeval.test_run.test_run").TestRun
    case = tool("deepeval.test_run.api").LLMApiTestCase
    metric = tool("deepeval.tracing.api").MetricData
    made = case(
        name="test_case_0", input="How?", actualOutput="So.", retrievalContext=["a"], completionTime=0.5, success=True
    )
    made.update_metric_data(metric(name="Faithfulness", threshold=0.5, success=False, score=0.25, reason="One is off."))
    text = json.dumps(test_run(testCases=[made]).model_dump(by_alias=True, exclude_none=True))
    found = read(text)
    assert (found.format, found.query.question, found.query.correct, found.query.latency_ms) == (
        "deepeval",
        "How?",
        False,
        500,
    )
    assert (found.query.scores[0].metric, found.query.scores[0].value) == ("Faithfulness", 0.25)


def test_the_opentelemetry_sdk_writes_spans_we_read() -> None:
    memory = tool("opentelemetry.sdk.trace.export.in_memory_span_exporter").InMemorySpanExporter()
    names = tool("openinference.semconv.trace")
    provider = tool("opentelemetry.sdk.trace").TracerProvider()
    provider.add_span_processor(tool("opentelemetry.sdk.trace.export").SimpleSpanProcessor(memory))
    tracer = provider.get_tracer("shop")
    span, document = names.SpanAttributes, names.DocumentAttributes
    kind = {span.OPENINFERENCE_SPAN_KIND: names.OpenInferenceSpanKindValues.RETRIEVER.value}
    documents = f"{span.RETRIEVAL_DOCUMENTS}.0."
    with tracer.start_as_current_span("q", attributes={span.INPUT_VALUE: "How?", span.OUTPUT_VALUE: "So."}):
        told = {documents + document.DOCUMENT_ID: "k1", documents + document.DOCUMENT_CONTENT: "a"}
        with tracer.start_as_current_span("r", attributes={**kind, **told}):
            pass
    found = read("\n".join(finished.to_json() for finished in memory.get_finished_spans()))
    assert (found.format, found.query.question, found.query.answer) == ("openinference", "How?", "So.")
    assert ids(found.query.retrieved) == ["k1"]


def ragchecker(*names: str) -> list[ModuleType]:
    """Return modules of RAGChecker; its package itself loads models that its arithmetic does not need."""
    found = importlib.util.find_spec("ragchecker")
    if found is not None:
        package = ModuleType("ragchecker")
        package.__path__ = list(found.submodule_search_locations or ())
        sys.modules["ragchecker"] = package
    return [tool(f"ragchecker.{name}") for name in names]


def test_ragchecker_writes_results_we_read_and_its_faithfulness_is_ours() -> None:
    container, computation = ragchecker("container", "computation")
    chance = random.Random(11)
    results = []
    for number in range(30):
        claims, chunks = chance.randint(1, 6), chance.randint(1, 5)
        result = container.RAGResult(
            query_id=str(number),
            query="How long?",
            gt_answer="Two years.",
            response="Two years. Ask.",
            retrieved_context=[container.RetrievedDoc(f"{n:03}", f"text {number}.{n}") for n in range(chunks)],
            response_claims=[["claim", "number", str(n)] for n in range(claims)],
            retrieved2response=[
                chance.choices(["Entailment", "Neutral", "Contradiction"], k=chunks) for _ in range(claims)
            ],
        )
        computation.evaluate_faithfulness(result)
        result.metrics = {name: float(value) for name, value in result.metrics.items()}
        results.append(result)
    found = read(container.RAGResults(results=results).to_json(indent=2))
    assert (found.format, found.errors, len(found.queries)) == ("ragchecker", [], 30)
    for query in found.queries:
        claims = query.claims or ()
        supported = [any(verdict.label == "supported" for verdict in claim.verdicts) for claim in claims]
        (score,) = query.scores
        assert (score.metric, score.tool) == ("faithfulness", "ragchecker")
        assert score.value == pytest.approx(sum(supported) / len(supported), abs=1e-6)


def test_ir_measures_finds_in_our_order_and_judgements_what_it_finds_in_the_run(tmp_path: Path) -> None:
    measures = tool("ir_measures")
    chance = random.Random(5)
    judged = {str(topic): [f"d{n}" for n in chance.sample(range(12), 3)] for topic in range(1, 21)}
    run = "".join(f"{topic} Q0 d{n} 0 {chance.choice([0.5, 1, 2])} t\n" for topic in judged for n in range(9))
    qrels = "".join(f"{topic} 0 {document} 1\n" for topic, documents in judged.items() for document in documents)
    queries = {query.id: query for query in read(qrels + run).queries}
    ours = "".join(qrels_lines(queries.values()))
    recall, first = measures.R @ 5, measures.RR
    told = {
        (str(measure.measure), measure.query_id): measure.value
        for measure in measures.iter_calc(
            [recall, first], list(measures.read_trec_qrels(ours)), list(measures.read_trec_run(run))
        )
    }
    for topic, query in queries.items():
        order, gold = ids(query.retrieved), set(query.gold or ())
        assert told[(str(recall), topic)] == pytest.approx(len(gold & set(order[:5])) / len(gold))
        ranks = [rank for rank, document in enumerate(order, 1) if document in gold]
        assert told[(str(first), topic)] == pytest.approx(1 / ranks[0] if ranks else 0)


def test_phoenix_makes_spans_of_a_data_frame_and_we_read_both(tmp_path: Path) -> None:
    pandas, spans = tool("pandas"), tool("phoenix.client.helpers.spans")
    documents = [{"document.id": "k1", "document.content": "Two years.", "document.score": 0.5}]
    frame = pandas.DataFrame(
        [
            {"name": "q", "span_kind": "CHAIN", "parent_id": None, "context.span_id": "a1" * 8},
            {"name": "r", "span_kind": "RETRIEVER", "parent_id": "a1" * 8, "context.span_id": "b2" * 8},
        ]
    ).assign(**{"context.trace_id": "c3" * 16, "start_time": "2026-11-30T09:00:00+00:00"})
    frame["end_time"] = ["2026-11-30T09:00:02+00:00", "2026-11-30T09:00:01+00:00"]
    frame["attributes.input.value"] = ["How long?", "How long?"]
    frame["attributes.output.value"] = ["Two years.", None]
    frame["attributes.retrieval.documents"] = [None, documents]
    frame.to_csv(tmp_path / "spans.csv", index=False)
    as_table = read((tmp_path / "spans.csv").read_bytes())
    as_json = read(json.dumps(spans.dataframe_to_spans(frame)))
    for found in (as_table, as_json):
        assert (found.format, found.errors) == ("openinference", [])
        query = found.query
        assert (query.id, query.question, query.answer) == ("c3" * 16, "How long?", "Two years.")
        assert (ids(query.retrieved), query.latency_ms) == (["k1"], 2000)
        assert found.chunks == {"k1": "Two years."}
