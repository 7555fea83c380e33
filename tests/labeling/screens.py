"""What tests of the review screen share: a run worth looking at, and forms read back as a browser would."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from labeling.models import ReviewSession
from labeling.worklist import default_session
from tests.factories import make_chunk, make_claim, make_judge, make_member, make_query, make_run
from triage.models import Query, QueryMetrics, Role, Run, Score, Suggestion

ANSWER = "The limit is 14 days. Files come back. Keys return."


def make_case(run: Run, *, chunks: int = 3, claims: int = 3, **fields: Any) -> Query:
    """Return a failing query with evidence, and claims that are spans of its answer."""
    found = [make_chunk(run, text=f"Chunk text number {number} about limits.") for number in range(chunks)]
    query = make_query(run, found, **{"answer": ANSWER, "gold": [found[0].key] if found else [], **fields})
    at = 0
    for sentence in re.findall(r"[^.]+\.", query.answer or "")[:claims]:
        start = (query.answer or "").index(sentence, at)
        lead = len(sentence) - len(sentence.lstrip())
        make_claim(query, sentence.strip(), span_start=start + lead, span_end=start + len(sentence))
        at = start + len(sentence)
    return query


def file_case(query: Query, label: str = "retrieval_miss", value: float = 0.3137) -> Suggestion:
    """Let the machine have judged and filed the query: scores, metrics, a current suggestion."""
    judge = make_judge("sharp-judge")
    slot = query.retrieved.order_by("rank").first()
    for claim in query.claims.all():
        Score.objects.create(
            judge=judge,
            query=query,
            claim=claim,
            chunk=slot.chunk if slot else None,
            value=value,
            evidence_start=0,
            evidence_end=10,
        )
    QueryMetrics.objects.create(query=query, context_recall=value, faithfulness=value, answer_relevance=value)
    return Suggestion.objects.create(
        query=query,
        label=label,
        test="context_recall",
        value=value,
        threshold=0.5,
        reasons=[f"context recall {value:.2f} < 0.50", "not reached", "not reached"],
        proposed_sub_cause="unreachable",
        judges=[judge.fingerprint],
        policy_fingerprint="feedbeef",
        basis=f"basis{query.pk}"[:16],
    )


@dataclass
class Desk:
    """A reviewer at a session, with a browser."""

    run: Run
    session: ReviewSession
    reviewer: User
    client: Client

    def url(self, position: int = 1, step: str = "") -> str:
        """Return the address of an item, or of a step from it."""
        return f"/sessions/{self.session.key}/review/{position}/{step}"

    def form(self, position: int = 1) -> dict[str, str]:
        """Open the item and return what its decision form would send untouched."""
        return fields_of(self.client.get(self.url(position)).content.decode())

    def save(self, position: int = 1, *, swap: bool = False, **said: str) -> Any:
        """Open the item, fill in what is said, and send it."""
        return self.send({**self.form(position), **said}, position, swap=swap)

    def send(self, data: dict[str, str], position: int = 1, *, swap: bool = False) -> Any:
        """Send a form as it is."""
        headers = {"HX-Request": "true"} if swap else {}
        return self.client.post(self.url(position), data, headers=headers)


def make_desk(items: int = 2, role: Role = Role.REVIEWER, run: Run | None = None) -> Desk:
    """Return a reviewer at the default session of a run with this many filed failing queries."""
    run = run or make_run()
    for _ in range(items):
        file_case(make_case(run))
    reviewer = make_member(run.project, role)
    return Desk(run, default_session(run), reviewer, client_of(reviewer))


def client_of(user: User) -> Client:
    """Return a browser in which this person is logged in."""
    client = Client()
    client.force_login(user)
    return client


class _Fields(HTMLParser):
    """Collects what the form #decision-form would send, inputs elsewhere with form= included."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self._inside = False
        self._area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self._inside = given.get("id") == "decision-form"
        name = given.get("name")
        if not name or not (self._inside or given.get("form") == "decision-form"):
            return
        if tag == "textarea":
            self._area = name
            self.values[name] = ""
        elif given.get("type") != "radio" or "checked" in given:
            self.values[name] = given.get("value") or ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = False
        if tag == "textarea":
            self._area = ""

    def handle_data(self, data: str) -> None:
        if self._area:
            self.values[self._area] += data


def fields_of(page: str) -> dict[str, str]:
    """Return the decision form of a page, as a browser would send it untouched."""
    parser = _Fields()
    parser.feed(page)
    return parser.values
