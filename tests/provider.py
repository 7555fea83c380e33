"""A real local provider of log-ins (OpenID Connect), which can be told to lie."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.serving import serving

CLIENT_ID, CLIENT_SECRET = "rag-triage", "the-clients-own-secret-0123456789"
KID = "key-1"
SUBJECT, EMAIL = "subject-0001", "mira@example.org"


def new_key() -> rsa.RSAPrivateKey:
    """Return a key to sign with."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Provider(ThreadingHTTPServer):
    """Knows one person. `token` and `userinfo` change what it says of them; `answers` replaces a whole answer."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        """Listen on this port of the loopback."""
        self.key = self.signing_key = new_key()
        self.forget()
        super().__init__(("127.0.0.1", port), _Handler)

    def forget(self) -> None:
        """Tell the truth again."""
        self.signing_key = self.key
        self.codes: dict[str, dict[str, str]] = {}
        self.token: dict[str, Any] = {}
        self.userinfo: dict[str, Any] = {}
        self.answers: dict[str, tuple[int, str, bytes]] = {}
        self.sign: Callable[[dict[str, Any]], Any] = self._sign
        self.asked: list[tuple[str, dict[str, str], dict[str, str]]] = []

    @property
    def issuer(self) -> str:
        """Return what it calls itself."""
        return f"http://127.0.0.1:{self.server_port}"

    def consent(self, location: str) -> dict[str, str]:
        """Log the person in who was sent here, and return what their browser takes back."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def _sign(self, claims: dict[str, Any]) -> str:
        return jwt.encode(claims, self.signing_key, algorithm="RS256", headers={"kid": KID})

    def id_token(self, asked: dict[str, str]) -> Any:
        """Return the signed claims."""
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": SUBJECT,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": asked.get("nonce"),
        }
        return self.sign({name: value for name, value in (claims | self.token).items() if value is not None})

    def describe(self) -> dict[str, object]:
        """Return its description of itself."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }

    def keys(self) -> dict[str, object]:
        """Return its public keys."""
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [public | {"kid": KID, "use": "sig", "alg": "RS256"}]}

    def person(self) -> dict[str, Any]:
        """Return what it tells of the person."""
        told = {"sub": SUBJECT, "email": EMAIL, "email_verified": True, "preferred_username": "mira.m"}
        return {name: value for name, value in (told | self.userinfo).items() if value is not None}


class _Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        """Answer what may be read."""
        made: dict[str, Callable[[], dict[str, object]]] = {
            "/.well-known/openid-configuration": self.server.describe,
            "/keys": self.server.keys,
            "/userinfo": self.server.person,
        }
        self._answer(made[self.path](), {})

    def do_POST(self) -> None:
        """Give a token for a code, once, to the client that can show the verifier."""
        body = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        sent = {name: values[0] for name, values in body.items()}
        asked = self.server.codes.pop(sent["code"])
        digest = hashlib.sha256(sent["code_verifier"].encode()).digest()
        assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == asked["code_challenge"]
        assert (sent["client_id"], sent["client_secret"]) == (CLIENT_ID, CLIENT_SECRET)
        told = {"access_token": "the-access-token", "token_type": "Bearer", "id_token": self.server.id_token(asked)}
        self._answer(told, sent)

    def _answer(self, told: dict[str, object], sent: dict[str, str]) -> None:
        self.server.asked.append((self.path, dict(self.headers.items()), sent))
        plain = (200, "application/json", json.dumps(told).encode())
        status, kind, body = self.server.answers.get(self.path, plain)
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", body.decode())
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Keep quiet."""


def providing(port: int) -> AbstractContextManager[Provider]:
    """Run a provider for the time of the tests."""
    return serving(Provider(port))
