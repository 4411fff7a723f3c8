"""Forged, changed and misused tokens of a real Keycloak, shown to a real server.

Whatever it is, the user of a driver sees ``[AUTHENTICATION_FAILED] The credential was not
accepted.``, and Trino's clients status 401 with the same text.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from dev.stack.keycloak import password_grant
from dev.stack.people import SHORT, SHORT_S, SQE
from dev.stack.places import Places
from tests.stack.issuer_admin import form_of
from tests.stack.logging_in import (
    IN_THE_CLEAR,
    NO,
    AnotherSqe,
    at_keycloak,
    connected,
    refused,
    refused_by_trino,
    who,
)
from tests.stack.serving import Serving

FORGER = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def sqe_server(another_sqe: AnotherSqe, stack: Places) -> Iterator[Serving]:
    oidc = {"keycloak": at_keycloak(stack.issuer, skew_s=0)}
    with another_sqe(auth={"oidc": oidc}, trino=IN_THE_CLEAR) as found:
        yield found


def refuses(serving: Serving, token: str) -> None:
    error = refused(serving, token=token)
    assert (error.code, error.message) == ("AUTHENTICATION_FAILED", NO)
    assert refused_by_trino(serving, f"Bearer {token}", "alice") == (401, NO)


def parts(token: str) -> tuple[dict[str, Any], dict[str, Any], str]:
    header, claims, signature = token.split(".")
    return decoded(header), decoded(claims), signature


def decoded(part: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return found


def encoded(value: object) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def by_hmac(header: Mapping[str, Any], claims: Mapping[str, Any], key: bytes) -> str:
    signed = f"{encoded(header)}.{encoded(claims)}"
    return f"{signed}.{encoded(hmac.new(key, signed.encode(), hashlib.sha256).digest())}"


def test_made_from_a_good_token(
    sqe_server: Serving, token: Callable[..., str], stack: Places
) -> None:
    """The good one gets in; what is made of it does not."""
    good = token("alice")
    with connected(sqe_server, token=good) as connection:
        assert who(sqe_server, connection) == "alice"
    header, claims, signature = parts(good)
    carol = {**claims, "preferred_username": "carol", "roles": ["admin"]}
    none = {**header, "alg": "none"}
    public = public_key(stack, header["kid"])
    forged = {
        "another user": f"{encoded(header)}.{encoded(carol)}.{signature}",
        "alg none": f"{encoded(none)}.{encoded(carol)}.",
        "alg none, signed": f"{encoded(none)}.{encoded(claims)}.{signature}",
        "HS256 by the public key": by_hmac({**header, "alg": "HS256"}, carol, public),
        "a key of one's own": jwt.encode(carol, FORGER, "RS256", {"kid": header["kid"]}),
        "a key that comes along": jwt.encode(carol, FORGER, "RS256", {"jwk": own_jwk()}),
        "an unknown kid": jwt.encode(carol, FORGER, "RS256", {"kid": "../../dev/null"}),
        "an empty key by its kid": by_hmac({"alg": "HS256", "kid": "/dev/null"}, carol, b""),
        "nested": f"{encoded({**header, 'cty': 'JWT'})}.{encoded({'jwt': good})}.{signature}",
        "encrypted": f"{good}.{signature}.{signature}",
        "another signature": good[:-8] + ("A" * 8),
    }
    for how, made in forged.items():
        assert made != good, how
        refuses(sqe_server, made)


def test_huge(sqe_server: Serving, token: Callable[..., str]) -> None:
    """Over Flight, gRPC itself takes no header of more than 16 kB."""
    header, claims, signature = parts(token("alice"))
    for size in (9_000, 90_000):
        huge = f"{encoded(header)}.{encoded({**claims, 'x': 'y' * size})}.{signature}"
        assert refused_by_trino(sqe_server, f"Bearer {huge}", "alice") == (401, NO)
    error = refused(sqe_server, token=huge)
    assert "received metadata size exceeds hard limit" in error.message


def test_of_another_realm(sqe_server: Serving, stack: Places) -> None:
    """A good token of an issuer that is not configured here, for a client of the same name."""
    theirs = password_grant(stack.partner_issuer, form_of("alice", "partner-alice-pw", SQE))
    refuses(sqe_server, theirs)


def test_for_another_audience(another_sqe: AnotherSqe, stack: Places) -> None:
    oidc = {"keycloak": at_keycloak(stack.issuer, audience=["payroll"])}
    token = password_grant(stack.issuer, form_of("alice", "alice-pw", SQE))
    with another_sqe(auth={"oidc": oidc}, trino=IN_THE_CLEAR) as found:
        refuses(found, token)


def test_tokens_that_are_for_something_else(sqe_server: Serving, stack: Places) -> None:
    """The ID token and the refresh token of the same login."""
    answer = granted(stack, {"grant_type": "password", **form_of("alice", "alice-pw", SQE)})
    refuses(sqe_server, answer["id_token"])
    refuses(sqe_server, answer["refresh_token"])


def test_expired(sqe_server: Serving, token: Callable[..., str]) -> None:
    short = token("alice", SHORT)
    with connected(sqe_server, token=short) as connection:
        assert who(sqe_server, connection) == "alice"
    time.sleep(max(0.0, parts(short)[1]["exp"] - time.time()) + 0.5)
    assert parts(short)[1]["exp"] - parts(short)[1]["iat"] == SHORT_S
    refuses(sqe_server, short)


def public_key(stack: Places, kid: str) -> bytes:
    """As Keycloak publishes it, in PEM, as the attack has it."""
    with urllib.request.urlopen(f"{stack.issuer}/protocol/openid-connect/certs") as answer:
        keys = json.load(answer)["keys"]
    found: Any = jwt.PyJWK(next(key for key in keys if key["kid"] == kid)).key
    raw: bytes = found.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return raw


def own_jwk() -> dict[str, Any]:
    found: dict[str, Any] = jwt.algorithms.RSAAlgorithm.to_jwk(FORGER.public_key(), as_dict=True)
    return found


def granted(stack: Places, form: dict[str, str]) -> dict[str, Any]:
    data = urllib.parse.urlencode(form).encode()
    with urllib.request.urlopen(f"{stack.issuer}/protocol/openid-connect/token", data) as answer:
        found: dict[str, Any] = json.load(answer)
    return found
