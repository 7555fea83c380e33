"""Verb: tell other programs what happened. `tell` writes rows beside the event, `deliver` sends one of them.

`tell` is called inside the transaction of the event: no event without its message, no message without its event.
Sending is at least once, under the same message id: a worker that dies between sending and saying so sends again.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.crypto import get_random_string, salted_hmac

from triage import journal
from triage.models import Event, Message, Project, Webhook
from triage.outbound import RefusedError, UndeliveredError, checked_url, post

#: Seconds until a message is tried again after its 1st, 2nd, ... attempt: 8 attempts in about a day.
WAITS_S = (60, 180, 600, 1_800, 7_200, 21_600, 43_200)
MOST_ATTEMPTS = len(WAITS_S) + 1
#: A waiting message that a worker holds is not taken again before this long; the wait of the last attempt.
HOLD_S = WAITS_S[0]
LOST = "The worker was lost while it sent this for the last time."


@transaction.atomic
def add(project: Project, user: User, url: str, kinds: Iterable[str]) -> tuple[Webhook, str]:
    """Return a new webhook and its secret, to be shown once. Raises RefusedError for an address that is never tried."""
    checked_url(url)
    hook = Webhook.objects.create(
        project=project, url=url, kinds=sorted(set(kinds)), made_by=user, key_mark=_mark(settings.SECRET_KEY)
    )
    journal.note("webhook.added", project, hook.key, new={"host": urlsplit(url).hostname, "kinds": hook.kinds}, by=user)
    return hook, secret_of(hook)


def secret_of(hook: Webhook) -> str:
    """Return what the webhook's messages are signed with: HMAC-SHA256 of its key under SECRET_KEY, `whsec_` + base64.

    After a rotation the key it was made with is looked for among SECRET_KEY_FALLBACKS. Raises RefusedError.
    """
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        if _mark(key) == hook.key_mark:
            made = salted_hmac("triage.webhooks.secret", hook.key, secret=key, algorithm="sha256").digest()
            return f"whsec_{base64.b64encode(made).decode()}"
    raise RefusedError("The server's SECRET_KEY was replaced, and the webhook's secret with it: add the webhook anew.")


def tell(project_id: int, kind: Event, about: str, data: dict[str, Any], *, run_key: str = "") -> int:
    """Write a message to every webhook of the project that asked for this kind; return how many are new.

    `about` names the event among all of its kind: told twice, it is one message. Nothing is written while WEBHOOKS
    is off.
    """
    if not settings.WEBHOOKS:
        return 0
    hooks = Webhook.objects.wanting(project_id, kind).select_related("project")
    return sum(_write(hook, kind, about, data, run_key) for hook in hooks)


def deliver(message_pk: int) -> Message | None:
    """Send one waiting message and return it as it stands then; None = it is not to be sent now.

    One worker at a time: the attempt is counted, and the next one put off, before anything is sent.
    """
    message = _claimed(message_pk)
    if message is None:
        return None
    try:
        error = _sent(message)
        is_over = message.attempts >= MOST_ATTEMPTS
    except RefusedError as fault:
        error, is_over = str(fault), True
    return _ended(message, error, is_over=is_over)


@transaction.atomic
def retry(message: Message) -> bool:
    """Send a message again that was given up. False = it is waiting, or was delivered."""
    given_up = Message.objects.filter(pk=message.pk, state=Message.State.GIVEN_UP)
    changed = given_up.update(state=Message.State.WAITING, attempts=0, next_attempt_at=Now(), ended_at=None)
    if changed:
        journal.note("webhook.message_resent", message.webhook.project_id, message.message_id)
    return changed == 1


@transaction.atomic
def ping(hook: Webhook) -> str:
    """Write a test message to this webhook; return what to say."""
    _write(hook, Event.TEST, get_random_string(12), {}, "")
    journal.note("webhook.tested", hook.project_id, hook.key)
    return "A test message is on its way. Load this page again to see what became of it."


@transaction.atomic
def disable(hook: Webhook) -> str:
    """Send this webhook nothing until it is enabled; return what to say."""
    if Webhook.objects.filter(pk=hook.pk, disabled_at__isnull=True).update(disabled_at=Now()):
        journal.note("webhook.disabled", hook.project_id, hook.key)
    return "The webhook is disabled: it is told nothing new, and what waits for it waits on."


@transaction.atomic
def enable(hook: Webhook) -> str:
    """Tell this webhook of events again; return what to say."""
    if Webhook.objects.filter(pk=hook.pk, disabled_at__isnull=False).update(disabled_at=None):
        journal.note("webhook.enabled", hook.project_id, hook.key)
    return "The webhook is enabled."


@transaction.atomic
def delete(hook: Webhook) -> str:
    """Remove this webhook with its messages; return what to say."""
    journal.note("webhook.deleted", hook.project_id, hook.key, old={"host": urlsplit(hook.url).hostname})
    hook.delete()
    return "The webhook and its messages are deleted."


#: What a button may ask for.
ACTIONS: dict[str, Callable[[Webhook], str]] = {"test": ping, "disable": disable, "enable": enable, "delete": delete}


def to_deliver() -> list[int]:
    """Return the messages to hand to workers now, at most one of each webhook."""
    return list(Message.objects.due().values_list("pk", flat=True)) if settings.WEBHOOKS else []


def next_of(message: Message) -> int | None:
    """Return the next message of the same webhook that may be sent now."""
    return Message.objects.due().filter(webhook=message.webhook_id).values_list("pk", flat=True).first()


def forget_old() -> int:
    """Remove messages that ended long ago; return how many."""
    return Message.objects.old().delete()[0]


def _write(hook: Webhook, kind: Event, about: str, data: dict[str, Any], run_key: str) -> bool:
    body = {
        "type": str(kind),
        "timestamp": timezone.now().isoformat(timespec="seconds"),
        "data": {"project": hook.project.slug, **data},
    }
    row = Message(
        webhook=hook,
        kind=kind,
        message_id=_id(hook, kind, about),
        run_key=run_key,
        body=json.dumps(body, allow_nan=False),
    )
    before = Message.objects.filter(webhook=hook, message_id=row.message_id).exists()
    Message.objects.bulk_create([row], ignore_conflicts=True)
    return not before


def _id(hook: Webhook, kind: Event, about: str) -> str:
    return f"{kind}-{hashlib.sha256(f'{hook.key} {about}'.encode()).hexdigest()[:24]}"


def _mark(key: str) -> str:
    return salted_hmac("triage.webhooks.mark", "", secret=key, algorithm="sha256").hexdigest()[:16]


def _claimed(message_pk: int) -> Message | None:
    """Count an attempt and put the next one off; None = somebody else has it, or it is not wanted now."""
    if not settings.WEBHOOKS:
        return None
    waiting = Message.objects.filter(
        pk=message_pk,
        state=Message.State.WAITING,
        next_attempt_at__lte=Now(),
        webhook__disabled_at__isnull=True,
    )
    lost = waiting.filter(attempts__gte=MOST_ATTEMPTS)
    lost.update(state=Message.State.GIVEN_UP, last_error=LOST, ended_at=Now())
    held = timedelta(seconds=HOLD_S)
    if not waiting.update(attempts=F("attempts") + 1, next_attempt_at=Now() + held):
        return None
    return Message.objects.select_related("webhook").get(pk=message_pk)


def _sent(message: Message) -> str:
    """Send it; return "" when it was taken, else what went wrong. Raises RefusedError."""
    hook = message.webhook
    try:
        answer = post(
            hook.url, message.body.encode(), secret_of(hook), kind=message.kind, message_id=message.message_id
        )
    except UndeliveredError as fault:
        return str(fault)
    if answer.is_taken:
        return ""
    hint = " Redirects are not followed: give the last address." if 300 <= answer.status < 400 else ""
    return f"The receiver answered {answer.status}.{hint}"


def _ended(message: Message, error: str, *, is_over: bool) -> Message | None:
    """Write what came of this attempt, unless a later one began meanwhile; return the message, None = deleted."""
    mine = Message.objects.filter(pk=message.pk, state=Message.State.WAITING, attempts=message.attempts)
    if not error:
        mine.update(state=Message.State.DELIVERED, ended_at=Now(), last_error="", body="")
    elif is_over:
        mine.update(state=Message.State.GIVEN_UP, ended_at=Now(), last_error=error[:300])
    else:
        wait = timedelta(seconds=WAITS_S[message.attempts - 1])
        mine.update(last_error=error[:300], next_attempt_at=Now() + wait)
    return Message.objects.filter(pk=message.pk).first()
