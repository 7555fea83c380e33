"""Sessions: the list, a new one, one from above, closing it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from labeling import access
from labeling.forms import SessionForm
from labeling.review import comments_naming
from labeling.worklist import close, make_session, overview, presence, session_lines
from triage import access as doors
from triage.models import Role


@require_GET
def sessions(request: HttpRequest, slug: str) -> HttpResponse:
    """List the project's sessions, open ones first, and the runs a new one can be made of."""
    project = doors.project(request, slug)
    context = {
        "project": project,
        "lines": session_lines(project),
        "named": comments_naming(doors.user(request), project),
        "runs": project.runs.order_by("-created_at")[:50],
        "leads": doors.role_in(request, project).rank >= Role.LEAD.rank,
    }
    return render(request, "labeling/sessions.html", context)


@require_http_methods(["GET", "POST"])
def session_new(request: HttpRequest, key: str) -> HttpResponse:
    """Show the form of a new session of a run, or draw it."""
    run = doors.run(request, key, Role.LEAD)
    form = SessionForm(run, request.POST or None)
    if not form.is_valid():
        context = {"run": run, "form": form}
        return render(request, "labeling/session_new.html", context, status=422 if form.is_bound else 200)
    session = make_session(run, doors.user(request), form.wish())
    messages.success(request, f"Session “{session.name}” holds {session.frame['items']:,} items.")
    return redirect("session", key=session.key)


@require_GET
def session_presence(request: HttpRequest, key: str) -> HttpResponse:
    """Show to leads who has which item of a session open now; the part reloads itself, the page does on demand."""
    found = access.session(request, key, Role.LEAD)
    part = "#presence" if request.headers.get("HX-Request") == "true" else ""
    context = {"session": found, "people": presence(found)}
    return render(request, f"labeling/session_presence.html{part}", context)


@require_GET
def session(request: HttpRequest, key: str) -> HttpResponse:
    """Show one session: progress, and per reviewer pace and drift (to leads, and to each their own)."""
    found = access.session(request, key, Role.VIEWER)
    leads = doors.role_in(request, found.run.project).rank >= Role.LEAD.rank
    page = overview(found, None if leads else doors.user(request).pk)
    return render(request, "labeling/session.html", {"session": found, "page": page, "leads": leads})


@require_POST
def session_close(request: HttpRequest, key: str) -> HttpResponse:
    """Hand out nothing more of a session, or open it again."""
    found = access.session(request, key, Role.LEAD)
    is_open = close(found)
    messages.success(request, "The session is open again." if is_open else "The session is closed.")
    return redirect("session", key=key)
