"""Serve the product on this machine."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, connections

from config.embedded import postgres, valkey
from config.stack.child import Child
from config.stack.ears import Ears, messages_waiting, workers_are_busy
from config.stack.ports import NoPortError, listen
from config.stack.presence import Presence, running
from config.stack.supervisor import Supervisor, end_of, parts

Result = TypeVar("Result")


class Command(BaseCommand):
    """Brings up PostgreSQL and Redis where none were given, then web, worker and beat; Ctrl-C stops them all."""

    help = "Serve the product on this machine: web, worker and beat are kept running; Ctrl-C stops everything."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the address and the number of worker processes."""
        parser.add_argument("--host", default="127.0.0.1", help="address to serve on (default: this machine only)")
        parser.add_argument("--port", type=int, default=8000, help="port; a taken one gives the next free one")
        parser.add_argument("--workers", type=int, default=2, help="worker processes that score and classify")

    def handle(self, *args: Any, **options: Any) -> None:
        """Start, serve, stop."""
        presence = Presence(settings.VAR_DIR)
        if not presence.take():
            there = running(settings.VAR_DIR)
            at = f" at {there.address}" if there and there.address else ""
            raise CommandError(f"It already runs from this folder{at}. `make stop` ends it.")
        try:
            self._serve(presence, options["host"], options["port"], options["workers"])
        finally:
            presence.release()

    def _serve(self, presence: Presence, host: str, port: int, workers: int) -> None:
        began = time.monotonic()
        try:
            line = listen(host, port)
        except NoPortError as error:
            raise CommandError(str(error)) from error
        served = line.getsockname()[1]
        if served != port:
            self._say(f"Port {port} is taken: using {served}.")
        children = parts(settings.VAR_DIR, line.fileno(), workers)
        supervisor = Supervisor(children, self._mend(children[1]), self._say)
        supervisor.watch_signals()
        try:
            self._prepare()
            self._step("Web, worker, beat", lambda: self._start(supervisor, host, served))
            if not supervisor.is_stopping:
                self._welcome(f"http://{_named(host)}:{served}", presence, time.monotonic() - began)
            supervisor.run()
        finally:
            self._stop(supervisor)

    def _prepare(self) -> None:
        if settings.DATABASE_URL:
            self._step("PostgreSQL (DATABASE_URL)", connection.ensure_connection)
        else:
            self._step("PostgreSQL 18 (embedded)", lambda: _started(postgres.ensure(settings.VAR_DIR)))
        if not settings.REDIS_URL:
            self._step("Redis (embedded Valkey)", lambda: _started(valkey.ensure(settings.VAR_DIR)))
        self._step("Tables", lambda: call_command("migrate", verbosity=0, interactive=False))

    def _start(self, supervisor: Supervisor, host: str, port: int) -> None:
        supervisor.start()
        if not supervisor.wait_for_web(_reached(host), port) and not supervisor.is_stopping:
            log = settings.VAR_DIR / "log" / "web.log"
            raise CommandError(f"The web server did not come up. The end of {log}:\n{end_of(log)}")

    def _welcome(self, address: str, presence: Presence, took_s: float) -> None:
        presence.tell(address)
        link = StringIO()
        call_command("first_link", address=address, stdout=link)
        connections.close_all()
        self._say(f"\nReady in {took_s:.1f} s. Open  {address}/")
        if "/join/" in link.getvalue():
            self._say("First log-in (this link makes the first account, once, from this machine):")
            self._say(f"  {link.getvalue().strip()}")
        self._say(f"Logs: {_short(settings.VAR_DIR / 'log')}    Stop: Ctrl-C, or `make stop` elsewhere\n")

    def _stop(self, supervisor: Supervisor) -> None:
        began = time.monotonic()
        self._say("\nStopping ...")
        supervisor.stop()
        connections.close_all()
        call_command("stop", services_only=True, stdout=StringIO())
        self._say(f"Stopped everything in {time.monotonic() - began:.1f} s.")

    def _mend(self, worker: Child) -> list[Callable[[], str]]:
        ears = Ears(settings.WORKER_AWAY_S, messages_waiting, workers_are_busy)
        looks: list[Callable[[], str]] = [lambda: _end_deaf(worker) if ears.are_deaf() else ""]
        if not settings.DATABASE_URL:
            looks.append(lambda: "PostgreSQL had gone and runs again" if postgres.ensure(settings.VAR_DIR) else "")
        if not settings.REDIS_URL:
            looks.append(lambda: "Redis had gone and runs again" if valkey.ensure(settings.VAR_DIR) else "")
        return looks

    def _step(self, label: str, action: Callable[[], object]) -> None:
        began = time.monotonic()
        outcome = action()
        word = outcome if isinstance(outcome, str) else "ready"
        self._say(f"  {label:<28}{word:<18}{time.monotonic() - began:5.1f} s")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _end_deaf(worker: Child) -> str:
    worker.end(signal.SIGKILL)
    return "worker lives but takes no work: ended, to be started again"


def _started(was_started: bool) -> str:
    return "started" if was_started else "was running"


def _named(host: str) -> str:
    """Return the host as it is typed into a browser."""
    host = _reached(host)
    return f"[{host}]" if ":" in host else host


def _reached(host: str) -> str:
    """Return where a server that listens on `host` is reached from here."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound


def _short(path: Path) -> str:
    """Return the path as seen from here, when that is shorter."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
