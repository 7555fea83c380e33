"""The tree as the house tests see it: tracked files, parsed modules, templates."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("config", "triage", "labeling")


@cache
def tracked() -> tuple[Path, ...]:
    """Return the files git tracks or would track, relative to the root."""
    listing = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return tuple(Path(line) for line in listing.splitlines() if (ROOT / line).is_file())


def modules(*rooms: str) -> Iterator[Path]:
    """Yield the Python modules of these rooms, migrations left out."""
    for path in tracked():
        if path.suffix == ".py" and path.parts[0] in (rooms or ROOMS) and "migrations" not in path.parts:
            yield path


def parse(path: Path) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Function:
    """One function: where it is and how many lines its code has, docstring left out."""

    path: Path
    name: str
    lines: int
    #: Decorated with `@shared_task`: Celery runs it.
    is_task: bool


def functions(*rooms: str) -> Iterator[Function]:
    """Yield every function and method of these rooms."""
    for path in modules(*rooms):
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                decorators = {ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list}
                yield Function(path, node.name, _length(node), "shared_task" in decorators)


def templates() -> Iterator[Path]:
    """Yield the templates of both engines: Django's pages, and what is compiled (config/compiled.py)."""
    for path in tracked():
        if path.suffix in {".html", ".jinja"} and "templates" in path.parts:
            yield path


def text(path: Path) -> str:
    """Return a tracked file's text."""
    return (ROOT / path).read_text(encoding="utf-8")


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = node.body
    has_docstring = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    code = body[1:] if has_docstring else body
    if not code:
        return 0
    return (node.end_lineno or node.lineno) - code[0].lineno + 1
