"""Tell people what is newly due: by mail, by the operator's webhook and by the project's own, each at most once a day.

Twice is once: the row of the channel is locked while its message is sent, and says afterwards what was told. A worker
that dies between sending and saying so sends again under the same message id.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction

from labeling.due.listing import Due, due
from labeling.models import DueNotice
from triage.models import Event, Project, Webhook
from triage.outbound import RefusedError, UndeliveredError, post
from triage.webhooks import tell

log = logging.getLogger(__name__)


def announce(project: Project, now: datetime) -> list[str]:
    """Tell what is newly due through every channel the operator set; return the channels that were used now."""
    channels = _channels(project)
    if not channels:
        return []
    items = due(project, now)
    return [str(channel) for channel in channels if _tell(project, channel, items, now.date())]


def announce_all(now: datetime) -> int:
    """Tell what is newly due in every project; return how many messages went out."""
    return sum(len(announce(project, now)) for project in Project.objects.order_by("pk"))


def _channels(project: Project) -> list[DueNotice.Channel]:
    set_up = {
        DueNotice.Channel.MAIL: bool(settings.DUE_MAIL_TO),
        DueNotice.Channel.WEBHOOK: bool(settings.DUE_WEBHOOK_URL),
        DueNotice.Channel.PROJECT: settings.WEBHOOKS and Webhook.objects.wanting(project.pk, Event.DUE).exists(),
    }
    return [channel for channel, is_set in set_up.items() if is_set]


@transaction.atomic
def _tell(project: Project, channel: DueNotice.Channel, items: Sequence[Due], today: date) -> bool:
    DueNotice.objects.bulk_create([DueNotice(project=project, channel=channel)], ignore_conflicts=True)
    rows = DueNotice.objects.select_for_update(skip_locked=True)
    row = rows.filter(project=project, channel=channel).first()
    if row is None:
        return False  # another worker is sending at this moment
    marks = {item.mark: item for item in items}
    known = [mark for mark in row.known if mark in marks]
    new = [item for mark, item in marks.items() if mark not in set(known)]
    is_sent = bool(new) and row.sent_on != today and _send(project, row, new, len(items), today)
    if is_sent:
        known, row.sent_on, row.fault = list(marks), today, ""
    row.known = known
    row.save()
    return is_sent


def _send(project: Project, row: DueNotice, new: Sequence[Due], in_all: int, today: date) -> bool:
    """Send one message; a fault is kept with the channel and tried again at the next beat."""
    try:
        SENT_BY[row.channel](project, new, in_all, _message_id(project, row, new, today))
    except (RefusedError, UndeliveredError, SMTPException, OSError) as fault:
        row.fault = f"{type(fault).__name__}: {fault}"[:300]
        log.warning("what is due in %s was not told by %s: %.200s", project.slug, row.channel, row.fault)
        return False
    return True


def _message_id(project: Project, row: DueNotice, new: Iterable[Due], today: date) -> str:
    parts = [str(project.pk), row.channel, today.isoformat(), *sorted(item.mark for item in new)]
    return f"due-{hashlib.sha256(chr(31).join(parts).encode()).hexdigest()[:24]}"


def _mail(project: Project, new: Sequence[Due], in_all: int, message_id: str) -> None:
    lines = [f"{item.what}: {item.subject} {item.detail}\n  {settings.PUBLIC_URL}{item.url}" for item in new]
    head = f"Newly due in {project.name}: {len(new)}. Due in all: {in_all}."
    EmailMessage(
        subject=f"[RAG Triage] {' '.join(project.name.split())}: {len(new)} newly due",
        body="\n\n".join([head, *lines]),
        to=settings.DUE_MAIL_TO,
        headers={"Message-ID": f"<{message_id}@rag-triage>"},
    ).send()


def _data(new: Sequence[Due], in_all: int) -> dict[str, Any]:
    told = [
        {"what": item.what, "subject": item.subject, "detail": item.detail, "url": settings.PUBLIC_URL + item.url}
        for item in new
    ]
    return {"due": in_all, "new": told}


def _webhook(project: Project, new: Sequence[Due], in_all: int, message_id: str) -> None:
    body = {"type": "due", "data": {"project": project.slug, **_data(new, in_all)}}
    text = json.dumps(body, allow_nan=False).encode()
    delivery = post(settings.DUE_WEBHOOK_URL, text, settings.WEBHOOK_SECRET, kind="due", message_id=message_id)
    if not delivery.is_taken:
        raise UndeliveredError(f"the receiver answered {delivery.status}")


def _project(project: Project, new: Sequence[Due], in_all: int, message_id: str) -> None:
    """Write messages to the project's own webhooks; from there on they are tried by themselves."""
    tell(project.pk, Event.DUE, message_id, _data(new, in_all))


SENT_BY: dict[str, Callable[[Project, Sequence[Due], int, str], None]] = {
    DueNotice.Channel.MAIL: _mail,
    DueNotice.Channel.WEBHOOK: _webhook,
    DueNotice.Channel.PROJECT: _project,
}
