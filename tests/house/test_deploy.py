"""What ships for servers is true to the code: images, compose, example environment. Docker itself does not run here."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from tests.house.tree import ROOT

COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
EXAMPLE = dict(
    line.split("=", 1)
    for line in (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)
SECRETS = {"SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD"}
OURS = ("migrate", "web", "worker", "beat")
#: Read by the images' own programs: PostgreSQL, the queue, gunicorn, Celery.
FOREIGN = {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD", "REDIS_PASSWORD", "WEB_CONCURRENCY", "REMAP_SIGTERM"}


def service(name: str) -> dict[str, Any]:
    """Return one service of the compose file."""
    found: dict[str, Any] = COMPOSE["services"][name]
    return found


def placeholders() -> dict[str, str]:
    """Return every ${NAME...} of the compose file: name to what follows it."""
    return dict(
        re.findall(r"(?<!\$)\$\{([A-Z_]+)(:[^}]*)?\}", (ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    )


def test_every_part_is_there() -> None:
    assert set(COMPOSE["services"]) == {"db", "redis", *OURS}
    assert service("db")["image"].startswith("postgres:18")


def test_every_placeholder_is_in_the_example_and_the_other_way_round() -> None:
    assert set(placeholders()) == set(EXAMPLE)


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_SEC01_a_secret_is_required_and_has_no_default_anywhere(name: str) -> None:
    assert placeholders()[name].startswith(":?")
    assert EXAMPLE[name] == ""
    assert not re.search(rf"^(ARG|ENV)\b.*{name}", DOCKERFILE, re.MULTILINE)


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_every_variable_is_one_that_somebody_reads(name: str) -> None:
    documented = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    unread = {key for key in service(name).get("environment", {}) if f"`{key}`" not in documented} - FOREIGN
    assert not unread, f"{name} sets what nobody reads: {unread}"


def test_every_command_that_is_named_exists() -> None:
    said = [service(name)["command"] for name in OURS]
    manage = [words[2] for words in said if words[:2] == ["python", "manage.py"]]
    assert manage
    assert set(manage) <= set(get_commands())
    named = re.findall(r"manage\.py ([a-z_-]+)", (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8"))
    assert set(named) <= set(get_commands()), "docs/deploy.md names a command that does not exist"


def test_the_web_command_is_accepted_by_gunicorn() -> None:
    words = service("web")["command"]
    done = subprocess.run(
        [sys.executable, "-m", *words[:-1], "--check-config", words[-1]], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert DOCKERFILE.rstrip().endswith("CMD [" + ", ".join(f'"{word}"' for word in words) + "]")


@pytest.mark.parametrize("name", ["worker", "beat"])
def test_the_celery_command_has_options_that_celery_knows(name: str) -> None:
    words = [re.sub(r"\$\{[A-Z_]+:-(\d+)\}", r"\1", word) for word in service(name)["command"]]
    done = subprocess.run([sys.executable, "-m", *words, "--help"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    options = {word for word in words if word.startswith("--")}
    assert not {option for option in options if option not in done.stdout}


def test_only_the_web_has_a_port_and_on_this_machine_only() -> None:
    ports = {name: part["ports"] for name, part in COMPOSE["services"].items() if "ports" in part}
    assert list(ports) == ["web"]
    assert all(port.startswith("127.0.0.1:") for port in ports["web"])
    assert COMPOSE["networks"]["inside"]["internal"] is True
    assert service("db")["networks"] == service("redis")["networks"] == ["inside"]


def test_F06_the_queue_never_evicts_and_has_a_password() -> None:
    command = " ".join(service("redis")["command"])
    assert "--maxmemory-policy noeviction" in command
    assert "--requirepass" in command
    assert "--appendonly yes" in command


@pytest.mark.parametrize("name", OURS)
def test_our_containers_are_read_only_unprivileged_and_share_the_files(name: str) -> None:
    part = service(name)
    assert part["read_only"] is True
    assert part["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in part["security_opt"]
    assert part["volumes"] == ["files:/var/lib/rag-triage"], "the worker reads what the web took in"


def test_the_image_runs_as_nobody_special_and_is_asked_how_it_is() -> None:
    stages = DOCKERFILE.split("\nFROM ")
    assert len(stages) == 3, "a build stage and a stage that ships"
    assert re.search(r"^USER 10001$", stages[-1], re.MULTILINE)
    assert "HEALTHCHECK" in stages[-1]
    assert "healthz" in stages[-1]


def test_what_the_image_copies_exists_and_nothing_private_can_get_in() -> None:
    copied = [
        word for line in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE) for word in line.split()
    ]
    assert not [name for name in copied if not (ROOT / name).exists()]
    let_in = {line[1:] for line in text_lines(".dockerignore") if line.startswith("!")}
    assert text_lines(".dockerignore")[0] == "*"
    assert set(copied) == let_in


def text_lines(name: str) -> list[str]:
    """Return the lines of a file at the root."""
    return (ROOT / name).read_text(encoding="utf-8").splitlines()


def test_git_keeps_the_filled_in_environment_out() -> None:
    assert ".env" in text_lines(".gitignore")
