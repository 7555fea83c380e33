"""How many bytes the review screen sends: compressed at first load, and for each item after it."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from labeling.worklist import default_session
from tests.factories import make_chunk, make_claim, make_member, make_query, make_run
from tests.labeling.screens import client_of
from triage.models import Role

pytestmark = pytest.mark.django_db

FIRST_LOAD, SWAP = 150_000, 40_000
LINKED = re.compile(r'(?:href|src)="/static/([^"?]+\.(?:css|js|svg|woff2))')
IN_STYLES = re.compile(r'url\("?\.\./([^")]+)')


def packed(text: bytes) -> int:
    return len(gzip.compress(text, 6))


def static_bytes(page: str) -> int:
    """Return the bytes of everything the page links to, and what its styles load; fonts are packed already."""
    names = set(LINKED.findall(page))
    assert len(names) >= 6, "the page links to its styles and scripts"
    paths = {name: Path(str(finders.find(name))) for name in names}
    for name, path in list(paths.items()):
        if name.endswith(".css"):
            paths |= {extra: Path(str(finders.find(extra))) for extra in IN_STYLES.findall(path.read_text())}
    assert any(name.endswith(".woff2") for name in paths)
    return sum(packed(path.read_bytes()) for path in paths.values())


def test_the_review_screen_is_light() -> None:
    """Twenty chunks of some 130 tokens that do not repeat, an answer of four claims: what reviewers read all day."""
    run = make_run()
    sentences = [f"Sentence {number} of the answer says that limit {number * 7919} holds." for number in range(4)]
    for item in range(3):
        texts = (
            " ".join(f"word{(item * 31 + rank * 977 + word * 104_729 * (rank + 1)) % 4000}" for word in range(128))
            for rank in range(20)
        )
        query = make_query(run, [make_chunk(run, text=text) for text in texts], answer=" ".join(sentences))
        for sentence in sentences:
            at = query.answer.index(sentence)
            make_claim(query, sentence, span_start=at, span_end=at + len(sentence))
    session, reviewer = default_session(run), make_member(run.project, Role.REVIEWER)
    client = client_of(reviewer)
    address = f"/sessions/{session.key}/review/"
    page = client.get(address, follow=True).content
    assert packed(page) + static_bytes(page.decode()) <= FIRST_LOAD
    swap = client.get(address, headers={"HX-Request": "true"}, follow=True).content
    assert len(swap) < len(page)
    assert packed(swap) <= SWAP
