"""The keys of programs: make one and show it once, see which are in use, revoke."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from triage import access
from triage.forms.tokens import TokenForm
from triage.models import Role
from triage.tokens import make, revoke


@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest, slug: str) -> HttpResponse:
    """List the project's tokens; a POST makes one and shows its secret once."""
    project = access.project(request, slug, Role.LEAD)
    form, made, secret = TokenForm(request.POST or None), None, ""
    if request.method == "POST" and form.is_valid():
        made, secret = make(project, access.user(request), **form.wish())
        form = TokenForm()
    listed = project.api_tokens.for_tokens_page(project)
    context = {"project": project, "tokens": listed, "form": form, "made": made, "secret": secret}
    response = render(request, "triage/tokens.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response


@require_POST
def token_revoke(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Stop a token for good."""
    project = access.project(request, slug, Role.LEAD)
    token = get_object_or_404(project.api_tokens, pk=pk)
    if revoke(token):
        messages.success(request, f"The token {token.name} is revoked: whatever uses it is refused from now on.")
    else:
        messages.info(request, "That token was revoked before.")
    return redirect("tokens", slug=slug)
