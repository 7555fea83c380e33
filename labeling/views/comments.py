"""Comments on an item."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling import access
from labeling.models import Comment
from labeling.review import InvalidError, comment, may_talk
from labeling.views.screen import is_swap
from triage.access import user


@require_http_methods(["GET", "POST"])
def item_comments(request: HttpRequest, key: str, position: int) -> HttpResponse:
    """Show the comments on an item, or add one. Closed to whoever has not judged a blind item yet."""
    item, error = access.item(request, key, position), ""
    if not may_talk(item, user(request).pk):
        return render(request, "labeling/item_comments.html", {"item": item, "session": item.session}, status=409)
    if request.method == "POST":
        try:
            comment(item.query, user(request), request.POST.get("text", ""))
        except InvalidError as refusal:
            error = str(refusal)
    context = {"item": item, "session": item.session, "comments": Comment.objects.on(item.query_id), "error": error}
    if is_swap(request):
        return render(request, "labeling/item_comments.html#comments", context, status=422 if error else 200)
    if request.method == "POST" and not error:
        return redirect("item_comments", key=key, position=position)
    return render(request, "labeling/item_comments.html", context, status=422 if error else 200)
