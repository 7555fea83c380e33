"""Rows for tests, each with sensible defaults. Plain functions: what a test does not name does not matter to it."""

from __future__ import annotations

import hashlib
import itertools
from typing import Any

from django.contrib.auth.models import User

from triage.models import Chunk, Claim, Judge, Member, Project, Query, Retrieved, Role, Run, RunChunk

_number = itertools.count(1)
PASSWORD = "a quiet long pass-phrase"


def digest(text: str) -> bytes:
    """Return the sha256 that hash columns hold."""
    return hashlib.sha256(text.encode()).digest()


def make_user(username: str = "") -> User:
    """Return a user who can log in with PASSWORD."""
    return User.objects.create_user(username or f"person{next(_number)}", password=PASSWORD)


def make_project(**fields: Any) -> Project:
    """Return a project with a slug of its own, judged without a model: tests that want one name it."""
    number = next(_number)
    order = ["recorded", "lexical"]
    return Project.objects.create(
        **{"slug": f"project-{number}", "name": f"Project {number}", "judge_order": order, **fields}
    )


def make_member(project: Project, role: Role = Role.LEAD, username: str = "") -> User:
    """Return a new user with this role in the project."""
    user = make_user(username)
    Member.objects.create(project=project, user=user, role=role)
    return user


def make_run(project: Project | None = None, **fields: Any) -> Run:
    """Return an imported run without queries."""
    number = next(_number)
    return Run.objects.create(
        **{
            "project": project or make_project(),
            "name": f"run {number}",
            "content_hash": digest(f"run {number}"),
            "evaluation_set": "set",
            **fields,
        }
    )


def make_chunk(run: Run, key: str = "", text: str | None = "Some text.", **fields: Any) -> Chunk:
    """Return a chunk of the run's corpus."""
    key = key or f"chunk-{next(_number)}"
    chunk = Chunk.objects.create(
        **{
            "project": run.project,
            "key": key,
            "text": text,
            "content_hash": digest(f"{key} {text} {sorted(fields.items())}"),
            "text_hash": digest(text or ""),
            **fields,
        }
    )
    RunChunk.objects.create(run=run, chunk=chunk, key_hash=digest(key))
    return chunk


def make_query(run: Run, chunks: list[Chunk] | None = None, **fields: Any) -> Query:
    """Return a failing query whose context holds these chunks in order."""
    position = run.queries.count() + 1
    key = fields.pop("key", f"q{position}")
    query = Query.objects.create(
        **{
            "run": run,
            "position": position,
            "key": key,
            "key_hash": digest(key),
            "question": f"Question {position}?",
            "answer": f"Answer {position}.",
            "correct": False,
            "correct_in_file": fields.get("correct", False),
            "correct_by": "" if fields.get("correct", False) is None else "file",
            "abstained": False,
            **fields,
        }
    )
    Retrieved.objects.bulk_create(
        Retrieved(query=query, rank=rank, chunk=chunk) for rank, chunk in enumerate(chunks or [], 1)
    )
    return query


def make_claim(query: Query, text: str = "", **fields: Any) -> Claim:
    """Return a claim of the query's answer."""
    position = query.claims.count() + 1
    text = text or f"Claim {position} of query {query.pk}."
    return Claim.objects.create(
        **{"query": query, "position": position, "text": text, "text_hash": digest(text), "source": "file", **fields}
    )


def make_judge(name: str = "recorded", task: str = "grounding", threshold: float = 0.5) -> Judge:
    """Return the row of a judge identity, made once per name, task and threshold."""
    fingerprint = hashlib.sha256(f"{name}{task}{threshold}".encode()).hexdigest()[:12]
    return Judge.objects.get_or_create(
        fingerprint=fingerprint, defaults={"name": name, "task": task, "threshold": threshold}
    )[0]
