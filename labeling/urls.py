"""Addresses of the human's half. URL name = view = template."""

from __future__ import annotations

from django.urls import path, re_path

from labeling.views import (
    adjudication,
    agreement,
    audit,
    challenge,
    compare,
    due,
    gate,
    judges,
    preferences,
    report,
    review,
    sessions,
)

urlpatterns = [
    path("keys/", preferences.my_keys, name="my_keys"),
    path("p/<slug:slug>/challenges/", challenge.challenges, name="challenges"),
    path("p/<slug:slug>/challenges/<int:pk>/", challenge.challenge, name="challenge"),
    path("p/<slug:slug>/compare/", compare.compare, name="compare"),
    path("p/<slug:slug>/judges/", judges.judges, name="judges"),
    path("p/<slug:slug>/judges/<str:fingerprint>/", judges.judge, name="judge"),
    path("p/<slug:slug>/judges/<str:fingerprint>/compare/", judges.judge_compare, name="judge_compare"),
    path("p/<slug:slug>/judges/<str:fingerprint>/items/", judges.judge_items, name="judge_items"),
    re_path(
        r"^p/(?P<slug>[-\w]+)/judges/(?P<fingerprint>\w+)/export\.(?P<to>jsonl|csv|judgy|openai)$",
        judges.judge_export,
        name="judge_export",
    ),
    path("p/<slug:slug>/reports/", report.reports, name="reports"),
    path("p/<slug:slug>/sessions/", sessions.sessions, name="sessions"),
    path("runs/<str:key>/adjudication/", adjudication.adjudication, name="adjudication"),
    path("runs/<str:key>/adjudication/<int:position>/", adjudication.adjudication_query, name="adjudication_query"),
    path("runs/<str:key>/agreement/", agreement.agreement, name="agreement"),
    path("runs/<str:key>/agreement/cell/", agreement.agreement_cell, name="agreement_cell"),
    path("runs/<str:key>/agreement/compute/", agreement.agreement_compute, name="agreement_compute"),
    path("runs/<str:key>/gate/", gate.gate, name="gate"),
    path("runs/<str:key>/audit/", audit.audit, name="audit"),
    path("p/<slug:slug>/due/", due.due, name="due"),
    path("runs/<str:key>/report/", report.report, name="report"),
    re_path(r"^runs/(?P<key>\w+)/report\.(?P<to>md|csv|json|html)$", report.report_file, name="report_file"),
    path("runs/<str:key>/sessions/new/", sessions.session_new, name="session_new"),
    path("runs/<str:key>/review/", review.review, name="review"),
    path("sessions/<str:key>/", sessions.session, name="session"),
    path("sessions/<str:key>/close/", sessions.session_close, name="session_close"),
    path("sessions/<str:key>/review/", review.session_review, name="session_review"),
    path("sessions/<str:key>/review/<int:position>/", review.item, name="item"),
    path("sessions/<str:key>/review/<int:position>/back/", review.item_back, name="item_back"),
    path("sessions/<str:key>/review/<int:position>/beyond/", review.item_beyond, name="item_beyond"),
    path("sessions/<str:key>/review/<int:position>/challenge/", challenge.item_challenge, name="item_challenge"),
    path("sessions/<str:key>/review/<int:position>/hold/", review.item_hold, name="item_hold"),
    path("sessions/<str:key>/review/<int:position>/skip/", review.item_skip, name="item_skip"),
    path("sessions/<str:key>/review/requeue/", review.session_requeue, name="session_requeue"),
    path("sessions/<str:key>/review/undo/", review.session_undo, name="session_undo"),
]
