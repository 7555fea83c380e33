"""Write docs/commands.md from the commands themselves, so that it cannot be wrong."""

from __future__ import annotations

from argparse import Action
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

ROOMS = ("config", "triage", "labeling")
#: Options every Django command has: said once, in the head of the page.
SHARED = {
    "--help",
    "--version",
    "--verbosity",
    "--settings",
    "--pythonpath",
    "--traceback",
    "--no-color",
    "--force-color",
    "--skip-checks",
}
HEAD = """# Commands

Written by `manage.py write_docs`; a test compares. Run a command as `.venv/bin/python manage.py COMMAND`; nothing needs
to be running: without `DATABASE_URL` the embedded PostgreSQL is brought up on demand.

With `--json` a command prints one machine-readable object. Exit codes: 0 ok, 1 a failed check, 2 bad input,
3 undecided. A run is named by its id or by its exact name within the project; the newest run of that name is meant.
"""


def commands_page() -> str:
    """Return the page: one section per command, in alphabetical order."""
    ours = sorted(name for name, app in get_commands().items() if app in ROOMS)
    return HEAD + "".join(_section(name) for name in ours)


def _section(name: str) -> str:
    command = load_command_class(get_commands()[name], name)
    parser = command.create_parser("manage.py", name)
    actions = [action for action in parser._actions if not SHARED & set(action.option_strings)]
    rows = "".join(_row(action) for action in actions)
    table = f"\n| argument | what it does |\n|---|---|\n{rows}" if rows else ""
    return f"\n## `{name}`\n\n{command.help.strip()}\n{table}"


def _row(action: Action) -> str:
    names = ", ".join(action.option_strings) or str(action.metavar or action.dest).upper()
    choices = f" One of: {', '.join(map(str, action.choices))}." if action.choices else ""
    default = f" Default: `{action.default}`." if _says_default(action) else ""
    words = f"{(action.help or '').strip()}{choices}{default}".replace("|", "\\|")
    return f"| `{names}` | {words} |\n"


def _says_default(action: Action) -> bool:
    return bool(action.option_strings) and action.default not in (None, False, [], "", "==SUPPRESS==")


class Command(BaseCommand):
    """Write the generated documents."""

    help = "Write docs/commands.md from the commands' own arguments."

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the page and say where."""
        path = Path(settings.BASE_DIR) / "docs" / "commands.md"
        path.write_text(commands_page(), encoding="utf-8")
        self.stdout.write(f"Wrote {path.relative_to(settings.BASE_DIR)}.")
