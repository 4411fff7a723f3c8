"""What every request must show and every answer carries, whatever it is for."""

from __future__ import annotations

import secrets
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

COOKIE = "__Host-sqe-console"
STATE_COOKIE = "__Host-sqe-login"
_MARK = "x-sqe-console"  # no page of another origin can send it without being asked first
_CHANGES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types default"
)
_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


def refusal_of(request: Request, hosts: frozenset[str]) -> str:
    """Why a request is not even looked at; empty if it is.

    A name that resolves to this machine (DNS rebinding) is not one of our hosts. A page of another
    origin cannot set our header, and its Origin is another one.
    """
    host = request.headers.get("host", "")
    if not _is_our_host(host, hosts):
        return "The console is not at this address."
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != host:
        return "The request comes from another page."
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return "" if request.url.path in ("/", "/login/callback") else "Open the console itself."
    if request.method in _CHANGES and request.headers.get(_MARK) != "1":
        return "The request does not come from the console."
    return ""


def protect(response: Response, nonce: str = "") -> Response:
    response.headers.update(_HEADERS)
    response.headers["content-security-policy"] = _POLICY.format(nonce=nonce or make_nonce())
    response.headers.setdefault("cache-control", "no-store")
    return response


def make_nonce() -> str:
    return secrets.token_urlsafe(16)


def set_cookie(response: Response, name: str, value: str, *, lax: bool = False) -> None:
    """``lax``: it must come along when the issuer sends the browser back."""
    response.set_cookie(
        name, value, path="/", secure=True, httponly=True, samesite="lax" if lax else "strict"
    )


def drop_cookie(response: Response, name: str) -> None:
    response.delete_cookie(name, path="/", secure=True, httponly=True)


def _is_our_host(host: str, hosts: frozenset[str]) -> bool:
    name = urlsplit(f"//{host}").hostname or ""
    if name in hosts or name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
