"""The screen reviewers live in: next item, save, skip, undo, back. Each answers with the item to look at now."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from labeling import access
from labeling.cards import beyond
from labeling.forms import DecisionForm, SkipForm
from labeling.models import SessionItem
from labeling.review import GoneError, NotSavedError, has_judged, previous_position, requeue, save, skip, undo
from labeling.views.refusal import malformed, refuse
from labeling.views.screen import Notice, Telling, is_swap, show_ahead, show_empty, show_item, show_next
from labeling.worklist import default_session, hold, reserve, take
from triage.access import run as run_door
from triage.access import user
from triage.models import Role


@require_GET
def review(request: HttpRequest, key: str) -> HttpResponse:
    """Open the session that a run has without a lead: all its failing queries."""
    run = run_door(request, key, Role.REVIEWER)
    return redirect("session_review", key=default_session(run, user(request)).key)


@require_GET
def session_review(request: HttpRequest, key: str) -> HttpResponse:
    """Hand out the next item of a session, or say why there is none."""
    return show_next(request, access.session(request, key))


@require_http_methods(["GET", "POST"])
def item(request: HttpRequest, key: str, position: int) -> HttpResponse:
    """Show one item, or save what was decided about it and go on."""
    found = access.item(request, key, position)
    if request.method == "POST":
        return _save(request, found)
    seat = take(found.session, user(request).pk, position)
    judged = has_judged(found.query_id, user(request).pk)
    if seat is None and not judged:
        return show_empty(request, found.session)
    return show_item(request, found, seat, mode="open" if "change" in request.GET and judged else "")


def _save(request: HttpRequest, found: SessionItem) -> HttpResponse:
    """Save, then reveal a blind item, else go on; or say why nothing was saved, with what was typed."""
    form = DecisionForm(request.POST)
    if not form.is_valid():
        return malformed(request, found, form)
    decision = form.decision()
    try:
        receipt = save(found.session, user(request), found.position, decision, form.ticket())
    except NotSavedError as reason:
        return refuse(request, found, decision, reason)
    telling = Telling(saved_at=receipt.verdict.created_at, spoken="Saved.")
    if not receipt.verdict.blind:
        return show_next(request, found.session, telling)
    if not is_swap(request):
        return redirect("item", key=found.session.key, position=found.position)
    return show_item(request, found, None, telling)


@require_POST
def item_skip(request: HttpRequest, key: str, position: int) -> HttpResponse:
    """Send the item on to somebody else."""
    found, form = access.item(request, key, position), SkipForm(request.POST)
    if not form.is_valid():
        return malformed(request, found, form)
    try:
        skip(found.session, user(request), position, form.cleaned_data["token"], form.cleaned_data["reason"])
    except GoneError:
        return show_next(request, found.session, Telling(spoken="It was not yours any more."))
    return show_next(request, found.session, Telling(spoken="Skipped."))


@require_POST
def session_undo(request: HttpRequest, key: str) -> HttpResponse:
    """Take back the newest save and show its item again, filled in as it was."""
    session = access.session(request, key)
    undone = undo(session, user(request))
    if undone is None:
        words = "There is no save of yours to take back here."
        return show_next(request, session, Telling(notice=Notice("go", "Nothing to undo.", words), spoken=words))
    if not is_swap(request):
        return redirect("item", key=key, position=undone.position)
    notice = Notice("go", "Taken back.", "Your save is withdrawn; what it said stands in the form.")
    seat = take(session, user(request).pk, undone.position)
    return show_item(request, access.item(request, key, undone.position), seat, Telling(notice, spoken="Taken back."))


@require_POST
def session_requeue(request: HttpRequest, key: str) -> HttpResponse:
    """Give the reviewer their skipped items again."""
    session = access.session(request, key)
    requeue(session, user(request))
    return show_next(request, session)


@require_GET
def item_back(request: HttpRequest, key: str, position: int) -> HttpResponse:
    """Go to the item this reviewer saved before this one."""
    found = access.item(request, key, position)
    before = previous_position(found.session, user(request), position)
    if before is None:
        messages.info(request, "There is no earlier item of yours in this session.")
    address = redirect("item", key=key, position=position if before is None else before)
    return item(request, key, position if before is None else before) if is_swap(request) else address


@require_POST
def item_hold(request: HttpRequest, key: str, position: int) -> HttpResponse:
    """Renew the seat while its page is in use; 409 when somebody else has the item now."""
    found, form = access.item(request, key, position), SkipForm(request.POST)
    left = hold(found.session, user(request).pk, position, form.cleaned_data["token"]) if form.is_valid() else None
    return JsonResponse({"seconds_left": left}, status=409 if left is None else 200)


@require_GET
def item_ahead(request: HttpRequest, key: str, position: int) -> HttpResponse:
    """Reserve the item after this one and answer with its card, for the page to keep until the save."""
    found = access.item(request, key, position)
    return show_ahead(request, found, reserve(found.session, user(request).pk, position))


@require_GET
def item_beyond(request: HttpRequest, key: str, position: int) -> HttpResponse:
    """Show what the prompt did not hold: other candidates, and gold that was never retrieved."""
    found = access.item(request, key, position)
    candidates, unreachable = beyond(found)
    context = {"item": found, "session": found.session, "candidates": candidates, "unreachable": unreachable}
    return render(request, f"labeling/item_beyond.html{'#beyond' if is_swap(request) else ''}", context)
