"""Addresses of the machine's half. URL name = view = template."""

from __future__ import annotations

from django.contrib.auth import views as auth
from django.urls import path

from triage.views import members, people

urlpatterns = [
    path("", people.home, name="home"),
    path("join/<str:token>/", people.join, name="join"),
    path("login/", auth.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("password/", auth.PasswordChangeView.as_view(success_url="/"), name="password_change"),
    path("p/<slug:slug>/members/", members.members, name="members"),
    path("p/<slug:slug>/members/<int:pk>/role/", members.member_role, name="member_role"),
    path("p/<slug:slug>/members/<int:pk>/remove/", members.member_remove, name="member_remove"),
    path("p/<slug:slug>/settings/", members.project_settings, name="project_settings"),
]
