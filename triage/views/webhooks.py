"""Webhooks of a project: add one and show its secret once, test, disable, see what was sent, send again."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from triage import access
from triage.forms.webhooks import WebhookForm
from triage.models import Message, Role
from triage.tasks import deliver_all_soon
from triage.webhooks import ACTIONS, add, retry


@require_http_methods(["GET", "HEAD", "POST"])
def webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    """List the project's webhooks and newest messages; a POST adds one and shows its secret once."""
    project = access.project(request, slug, Role.OWNER)
    form, secret = WebhookForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        _, secret = add(project, access.user(request), **form.cleaned_data)
        form = WebhookForm()
    context = {
        "project": project,
        "is_on": settings.WEBHOOKS,
        "webhooks": project.webhooks.for_webhooks_page(project),
        "sent": Message.objects.for_webhooks_page(project),
        "form": form,
        "secret": secret,
    }
    response = render(request, "triage/webhooks.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response


@require_POST
def webhook_steer(request: HttpRequest, slug: str, pk: int, action: str) -> HttpResponse:
    """Send a test, disable, enable or delete a webhook."""
    project = access.project(request, slug, Role.OWNER)
    messages.info(request, ACTIONS[action](get_object_or_404(project.webhooks, pk=pk)))
    deliver_all_soon()
    return redirect("webhooks", slug=slug)


@require_POST
def message_retry(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Send a message again that was given up."""
    project = access.project(request, slug, Role.OWNER)
    is_again = retry(get_object_or_404(Message.objects.of(project), pk=pk))
    messages.info(request, "The message is sent again." if is_again else "That message was not given up.")
    deliver_all_soon()
    return redirect("webhooks", slug=slug)
