"""Addresses of the machine's half. URL name = view = template."""

from __future__ import annotations

from django.contrib.auth import views as auth
from django.urls import path, re_path

from triage.forms.tokens import NewPasswordForm
from triage.views import changes, members, panel, people, queries, runs, sign_on, slices, tokens, uploads, webhooks

urlpatterns = [
    path("", people.home, name="home"),
    path("join/<str:token>/", people.join, name="join"),
    path("login/", auth.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("login/single-sign-on/", sign_on.sign_on, name="sign_on"),
    path("login/single-sign-on/return/", sign_on.sign_on_return, name="sign_on_return"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path(
        "password/",
        auth.PasswordChangeView.as_view(success_url="/", form_class=NewPasswordForm),
        name="password_change",
    ),
    path("p/<slug:slug>/runs/", runs.runs, name="runs"),
    path("runs/<str:key>/", runs.run, name="run"),
    path("runs/<str:key>/progress/", runs.run_progress, name="run_progress"),
    path("runs/<str:key>/rename/", runs.run_rename, name="run_rename"),
    path("runs/<str:key>/delete/", runs.run_delete, name="run_delete"),
    re_path(r"^runs/(?P<key>\w+)/(?P<action>pause|resume|cancel|retry|rescore)/$", runs.run_steer, name="run_steer"),
    path("runs/<str:key>/slices/", slices.slices, name="slices"),
    path("runs/<str:key>/queries/", queries.queries, name="queries"),
    path("runs/<str:key>/queries/<int:position>/", queries.query, name="query"),
    path("p/<slug:slug>/import/", uploads.uploads, name="uploads"),
    path("p/<slug:slug>/demo/", uploads.demo, name="demo"),
    path("uploads/<str:key>/", uploads.upload, name="upload"),
    path("uploads/<str:key>/columns/", uploads.upload_columns, name="upload_columns"),
    path("uploads/<str:key>/progress/", uploads.upload_progress, name="upload_progress"),
    re_path(r"^uploads/(?P<key>\w+)/errors\.(?P<ending>csv|json)$", uploads.upload_errors, name="upload_errors"),
    re_path(r"^uploads/(?P<key>\w+)/(?P<action>cancel|retry)/$", uploads.upload_steer, name="upload_steer"),
    path("p/<slug:slug>/panel/", panel.panel, name="panel"),
    path("p/<slug:slug>/panel/try/", panel.panel_try, name="panel_try"),
    path("p/<slug:slug>/members/", members.members, name="members"),
    path("p/<slug:slug>/members/<int:pk>/role/", members.member_role, name="member_role"),
    path("p/<slug:slug>/members/<int:pk>/remove/", members.member_remove, name="member_remove"),
    path("p/<slug:slug>/tokens/", tokens.tokens, name="tokens"),
    path("p/<slug:slug>/tokens/<int:pk>/revoke/", tokens.token_revoke, name="token_revoke"),
    path("p/<slug:slug>/changes/", changes.changes, name="changes"),
    re_path(r"^p/(?P<slug>[-\w]+)/changes\.(?P<to>csv|jsonl)$", changes.changes_file, name="changes_file"),
    path("p/<slug:slug>/webhooks/", webhooks.webhooks, name="webhooks"),
    re_path(
        r"^p/(?P<slug>[-\w]+)/webhooks/(?P<pk>[0-9]{1,18})/(?P<action>test|disable|enable|delete)/$",
        webhooks.webhook_steer,
        name="webhook_steer",
    ),
    path("p/<slug:slug>/webhooks/messages/<int:pk>/retry/", webhooks.message_retry, name="message_retry"),
    path("p/<slug:slug>/settings/", members.project_settings, name="project_settings"),
]
