"""Small things stay readable: limits, with exceptions listed by name and reason."""

from __future__ import annotations

from statistics import median

from tests.house.tree import functions, modules, templates, text

FUNCTION_LINES, MODULE_LINES, VIEW_LINES, TASK_LINES, TEMPLATE_LINES = 40, 300, 20, 10, 150

#: "path" or "path:function" -> why it may be longer.
EXCEPTIONS: dict[str, str] = {
    "config/settings.py": "one flat list of settings is easier to read than several files",
    "templates/components/sprite.html": "one icon after the other, no logic",
}


def _named(key: object) -> bool:
    return str(key) in EXCEPTIONS


def test_functions_are_at_most_40_lines() -> None:
    long = [
        f"{f.path}:{f.name} has {f.lines}"
        for f in functions()
        if f.lines > FUNCTION_LINES and not _named(f"{f.path}:{f.name}")
    ]
    assert not long, f"split these functions (limit {FUNCTION_LINES} lines): {long}"


def test_the_median_function_is_under_10_lines() -> None:
    assert median(f.lines for f in functions()) < 10


def test_modules_are_at_most_300_lines() -> None:
    long = [
        f"{path} has {lines}"
        for path in modules()
        if (lines := len(text(path).splitlines())) > MODULE_LINES and not _named(path)
    ]
    assert not long, f"split these modules (limit {MODULE_LINES} lines): {long}"


def test_views_are_thin() -> None:
    thick = [
        f"{f.path}:{f.name} has {f.lines}"
        for f in functions("triage", "labeling")
        if "views" in f.path.parts and f.lines > VIEW_LINES and not _named(f"{f.path}:{f.name}")
    ]
    assert not thick, f"move work into a verb or a queryset (limit {VIEW_LINES} lines): {thick}"


def test_tasks_are_thin() -> None:
    thick = [f"{f.path}:{f.name} has {f.lines}" for f in functions() if f.is_task and f.lines > TASK_LINES]
    assert not thick, f"move work into a verb (limit {TASK_LINES} lines): {thick}"


def test_templates_are_at_most_150_lines() -> None:
    long = [
        f"{path} has {lines}"
        for path in templates()
        if (lines := len(text(path).splitlines())) > TEMPLATE_LINES and not _named(path)
    ]
    assert not long, f"cut partials or components out of these templates (limit {TEMPLATE_LINES} lines): {long}"


def test_every_exception_is_still_needed() -> None:
    paths = {str(path) for path in [*modules(), *templates()]}
    gone = [key for key in EXCEPTIONS if key.split(":")[0] not in paths]
    assert not gone, f"these exceptions name nothing any more: {gone}"
