"""What an issuer says of itself: ``/.well-known/openid-configuration``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqe.errors import ErrorCode, UpstreamError
from sqe.http.client import Answer
from sqe.settings.addresses import service_url

PATH = "/.well-known/openid-configuration"


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Its addresses; empty: it has none for that."""

    issuer: str
    jwks: str
    token: str = ""
    introspection: str = ""
    revocation: str = ""
    authorization: str = ""
    device: str = ""
    end_session: str = ""


_FIELDS = {
    "jwks": "jwks_uri",
    "token": "token_endpoint",
    "introspection": "introspection_endpoint",
    "revocation": "revocation_endpoint",
    "authorization": "authorization_endpoint",
    "device": "device_authorization_endpoint",
    "end_session": "end_session_endpoint",
}


def endpoints_in(answer: Answer, issuer: str) -> Endpoints:
    """Whoever answers must be the issuer itself: keys of another would make their tokens good."""
    document = json_object(answer, issuer)
    if document.get("issuer") != issuer:
        raise issuer_error(issuer, "says that it is another issuer than configured")
    endpoints = {}
    for name, key in _FIELDS.items():
        value = document.get(key, "")
        if not isinstance(value, str) or (value and not _safe(value)):
            raise issuer_error(issuer, f"has a {key} that tokens must not be sent to")
        endpoints[name] = value
    if not endpoints["jwks"]:
        raise issuer_error(issuer, "does not say where its keys are")
    return Endpoints(issuer=issuer, **endpoints)


def json_object(answer: Answer, issuer: str) -> Mapping[str, Any]:
    """The object in a good answer; ISSUER_UNAVAILABLE for anything else."""
    if answer.status != 200:
        raise issuer_error(issuer, f"answered with status {answer.status}")
    try:
        document = answer.json()
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise issuer_error(issuer, "answered with something that is no JSON object")
    return document


def issuer_error(issuer: str, why: str) -> UpstreamError:
    return UpstreamError(
        ErrorCode.ISSUER_UNAVAILABLE,
        f"The identity provider {issuer} {why}.",
        hint="Try again; if it stays so, tell the administrator.",
    )


def _safe(address: str) -> bool:
    try:
        service_url(address.partition("?")[0])
    except ValueError:
        return False
    return True
