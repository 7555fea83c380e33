"""The core works without Django, the web stays light, and only settings read the environment."""

from __future__ import annotations

import ast
import subprocess
import sys

from tests.house.tree import ROOT, modules, parse

HEAVY = ("numpy", "scipy", "krippendorff", "onnxruntime", "tokenizers", "transformers", "torch", "sklearn", "pandas")

BLOCK_DJANGO = """
import importlib, importlib.abc, pkgutil, sys
class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"django", "celery", "redis", "psycopg"}:
            raise ImportError(f"{name} is blocked: core is pure")
sys.meta_path.insert(0, Blocked())
count = 0
for room in ("triage.core", "labeling.core", "triage.formats"):
    package = importlib.import_module(room)
    for module in pkgutil.walk_packages(package.__path__, room + "."):
        importlib.import_module(module.name)
        count += 1
assert count > 5, count
"""

WEB = f"""
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
import config.urls
loaded = sorted(set({HEAVY!r}) & set(sys.modules))
assert not loaded, f"the web process must not load {{loaded}}: import them inside the verb that needs them"
"""


def _python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)


def test_core_and_formats_import_with_django_blocked() -> None:
    result = _python(BLOCK_DJANGO)
    assert result.returncode == 0, result.stderr


def test_web_loads_no_heavy_library() -> None:
    result = _python(WEB)
    assert result.returncode == 0, result.stderr


def test_only_config_reads_the_environment() -> None:
    readers = [
        f"{path}:{node.lineno}"
        for path in modules("triage", "labeling")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}
    ]
    assert not readers, f"move these to config/settings.py: {readers}"
