"""How a person likes the review screen."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling.forms import KeysForm
from labeling.keys import keys_of
from triage.access import user


@require_http_methods(["GET", "POST"])
def my_keys(request: HttpRequest) -> HttpResponse:
    """Show a person's keys, or change them."""
    me = user(request)
    form = KeysForm(keys_of(me.pk), request.POST or None)
    if form.is_valid():
        form.store(me)
        messages.success(request, "Your keys are saved.")
        return redirect("my_keys")
    return render(request, "labeling/my_keys.html", {"form": form}, status=422 if form.errors else 200)
