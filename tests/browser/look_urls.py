"""The product's addresses and one more: every component of the look on one page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django import forms
from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import engines
from django.urls import path
from django.utils import timezone

from config.urls import urlpatterns as product
from triage.core.charts import Bin, SweepPoint, TrendPoint, reliability, threshold_curve, trend
from triage.core.labels import CODEBOOK, MISSED_FAILURE, UNSCORED
from triage.core.metrics import Missing
from triage.core.pictures import Interval, axis, count_axis, heat, interval, share_axis

PAGE = Path(__file__).parent / "pages" / "components.html"


@dataclass(frozen=True)
class Tile:
    """A metric as components/metric.html takes it."""

    name: str
    value: object
    low: object
    high: object
    bar: Interval
    tone: str
    words: str
    n: int
    left_out: str
    ink: str = "accent"


class SampleForm(forms.Form):
    """Every kind of field."""

    name = forms.CharField(help_text="As it stands in the release.")
    size = forms.IntegerField(required=False)
    kind = forms.ChoiceField(choices=[("a", "First"), ("b", "Second")])
    notes = forms.CharField(widget=forms.Textarea)
    file = forms.FileField(required=False)
    several = forms.MultipleChoiceField(choices=[("a", "First"), ("b", "Second")], widget=forms.CheckboxSelectMultiple)


def _tile(name: str, value: object, low: object, high: object, tone: str, words: str, left_out: str) -> Tile:
    bar = interval(share_axis(), value, low, high, target=0.9 if tone != "open" else None)
    return Tile(name, value, low, high, bar, tone, words, 400, left_out)


def _rows() -> list[dict[str, object]]:
    on = count_axis(61)
    labels = [str(entry.label) for entry in CODEBOOK] + [UNSCORED, MISSED_FAILURE]
    counts = (13.0, 50.1, 36.8, 41.8, 10.3, None, 6.2)
    return [
        {
            "label": label,
            "value": count,
            "bar": interval(on, count, (count or 0) * 0.8, (count or 0) * 1.2, automatic=count),
        }
        for label, count in zip(labels, counts, strict=True)
    ]


def _context() -> dict[str, object]:
    sweep = [
        SweepPoint(k / 10, 0.9 - abs(k - 6) / 20, 0.8 - abs(k - 6) / 20, 0.95, 1 - k / 12, k / 11) for k in range(1, 11)
    ]
    form = SampleForm({"size": "x", "kind": "a", "notes": "Some text"})
    form.is_valid()
    form.add_error(None, "The two dates do not fit together.")
    return {
        "tiles": [
            _tile("Accuracy", 0.62, 0.572, 0.666, "open", "no target", "none undecided"),
            _tile("Recall at k 5", 0.94, 0.917, 0.959, "ok", "met, ≥ 0.900", "none left out"),
            _tile("Context precision", 0.264, 0.251, 0.277, "open", "no target", "none left out"),
            _tile("Groundedness", 0.871, 0.854, 0.888, "bad", "missed, ≥ 0.900", "9 have no claims"),
            _tile("Any unsupported claim", 0.366, 0.32, 0.415, "open", "no target", "9 have no claims"),
            _tile("Answer relevance", Missing.NOT_SCORED, None, None, "warn", "undecided, ≥ 0.900", "9 abstained"),
        ],
        "rows": _rows(),
        "axis": count_axis(61),
        "wide": axis(0.2, 1.0, (0.2, 0.4, 0.6, 0.8, 1.0)),
        "heats": [{"n": n, "tint": heat(n, 100)} for n in (0, 12, 35, 52, 77, 100)],
        "curve": threshold_curve(sweep, in_use=0.5, chosen=0.6),
        "diagram": reliability(
            [Bin(3 * k + 2, k / 10 + 0.05, k / 10, max(0, k / 10 - 0.2), k / 10 + 0.1) for k in range(10)]
        ),
        "trend": trend(
            [TrendPoint(f"2026.{k}", None if k == 8 else 0.5 + k / 50, 0.4, 0.8) for k in range(6, 12)], 0.9
        ),
        "page": Paginator(range(95), 20).page(2),
        "form": form,
        "now": timezone.now(),
        "undo": {"url": "/logout/", "words": "Undo"},
        "messages": [],
    }


@login_not_required
def components(request: HttpRequest) -> HttpResponse:
    """Show every component of the look."""
    if request.GET.get("fail"):
        return HttpResponse("no", status=int(request.GET["fail"]))
    if request.headers.get("HX-Request"):
        return HttpResponse('<h2 data-announce="3 of 4 done">Swapped in</h2>')
    template = engines["django"].from_string(PAGE.read_text())
    return HttpResponse(template.render(_context(), request))


def save(request: HttpRequest) -> HttpResponse:
    """Say what was typed, to those who are logged in."""
    return render(request, "components/callout.html", {"tone": "ok", "words": f"Saved {request.POST['notes']}"})


urlpatterns = [path("look/", components, name="look"), path("look/save/", save, name="save"), *product]
