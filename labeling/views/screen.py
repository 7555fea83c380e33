"""The review screen as a response: the whole page, or only what htmx swaps."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse

from labeling.cards import BlindCard, MachineWord, blind_card, desk_of, known_of, revealed_card, top_bar
from labeling.core.consistency import Conflict
from labeling.keys import keys_from
from labeling.models import Comment, ReviewSession, SessionItem
from labeling.review import Decision
from labeling.worklist import Seat, progress, take, why_empty
from triage.access import user

BUTTONS = {"blind": "Save & reveal", "open": "Save & next", "revealed": "Keep & next", "gone": "Save & next"}


@dataclass(frozen=True, slots=True)
class Notice:
    """What must be said above the decision: tone, title, words."""

    tone: str
    title: str
    words: str


@dataclass(frozen=True, slots=True)
class Telling:
    """What this response has to say besides the item: a notice, errors, a conflict, when it saved, words to speak."""

    notice: Notice | None = None
    errors: tuple[str, ...] = ()
    conflict: Conflict | None = None
    saved_at: datetime | None = None
    spoken: str = ""
    status: int = 200


NOTHING = Telling()


def is_swap(request: HttpRequest) -> bool:
    """Say whether htmx wants the item alone; going back in the browser's history wants the whole page."""
    headers = request.headers
    return headers.get("HX-Request") == "true" and headers.get("HX-History-Restore-Request") != "true"


def show_next(request: HttpRequest, session: ReviewSession, telling: Telling = NOTHING) -> HttpResponse:
    """Hand out the next item: as a swap, or as a redirect to its own address."""
    seat = take(session, user(request).pk)
    if seat is None:
        return show_empty(request, session, telling)
    if not is_swap(request):
        return redirect("item", key=session.key, position=seat.position)
    if request.headers.get("X-Ahead") == str(seat.token) and telling.notice is None:
        return _show_kept(request, session, seat, telling)
    return show_item(request, _item(session, seat), seat, telling)


def show_ahead(request: HttpRequest, item: SessionItem, seat: Seat | None) -> HttpResponse:
    """Answer with the card of the reserved item, for later; 204 when there is none to be had.

    Beside a blind item nothing the machine said may lie, not even of another item: then only blind cards go ahead.
    """
    if seat is None or (item.blind and not seat.blind):
        return HttpResponse(status=204)
    context = _context(request, _item(item.session, seat), seat, NOTHING)
    page = render_to_string("labeling/item.html#item", {**context, "swap": True}, request)
    return HttpResponse(page, headers={"X-Ahead": str(seat.token), "Cache-Control": "no-store"})


def _show_kept(request: HttpRequest, session: ReviewSession, seat: Seat, telling: Telling) -> HttpResponse:
    """Answer with the bar alone: the page says that it holds the card of this very seat already."""
    bar = top_bar(session, progress(session, user(request).pk), seat.seconds_left, telling.saved_at)
    context = {"bar": bar, "mode": "blind" if seat.blind else "open", "swap": True}
    response = HttpResponse(render_to_string("labeling/item.html#bar", context, request))
    spoken = f"{telling.spoken} Item {seat.position} of {bar.items}."
    response["HX-Trigger-After-Settle"] = json.dumps({"announce": spoken})  # the kept card cannot know what was done
    response["HX-Push-Url"] = reverse("item", args=[session.key, seat.position])
    response["X-Review"] = "ahead"
    return response


def show_empty(request: HttpRequest, session: ReviewSession, telling: Telling = NOTHING) -> HttpResponse:
    """Say that there is nothing to hand out, and why."""
    me = user(request).pk
    context = {
        "session": session,
        "empty": why_empty(session, me),
        "bar": top_bar(session, progress(session, me), saved_at=telling.saved_at),
        "telling": telling,
        "mode": "",
        "swap": False,
    }
    return _respond(request, "labeling/session_review.html", context, reverse("session_review", args=[session.key]))


def show_item(
    request: HttpRequest,
    item: SessionItem,
    seat: Seat | None,
    telling: Telling = NOTHING,
    typed: Decision | None = None,
    mode: str = "",
) -> HttpResponse:
    """Show one item. The mode follows from what the reviewer said of it, unless the caller knows better."""
    address = reverse("item", args=[item.session.key, item.position])
    context = _context(request, item, seat, telling, typed, mode)
    return _respond(request, "labeling/item.html", context, address, telling.status)


def _context(
    request: HttpRequest,
    item: SessionItem,
    seat: Seat | None,
    telling: Telling,
    typed: Decision | None = None,
    mode: str = "",
) -> dict[str, object]:
    """Return what the page of an item is made of."""
    me = user(request).pk
    desk = desk_of(item.session, me)
    card = blind_card(item, me, seat.token if seat else None, typed, whole="whole" in request.GET)
    mode = mode or mode_of(item, card, is_typed=typed is not None)
    saved_at = telling.saved_at or (card.earlier.saved_at if card.earlier else None)
    machine: MachineWord | None = None if mode in {"blind", "gone"} else revealed_card(item, card, desk.policy).machine
    return {
        "session": item.session,
        "card": card,
        "machine": machine,
        "mode": mode,
        "button": BUTTONS[mode],
        "bar": top_bar(item.session, desk.progress, seat.seconds_left if seat else None, saved_at),
        "keys": keys_from(desk.own_keys),
        "faithfulness": desk.policy.faithfulness,
        "telling": telling,
        "swap": False,
        **(_afterwards(item) if mode == "revealed" else {"known": None, "comments": 0}),
    }


def _afterwards(item: SessionItem) -> dict[str, object]:
    """Return what is shown only once the reviewer has judged: the known verdict of a round, how many comments."""
    return {"known": known_of(item), "comments": Comment.objects.filter(query=item.query_id).count()}


def mode_of(item: SessionItem, card: BlindCard, *, is_typed: bool) -> str:
    """Return blind before the first save of a blind item, revealed after a save, open for everything else."""
    if card.earlier is not None:
        return "open" if is_typed else "revealed"
    return "blind" if item.blind and not card.was_saved else "open"


def _item(session: ReviewSession, seat: Seat) -> SessionItem:
    """Return the item that a seat is of."""
    return SessionItem(
        id=seat.item_id, session=session, position=seat.position, query_id=seat.query_id, blind=seat.blind
    )


def _respond(
    request: HttpRequest, template: str, context: dict[str, object], address: str, status: int = 200
) -> HttpResponse:
    """Render the page, or its swappable parts: item and bar, each under its own id."""
    if not is_swap(request):
        return render(request, template, context, status=status)
    parts = (render_to_string(f"{template}#{part}", {**context, "swap": True}, request) for part in ("item", "bar"))
    response = HttpResponse("\n".join(parts), status=status)
    response["HX-Push-Url"] = address
    response["X-Review"] = "item"
    return response
