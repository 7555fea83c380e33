"""Templates hold no logic, no script, no style, and never switch escaping off."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.template import engines
from jinja2 import UndefinedError

from tests.house.tree import modules, templates, text

FORBIDDEN = {
    r"\|\s*safe\b": "autoescape only: imported text is text",
    r"\|\s*safeseq\b": "autoescape only",
    r"{%\s*autoescape\s+(off|false)": "autoescape only",
    r"\|\s*json_script": "pass values as data attributes",
    r"<script(?![^>]*\bsrc=)": "no inline script: the policy forbids it",
    r"<style\b": "no inline style: the policy forbids it",
    r"\sstyle=": "no inline style: the policy forbids it",
    r"\son[a-z]+=": "no inline handler: the policy forbids it",
    r"hx-on": "no inline handler: the policy forbids it",
    r"javascript:": "no script addresses",
    r"https?://(?!www\.w3\.org)": "nothing comes from another host",
    r"{%\s*if[^%]*[<>]=?\s*\d": "no number in a condition: name the state in the view's dataclass",
    r"\|\s*add:": "no arithmetic in templates",
}


@pytest.mark.parametrize("pattern", FORBIDDEN)
def test_a_template_never_uses(pattern: str) -> None:
    found = [str(path) for path in templates() if re.search(pattern, text(path))]
    assert not found, f"{FORBIDDEN[pattern]}: {found}"


def test_code_never_marks_text_as_safe() -> None:
    marks = r"\b(mark_safe|format_html|SafeString|Markup)\b"
    found = [str(path) for path in modules() if re.search(marks, text(path))]
    assert not found, f"render with a template instead: {found}"


COMPILED = [path for path in templates() if path.suffix == ".jinja"]


@pytest.mark.parametrize("path", COMPILED, ids=str)
def test_a_compiled_template_compiles_and_escapes(path: Path) -> None:
    engine = engines["compiled"]
    assert engine.get_template(str(path.relative_to("templates")))
    assert engine.env.autoescape is True


def test_what_a_compiled_template_does_not_know_is_an_error_and_text_is_escaped() -> None:
    made = engines["compiled"].from_string("{{ words|visible }}")
    assert made.render({"words": "<b>&'\""}) == "&lt;b&gt;&amp;&#39;&#34;"
    with pytest.raises(UndefinedError):
        made.render({"word": "<b>"})


def test_a_page_has_one_h1() -> None:
    wrong = [
        f"{path}: {count}"
        for path in templates()
        if "{% extends" in text(path)
        and not path.name.startswith(("base", "_"))
        and (count := len(re.findall(r"<h1\b", text(path)))) != 1
        and str(path) not in EXEMPT
    ]
    assert not wrong, f"one <h1> a page: {wrong}"


#: Template -> why its <h1> stands elsewhere.
EXEMPT: dict[str, str] = {
    "templates/labeling/item.html": "the question is the heading and stands in the swappable part item/case.html",
}
