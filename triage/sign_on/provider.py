"""django-allauth's half of a log-in: to the provider and back, up to a verified identity. It makes no accounts."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NoReturn

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.models import SocialApp, SocialToken
from allauth.socialaccount.providers.base.constants import AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Client, OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from requests import RequestException, Session

from triage.core.identity import Identity, Refusal, RefusedError, read
from triage.sign_on.proof import checked_description, nonce_of, verified

#: The one provider there is, as allauth's states name it.
PROVIDER_ID = "oidc"
DESCRIPTION = "/.well-known/openid-configuration"


def leave(request: HttpRequest, next_url: str, invitation: str) -> HttpResponse:
    """Return the redirect to the provider, with state, nonce and PKCE."""
    kept = {"invitation": invitation}
    try:
        answer: HttpResponse = Provider(request, _app()).redirect(
            request, AuthProcess.LOGIN, next_url=next_url, data=kept, auth_params={}
        )
    except RequestException as fault:
        raise RefusedError(Refusal.UNREACHABLE) from fault
    return answer


def come_back(request: HttpRequest) -> tuple[Identity, dict[str, Any]]:
    """Return the verified identity and what was kept when the person left."""
    adapter = SignOn(request, PROVIDER_ID)
    try:
        Return.adapter_view(adapter)(request)
    except RequestException as fault:
        raise RefusedError(Refusal.UNREACHABLE) from fault
    if adapter.identity is None:
        raise RefusedError(Refusal.STALE)
    return adapter.identity, adapter.state


def _app() -> SocialApp:
    """Return the operator's settings as allauth wants them; there is no row of them."""
    return SocialApp(
        provider=OpenIDConnectProvider.id,
        provider_id=PROVIDER_ID,
        name=settings.OIDC_NAME,
        client_id=settings.OIDC_CLIENT_ID,
        secret=settings.OIDC_CLIENT_SECRET,
        settings={"server_url": settings.OIDC_ISSUER, "oauth_pkce_enabled": True},
    )


class Refusals(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """How allauth asks the provider and what becomes of what goes wrong (SOCIALACCOUNT_ADAPTER)."""

    def get_requests_session(self) -> Session:
        """Return a line that follows no redirect: the client's secret goes to the address it was meant for."""
        session: Session = super().get_requests_session()
        session.max_redirects = 0
        return session

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: object,
        error: object = None,
        exception: object = None,
        extra_context: dict[str, object] | None = None,
    ) -> NoReturn:
        """Say why in our words; allauth has pages of its own for it."""
        if exception is not None:
            raise RefusedError(Refusal.UNREACHABLE)
        # allauth hands on the state where it found one: then it was the provider that sent no code.
        raise RefusedError(Refusal.CANCELLED if "state" in (extra_context or {}) else Refusal.STALE)


class Client(OAuth2Client):  # type: ignore[misc]
    """Sends the nonce along."""

    def get_redirect_url(self, authorization_url: str, scope: list[str], extra_params: dict[str, str]) -> str:
        """Return the provider's address with everything it wants to know."""
        more = {**extra_params, "nonce": nonce_of(self.state)}
        return str(super().get_redirect_url(authorization_url, scope, more))


class SignOn(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """The provider's endpoints, and the proof of what they send."""

    client_class = Client
    identity: Identity | None = None
    state: dict[str, Any] = {}  # noqa: RUF012 - set for each return, never changed

    def get_provider(self) -> Provider:
        """Return the one provider."""
        return Provider(self.request, _app())

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """Return where the provider sends people back to: below PUBLIC_URL, else as they came."""
        path = reverse("sign_on_return")
        return settings.PUBLIC_URL + path if settings.PUBLIC_URL else request.build_absolute_uri(path)

    @cached_property
    def openid_config(self) -> dict[str, Any]:
        """Return the provider's description of itself."""
        return checked_description(_fetched(settings.OIDC_ISSUER.rstrip("/") + DESCRIPTION), settings.OIDC_ISSUER)

    def get_access_token_data(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return the answer to the code; one that is no token is a fault of the provider."""
        try:
            answer: dict[str, Any] = super().get_access_token_data(*args, **kwargs)
        except (KeyError, ValueError, TypeError, RecursionError) as fault:  # allauth reads the answer as it comes
            raise OAuth2Error("no token") from fault
        if not isinstance(answer, dict):
            raise OAuth2Error("no token")
        return answer

    def parse_token(self, data: dict[str, Any]) -> SocialToken:
        """Return the access token; it is used once, now, and never kept."""
        return SocialToken(token=str(data["access_token"]))

    def complete_login(self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any) -> NoReturn:
        """Verify who it is. What follows in allauth is about its accounts, so it ends here."""
        claims = verified(
            kwargs["response"].get("id_token"),
            _fetched(self.openid_config["jwks_uri"]),
            issuer=settings.OIDC_ISSUER,
            client_id=settings.OIDC_CLIENT_ID,
            nonce=nonce_of(request.GET["state"]),
        )
        self.identity = read(settings.OIDC_ISSUER, claims, self._userinfo(token.token), settings.OIDC_GROUPS_CLAIM)
        raise ImmediateHttpResponse(HttpResponse(status=204))

    def _userinfo(self, access_token: str) -> dict[str, Any]:
        """Return what the provider tells of the person; nothing where it has no such endpoint."""
        if "userinfo_endpoint" not in self.openid_config:
            return {}
        told = _fetched(self.openid_config["userinfo_endpoint"], {"Authorization": f"Bearer {access_token}"})
        if not isinstance(told, dict) or not told:
            raise RefusedError(Refusal.UNREACHABLE)
        return told


class Provider(OpenIDConnectProvider):  # type: ignore[misc]
    """allauth's provider, with our endpoints."""

    oauth2_adapter_class = SignOn


class Return(OAuth2CallbackView):  # type: ignore[misc]
    """allauth's return from the provider, with the state handed on: it knows where the person wanted to go."""

    def _get_state(self, request: HttpRequest, provider: Provider) -> tuple[dict[str, Any] | None, HttpResponse | None]:
        state, refused = super()._get_state(request, provider)
        self.adapter.state = state or {}
        return state, refused


def _fetched(address: str, headers: dict[str, str] | None = None) -> object:
    """Return the JSON at one of the provider's addresses. Raises RequestException, RefusedError."""
    with get_adapter().get_requests_session() as session:
        answer = session.get(address, headers=headers)
        answer.raise_for_status()
        try:
            return answer.json()
        except RecursionError as fault:
            raise RefusedError(Refusal.UNREACHABLE) from fault
