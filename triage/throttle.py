"""How long somebody who typed a wrong password too often has to wait, and whose attempts are counted together.

django-axes counts, in the database, so that a restart forgets nothing; this says it in words.
"""

from __future__ import annotations

import math
from datetime import timedelta

from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import Max
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


def minutes_left(request: HttpRequest, username: str) -> int:
    """Return the whole minutes until this name may be tried from this address again, at least 1."""
    cool_off: timedelta = settings.AXES_COOLOFF_TIME
    tried = AccessAttempt.objects.filter(username=username, ip_address=client_ip(request))
    newest = tried.aggregate(at=Max("attempt_time") + cool_off - Now())["at"]
    left: timedelta = newest or cool_off
    return max(1, math.ceil(left.total_seconds() / 60))
