"""Addresses of the machine's half. URL name = view = template."""

from __future__ import annotations

from django.contrib.auth import views as auth
from django.urls import path

from triage.views import people

urlpatterns = [
    path("", people.home, name="home"),
    path("join/<str:token>/", people.join, name="join"),
    path("login/", auth.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("password/", auth.PasswordChangeView.as_view(success_url="/"), name="password_change"),
]
