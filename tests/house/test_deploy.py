"""What ships for servers is true to the code: images, compose, example environment. Docker itself does not run here."""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands

from config.stopping import GRACE_S
from tests.house.tree import ROOT

COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
EXAMPLE = dict(
    line.split("=", 1)
    for line in (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)
#: The lines an operator may take the # away from: each shows the default.
OPTIONAL = dict(
    re.findall(r"^# ([A-Z_]+)=(.*)$", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE),
)
#: Settings that are not for .env: the compose file or the image sets them, and they belong together with what is there.
SET_FOR_YOU = {"DATABASE_URL", "REDIS_URL", "PRODUCTION", "TRUST_FORWARDED_PROTO", "RAG_TRIAGE_VAR", "STATIC_ROOT"}
#: DEBUG is refused in production.
REFUSED = {"DEBUG"}
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


def test_a_worker_may_take_as_long_as_it_stops_by_itself() -> None:
    """It hands its work back, or prints where it stands: both before compose kills it without a word."""
    seconds = re.fullmatch(r"(\d+)s", service("worker")["stop_grace_period"])
    assert seconds
    assert int(seconds[1]) > settings.CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT + GRACE_S


def test_every_placeholder_is_in_the_example_and_the_other_way_round() -> None:
    assert set(placeholders()) == set(EXAMPLE)


def test_every_setting_is_in_the_example_or_set_by_the_compose_file_or_the_image() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "config").rglob("*.py")))
    read = set(re.findall(r"env_(?:text|bool|int|list)\(\s*\"([A-Z_]+)\"", source))
    shown = {*EXAMPLE, *OPTIONAL}
    assert not read - shown - SET_FOR_YOU - REFUSED, "add them to .env.example, with their default behind a #"
    assert not shown - read - FOREIGN - {"WEB_PORT", "WORKER_PROCESSES", "COMPOSE_FILE", "JUDGES_FILE", "EXTRAS"}
    assert not shown & SET_FOR_YOU, "these would do nothing there, or harm"
    fixed = set(service("web")["environment"]) | set(re.findall(r"\b([A-Z_]+)=", DOCKERFILE))
    assert fixed >= SET_FOR_YOU


@pytest.mark.parametrize("name", OURS)
def test_what_the_operator_writes_into_the_file_reaches_every_part_of_ours(name: str) -> None:
    assert service(name)["env_file"] == [".env"]
    assert not set(service(name)["environment"]) & set(OPTIONAL), "what compose sets wins over the file"


def in_production(tmp_path: Path, code: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the environment that the image and the compose file make of a filled-in example."""
    filled = {name: value or secrets.token_urlsafe(64) for name, value in EXAMPLE.items()}
    given = {key: str(value) for key, value in service("web")["environment"].items() if "${" not in str(value)}
    environment = {
        "PATH": os.environ["PATH"],
        "RAG_TRIAGE_VAR": str(tmp_path),
        **more,
        **filled,
        **given,
        "DATABASE_URL": f"postgresql://rag_triage:{filled['POSTGRES_PASSWORD']}@db:5432/rag_triage",
        "REDIS_URL": f"redis://:{filled['REDIS_PASSWORD']}@redis:6379/0",
        "SECRET_KEY": KEY,
    }
    return subprocess.run([sys.executable, *code], cwd=ROOT, env=environment, capture_output=True, text=True)


#: One key for all, so that settings can be compared.
KEY = secrets.token_urlsafe(64)
PRINT_SETTINGS = """
import json
from config import settings
print(json.dumps({name: repr(getattr(settings, name)) for name in dir(settings)
                  if name.isupper() and name != "LOGGING" and not name.endswith("QUEUES")}))
"""


def test_the_optional_lines_of_the_example_show_the_defaults(tmp_path: Path) -> None:
    without, with_all = (in_production(tmp_path, ["-c", PRINT_SETTINGS], **lines) for lines in ({}, OPTIONAL))
    assert without.returncode == with_all.returncode == 0, without.stderr + with_all.stderr
    before, after = json.loads(without.stdout), json.loads(with_all.stdout)
    passwords = {"DATABASES", "DATABASE_URL", "REDIS_URL", "CELERY_BROKER_URL"}
    differ = {name: (before[name], after[name]) for name in before.keys() - passwords if before[name] != after[name]}
    assert not differ
    assert len(before) > 80


def test_SEC01_djangos_own_check_for_deployment_finds_nothing(tmp_path: Path) -> None:
    checked = in_production(tmp_path, ["manage.py", "check", "--deploy", "--fail-level", "INFO"])
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "no issues (0 silenced)" in checked.stdout


def test_the_check_for_deployment_can_fail(tmp_path: Path) -> None:
    checked = in_production(tmp_path, ["manage.py", "check", "--deploy", "--fail-level", "INFO"], HSTS_SECONDS="0")
    assert checked.returncode == 1
    assert "security.W004" in checked.stderr


def test_a_linter_for_images_finds_nothing() -> None:
    linter = Path(sys.executable).parent / "hadolint"
    done = subprocess.run([linter, "--no-color", "Dockerfile"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_workers_get_out_only_when_the_operator_says_so() -> None:
    assert service("worker")["networks"] == ["inside"]
    out = yaml.safe_load((ROOT / "docker-compose.outbound.yml").read_text(encoding="utf-8"))
    assert out == {"services": {"worker": {"networks": ["inside", "outside"]}}}
    assert set(OPTIONAL["COMPOSE_FILE"].split(":")) == {"docker-compose.yml", "docker-compose.outbound.yml"}


def test_whatever_compose_names_is_there() -> None:
    assert set(COMPOSE) <= {"services", "volumes", "networks", "x-app", "x-environment"}
    for name, part in COMPOSE["services"].items():
        assert set(part["networks"]) <= set(COMPOSE["networks"]), name
        assert {volume.split(":")[0] for volume in part["volumes"]} <= set(COMPOSE["volumes"]), name
        for other, how in part.get("depends_on", {}).items():
            ends = COMPOSE["services"][other].get("restart") == "no"
            assert how == {"condition": "service_completed_successfully" if ends else "service_healthy"}, name


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
