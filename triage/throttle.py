"""How long somebody who typed a wrong password too often has to wait, and whose attempts are counted together.

django-axes counts, in the database, so that a restart forgets nothing; this says it in words.
"""

from __future__ import annotations

import math
from datetime import timedelta

from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import Max, Sum, Window
from django.db.models.functions import Now
from django.http import HttpRequest

FORWARDED = "HTTP_X_FORWARDED_FOR"


def client_ip(request: HttpRequest) -> str | None:
    """Return the caller's address. Behind TRUSTED_PROXIES proxies it is the entry that the outermost of them wrote.

    Entries further left are whatever the caller likes to send: they are never believed.
    """
    hops = [hop.strip() for hop in request.META.get(FORWARDED, "").split(",") if hop.strip()]
    proxies: int = settings.TRUSTED_PROXIES
    if proxies and len(hops) >= proxies:
        return str(hops[-proxies])
    return request.META.get("REMOTE_ADDR")


class AddressesToo(AxesDatabaseHandler):  # type: ignore[misc]
    """Counts by name and address as django-axes does, and all names of an address together under a limit of its own."""

    def is_locked(self, request: HttpRequest, credentials: dict[str, str] | None = None) -> bool:
        """Say whether this name, or everybody, has to wait at this address."""
        return bool(super().is_locked(request, credentials)) or address_waits(request)


def address_waits(request: HttpRequest) -> bool:
    """Say whether wrong passwords from this address, for whatever names, have reached its limit."""
    return _reached(request) is not None


def minutes_left(request: HttpRequest, username: str) -> int:
    """Return the whole minutes until this name may be tried from this address again, at least 1."""
    cool_off: timedelta = settings.AXES_COOLOFF_TIME
    tried = AccessAttempt.objects.filter(username=username, ip_address=client_ip(request))
    if (freed := _reached(request)) is not None:
        tried = AccessAttempt.objects.filter(pk=freed)
    newest = tried.aggregate(at=Max("attempt_time") + cool_off - Now())["at"]
    left: timedelta = newest or cool_off
    return max(1, math.ceil(left.total_seconds() / 60))


def _reached(request: HttpRequest) -> int | None:
    """Return the row whose ageing out frees this address, or None where it is free.

    Newest first: what is counted beyond the limit may go, the row that reaches it has to.
    """
    recent = AccessAttempt.objects.filter(
        ip_address=client_ip(request), attempt_time__gt=Now() - settings.AXES_COOLOFF_TIME
    )
    newest_first = Window(Sum("failures_since_start"), order_by=["-attempt_time", "-pk"])
    counted = recent.annotate(so_far=newest_first).filter(so_far__gte=settings.LOGIN_FAILURES_PER_ADDRESS)
    found: int | None = counted.order_by("so_far").values_list("pk", flat=True).first()
    return found
