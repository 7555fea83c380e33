"""A save that was refused, as a page: why, and everything that was typed."""

from __future__ import annotations

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from labeling.models import SessionItem
from labeling.review import ContradictoryError, Decision, InvalidError, NotSavedError, StaleError
from labeling.views.screen import Notice, Telling, show_item
from labeling.worklist import take
from triage.access import user
from triage.core.labels import CODEBOOK_BY_LABEL


def refuse(request: HttpRequest, item: SessionItem, decision: Decision, reason: NotSavedError) -> HttpResponse:
    """Show the item with what was typed and why it was not saved."""
    if isinstance(reason, InvalidError):
        telling = Telling(errors=tuple(reason.errors.values()), status=400, spoken="Not saved.")
    elif isinstance(reason, ContradictoryError):
        telling = Telling(conflict=reason.conflict, status=422, spoken="Not saved yet: label and marks disagree.")
    elif isinstance(reason, StaleError):
        telling = Telling(notice=_stale(reason, decision), status=409, spoken="Not saved: this page was old.")
        return show_item(request, item, take(item.session, user(request).pk, item.position), telling, decision)
    else:
        telling = Telling(notice=_gone(), status=409, spoken="Not saved: somebody else has this item now.")
        return show_item(request, item, None, telling, decision, mode="gone")
    return show_item(request, item, take(item.session, user(request).pk, item.position), telling, decision)


def malformed(request: HttpRequest, item: SessionItem, form: Form) -> HttpResponse:
    """Answer what no page of ours sends: 400 with the fields that were wrong."""
    return render(request, "400.html", {"errors": form.errors, "item": item}, status=400)


def _stale(reason: StaleError, decision: Decision) -> Notice:
    """Say what stands and what the old page said."""
    if reason.current is None:
        return Notice("warn", "Not saved: this page was old.", "Look again and save once more if you still mean it.")
    stands = _title(reason.current.label)
    return Notice(
        "warn",
        "Not saved: you said something else since this page was opened.",
        f"It stands as “{stands}”; this page says “{_title(decision.label)}”. Save again to change it.",
    )


def _gone() -> Notice:
    """Say that the lease ran out and somebody else took the item."""
    return Notice(
        "bad",
        "Not saved: somebody else has this item now.",
        "Its time was over and it was handed out again. Your note is kept below: copy what you need, then go on.",
    )


def _title(label: str) -> str:
    """Return a label as people read it; a blank one is a note."""
    entry = CODEBOOK_BY_LABEL.get(label)
    return entry.title if entry else "a note without a label"
