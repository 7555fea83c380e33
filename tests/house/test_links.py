"""Every link in the documents leads somewhere: to a file that is there, and to a heading it has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.tree import ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def _anchors(path: Path) -> set[str]:
    """Return what the headings of a document are linked by, as GitHub makes it."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=[str(path.relative_to(ROOT)) for path in DOCUMENTS])
def test_every_link_leads_somewhere(path: Path) -> None:
    links = [a or b for a, b in _LINK.findall(_CODE.sub("", path.read_text(encoding="utf-8")))]
    dead = []
    for link in links:
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in _anchors(target)):
            dead.append(link)
    assert not dead, f"mend these links in {path.relative_to(ROOT)}: {dead}"
