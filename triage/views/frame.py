"""What every page's frame shows: the project, its tabs, the caller's role and the worker's light."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from django.conf import settings
from django.db.models.functions import Now
from django.http import HttpRequest
from django.urls import reverse

from triage.access import current_project
from triage.models import Member, Project, WorkerHeartbeat

#: Tab -> (URL name, further URL names shown under it).
TABS: dict[str, tuple[str, frozenset[str]]] = {
    "Overview": ("dashboard", frozenset({"trend"})),
    "Runs": ("runs", frozenset({"run", "queries", "query", "run_rename", "run_delete", "gate", "slices"})),
    "Review": (
        "sessions",
        frozenset(
            {
                "session",
                "session_new",
                "session_presence",
                "adjudication",
                "agreement",
                "codebook",
                "notes",
                "confirm_bulk",
            }
        ),
    ),
    "Gold": ("challenges", frozenset({"challenge", "audit", "mend", "resample"})),
    "Judges": ("judges", frozenset({"judge", "judge_items", "panel", "what_if", "policies", "due"})),
    "Reports": ("reports", frozenset({"report", "compare", "more", "confirmed"})),
    "Import": ("uploads", frozenset({"upload"})),
}


@dataclass(frozen=True, slots=True)
class Tab:
    """One tab of the bar."""

    name: str
    url: str
    current: bool


@dataclass(frozen=True, slots=True)
class Light:
    """Whether a worker is alive: tone and words."""

    tone: str
    words: str


class Frame:
    """Lazy: a partial that shows no frame runs no query."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @cached_property
    def project(self) -> Project | None:
        """Return the project of the object this page shows."""
        return current_project(self._request)

    @cached_property
    def project_url(self) -> str:
        """Return the address of the project's first page."""
        return reverse("dashboard", args=[self.project.slug]) if self.project else reverse("home")

    @cached_property
    def role(self) -> str:
        """Return the caller's role in the project as words, or the empty string."""
        if self.project is None:
            return ""
        member = Member.objects.filter(project=self.project, user=self._request.user.pk).first()
        return member.get_role_display().lower() if member else ""

    @cached_property
    def leads(self) -> bool:
        """Say whether the caller may change the project."""
        return self.role in {"lead", "owner"}

    @property
    def sign_on(self) -> str:
        """Return what the operator calls the provider people may log in with, or the empty string."""
        return settings.OIDC_NAME if settings.OIDC_ISSUER else ""

    @cached_property
    def tabs(self) -> list[Tab]:
        """Return the project's tabs, the current one marked."""
        if self.project is None:
            return []
        here = self._request.resolver_match.url_name if self._request.resolver_match else ""
        return [
            Tab(name, reverse(url_name, args=[self.project.slug]), here == url_name or here in others)
            for name, (url_name, others) in TABS.items()
        ]

    @cached_property
    def worker(self) -> Light | None:
        """Return the worker's light, by the database's clock."""
        return worker_light() if self.project else None


def worker_light() -> Light:
    """Return alive, late or away by the newest heartbeat."""
    pulse = WorkerHeartbeat.objects.order_by("-seen_at").values_list("seen_at", Now()).first()
    if pulse is None:
        return Light("bad", "No worker")
    age = pulse[1] - pulse[0]
    if age < timedelta(seconds=settings.WORKER_SLOW_S):
        return Light("ok", "Worker alive")
    if age < timedelta(seconds=settings.WORKER_AWAY_S):
        return Light("warn", "Worker late")
    return Light("bad", "Worker away")


def frame(request: HttpRequest) -> dict[str, object]:
    """Return the frame for templates."""
    return {"frame": Frame(request)}
