"""A small issuer of tokens: a real server on a free port, with real keys, that tests command."""

from __future__ import annotations

import base64
import json
import secrets
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote_plus

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

REALM = "/realms/test"
CLIENT, CLIENT_SECRET = "sqe", "sqe-secret"
PUBLIC = ("sqe-cli", "")  # a client without a secret
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


@dataclass
class SigningKey:
    id: str
    algorithm: str
    private: Any

    def public(self) -> dict[str, Any]:
        kinds: dict[str, Any] = {"R": RSAAlgorithm, "P": RSAAlgorithm, "E": ECAlgorithm}
        kind = OKPAlgorithm if self.algorithm == "EdDSA" else kinds[self.algorithm[0]]
        found: dict[str, Any] = kind.to_jwk(self.private.public_key(), as_dict=True)
        return {**found, "kid": self.id, "use": "sig"}


def new_key(algorithm: str = "RS256") -> SigningKey:
    private: Any
    if algorithm == "EdDSA":
        private = ed25519.Ed25519PrivateKey.generate()
    elif algorithm.startswith("ES"):
        curves: dict[str, Any] = {
            "ES256": ec.SECP256R1,
            "ES384": ec.SECP384R1,
            "ES512": ec.SECP521R1,
        }
        private = ec.generate_private_key(curves[algorithm]())
    else:
        private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return SigningKey(secrets.token_hex(4), algorithm, private)


@dataclass
class User:
    password: str
    groups: list[str] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    enabled: bool = True


@dataclass
class LocalIssuer:
    """``life_s`` is of access tokens. ``calls`` counts requests by the last part of the path."""

    keys: list[SigningKey] = field(default_factory=lambda: [new_key()])
    life_s: float = 300.0
    users: dict[str, User] = field(default_factory=dict)
    programs: dict[str, str] = field(default_factory=dict)
    said: dict[str, Any] = field(default_factory=dict)  # changes of what it says of itself
    calls: Counter[str] = field(default_factory=Counter)
    fails: int = 0  # status of every answer, if not 0
    opaque: bool = False
    revoked: list[str] = field(default_factory=list)
    port: int = 0
    _logins: dict[str, tuple[str, str]] = field(default_factory=dict)  # refresh -> user, sid
    _active: dict[str, dict[str, Any]] = field(default_factory=dict)
    _server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{REALM}"

    @property
    def listening(self) -> bool:
        return self._server is not None

    def start(self) -> None:
        """Again on the same port, after ``stop``."""
        issuer = self

        class Handler(_Handler):
            owner = issuer

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def rotate(self, algorithm: str = "RS256") -> None:
        """The old key is not good any more."""
        self.keys = [new_key(algorithm)]

    def claims(self, user: str, **changes: Any) -> dict[str, Any]:
        """A change of None leaves the claim out."""
        now = time.time()
        known = self.users.get(user, User(""))
        claims: dict[str, Any] = {
            "iss": self.url,
            "sub": f"id-of-{user}",
            "aud": CLIENT,
            "azp": CLIENT,
            "sid": "monday",
            "typ": "Bearer",
            "exp": now + self.life_s,
            "iat": now,
            "jti": secrets.token_hex(8),
            "preferred_username": user,
            "groups": known.groups,
            "roles": known.roles,
        }
        return {k: v for k, v in {**claims, **changes}.items() if v is not None}

    def token(self, user: str, header: Mapping[str, Any] | None = None, **changes: Any) -> str:
        return self.signed(self.claims(user, **changes), header)

    def signed(self, claims: Mapping[str, Any], header: Mapping[str, Any] | None = None) -> str:
        key = self.keys[0]
        headers = {k: v for k, v in {"kid": key.id, **(header or {})}.items() if v is not None}
        return jwt.encode(dict(claims), key.private, key.algorithm, headers)

    def opaque_token(self, user: str, **changes: Any) -> str:
        token = "opaque-" + secrets.token_urlsafe(16)
        self._active[token] = self.claims(user, **changes)
        return token

    def log_out(self, user: str) -> None:
        self._logins = {k: v for k, v in self._logins.items() if v[0] != user}
        self._active = {k: v for k, v in self._active.items() if v["preferred_username"] != user}

    def logins(self) -> int:
        return len(self._logins)

    def asked(self, path: str, form: dict[str, str], client: tuple[str, str]) -> tuple[int, Any]:
        """The answer to a request: status and document."""
        self.calls[path] += 1
        if self.fails:
            return self.fails, {"error": "temporarily_unavailable"}
        if path == "openid-configuration":
            return 200, self._about()
        if path == "jwks":
            return 200, {"keys": [key.public() for key in self.keys]}
        if path == "token":
            return self._granted(form, client)
        if client != (CLIENT, CLIENT_SECRET):
            return 401, {"error": "invalid_client"}
        if path == "introspect":
            return 200, self._introspected(form["token"])
        if path == "revoke":
            self.revoked.append(form["token"])
            self._logins.pop(form["token"], None)
            return 200, {}
        return 404, {}

    def _about(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "jwks_uri": f"{self.url}/jwks",
            "token_endpoint": f"{self.url}/token",
            "introspection_endpoint": f"{self.url}/introspect",
            "revocation_endpoint": f"{self.url}/revoke",
            **self.said,
        }

    def _granted(self, form: dict[str, str], client: tuple[str, str]) -> tuple[int, Any]:
        grant = form["grant_type"]
        if grant == "client_credentials":
            if self.programs.get(client[0]) != client[1]:
                return 401, {"error": "invalid_client"}
            return self._tokens(f"service-{client[0]}", "")
        if client not in ((CLIENT, CLIENT_SECRET), PUBLIC):
            return 401, {"error": "invalid_client"}
        if grant == "password":
            user = self.users.get(form["username"])
            if user is None or not user.enabled or user.password != form["password"]:
                return 401, {"error": "invalid_grant", "error_description": form["password"]}
            return self._tokens(form["username"], secrets.token_hex(8))
        if grant == "refresh_token":
            name, sid = self._logins.pop(form["refresh_token"], ("", ""))
            if name not in self.users or not self.users[name].enabled:
                return 400, {"error": "invalid_grant"}
            return self._tokens(name, sid)
        if grant == EXCHANGE:
            return self._exchanged(form)
        return 400, {"error": "unsupported_grant_type"}

    def _tokens(self, user: str, sid: str) -> tuple[int, Any]:
        """Without a ``sid`` it is no login that could be renewed."""
        make = self.opaque_token if self.opaque else self.token
        access = make(user, sid=sid or None)
        answer: dict[str, Any] = {
            "access_token": access,
            "token_type": "Bearer",
            "expires_in": self.life_s,
        }
        if sid:
            answer["refresh_token"] = secrets.token_urlsafe(16)
            self._logins[answer["refresh_token"]] = (user, sid)
        return 200, answer

    def _exchanged(self, form: dict[str, str]) -> tuple[int, Any]:
        if form["audience"] != "polaris":
            return 400, {"error": "invalid_target"}
        key = self.keys[0]
        try:
            claims = jwt.decode(
                form["subject_token"], key.private.public_key(), [key.algorithm], audience=CLIENT
            )
        except jwt.PyJWTError:
            return 400, {"error": "invalid_request"}
        token = self.signed({**claims, "aud": "polaris"})
        return 200, {"access_token": token, "token_type": "Bearer", "expires_in": self.life_s}

    def _introspected(self, token: str) -> dict[str, Any]:
        claims = self._active.get(token)
        if claims is None and token.count(".") == 2:
            claims = jwt.decode(token, options={"verify_signature": False})
            user = self.users.get(claims["preferred_username"])
            claims = claims if user is not None and user.enabled else None
        if claims is None or claims["exp"] < time.time():
            return {"active": False}
        return {"active": True, **claims}


class _Handler(BaseHTTPRequestHandler):
    owner: LocalIssuer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        self._answer(dict(parse_qsl(body)))

    def _answer(self, form: dict[str, str]) -> None:
        if not self.owner.listening:  # connections from before are cut, too
            self.close_connection = True
            return
        path = self.path.rpartition("/")[2]
        status, document = self.owner.asked(path, form, self._client(form))
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _client(self, form: dict[str, str]) -> tuple[str, str]:
        header = self.headers.get("authorization", "")
        if not header.startswith("Basic "):
            return form.get("client_id", ""), form.get("client_secret", "")
        user, _, password = base64.b64decode(header[6:]).decode().partition(":")
        return unquote_plus(user), unquote_plus(password)

    def log_message(self, format: str, *args: Any) -> None:
        return None


@contextmanager
def issuing(**options: Any) -> Iterator[LocalIssuer]:
    issuer = LocalIssuer(
        users={
            "alice": User("alice-pw", ["analysts"], ["analyst"]),
            "bob": User("bob-pw", ["engineers"], ["engineer"]),
        },
        **options,
    )
    issuer.start()
    try:
        yield issuer
    finally:
        issuer.stop()
