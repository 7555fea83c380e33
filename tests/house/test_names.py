"""Names carry the meaning: no drawers for leftovers, no words the glossary avoids, nothing about where we work."""

from __future__ import annotations

import re

from tests.house.tree import modules, text, tracked

DRAWERS = {"utils", "helpers", "services", "common", "managers", "misc"}
#: Words the glossary avoids as identifiers, with the word to use.
AVOIDED = {"annotation": "verdict", "prediction": "suggestion", "ground_truth": "gold", "grader": "judge"}
#: Other tools' own field names must be spelled as they spell them.
MAY_USE_AVOIDED = (
    "triage/formats/",
    "triage/core/records",
    "labeling/core/rates.py",  # "prediction-powered inference" is a method's name
)
TEXT_SUFFIXES = {".py", ".md", ".html", ".css", ".js", ".toml", ".yml", ".yaml", ".txt", ".lock", ".sh", ""}


def test_no_drawers() -> None:
    found = [str(path) for path in modules() if path.stem in DRAWERS or DRAWERS & set(path.parts)]
    assert not found, f"name these modules after what they do: {found}"


def test_identifiers_use_the_glossary() -> None:
    found = []
    for path in modules():
        if str(path).startswith(MAY_USE_AVOIDED):
            continue
        for word, instead in AVOIDED.items():
            if re.search(rf"\b(def|class)\s+\w*{word}\w*", text(path), re.IGNORECASE):
                found.append(f"{path}: {word} -> {instead}")
    assert not found, f"use the glossary's words: {found}"


def test_no_path_of_a_machine_and_no_registry_host() -> None:
    dot = "[.]"
    words = re.compile(rf"/work/|/root/|pypi{dot}org|files{dot}pythonhosted|npmjs{dot}|deb{dot}debian|registry{dot}npm")
    found = [
        f"{path}:{number}"
        for path in tracked()
        if path.suffix in TEXT_SUFFIXES and "vendor" not in path.parts and path.name != "test_names.py"
        for number, line in enumerate(text(path).splitlines(), 1)
        if words.search(line)
    ]
    assert not found, f"these lines name a machine or a registry host: {found}"
