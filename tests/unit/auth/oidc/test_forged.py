"""Tokens that somebody made, changed or stole from elsewhere. The user sees one and the same no:
AUTHENTICATION_FAILED, ``The credential was not accepted.``"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jwt.algorithms import RSAAlgorithm

from sqe.auth.header import credential_in
from sqe.errors import AccessError
from tests.unit.auth.oidc.asking import asking
from tests.unit.auth.oidc.issuer import LocalIssuer, SigningKey, issuing, new_key


def encoded(value: Any) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def by_hmac(header: Mapping[str, Any], claims: Mapping[str, Any], key: bytes) -> str:
    signed = f"{encoded(header)}.{encoded(claims)}"
    return f"{signed}.{encoded(hmac.new(key, signed.encode(), hashlib.sha256).digest())}"


def test_a_good_token_gets_in_so_that_the_rest_means_something(issuer: LocalIssuer) -> None:
    with asking(issuer) as sqe:
        assert sqe.bearer(issuer.token("alice")).user == "alice"


@pytest.mark.parametrize("name", ["none", "None", "NONE", "nOnE", "", "HS256", None, ["RS256"]])
def test_no_signature(name: object, issuer: LocalIssuer) -> None:
    header = {"alg": name, "typ": "JWT", "kid": issuer.keys[0].id}
    signed = f"{encoded(header)}.{encoded(issuer.claims('alice'))}"
    with asking(issuer) as sqe:
        sqe.refuses(f"{signed}.")
        sqe.refuses(f"{signed}.{encoded(b'x')}")
        sqe.refuses(signed)


def test_a_shared_key_that_is_the_public_key(issuer: LocalIssuer) -> None:
    public = issuer.keys[0].private.public_key()
    header = {"alg": "HS256", "typ": "JWT", "kid": issuer.keys[0].id}
    spellings = [
        public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
        public.public_bytes(Encoding.PEM, PublicFormat.PKCS1),
        json.dumps(issuer.keys[0].public()).encode(),
    ]
    with asking(issuer) as sqe:
        for key in spellings:
            sqe.refuses(by_hmac(header, issuer.claims("alice"), key))


def test_another_key(issuer: LocalIssuer) -> None:
    forger = LocalIssuer(keys=[new_key()], port=issuer.port)
    forger.keys[0].id = issuer.keys[0].id
    with asking(issuer) as sqe:
        sqe.refuses(forger.token("alice"))


@pytest.mark.parametrize(
    "kid",
    [
        "../../../../dev/null",
        "/dev/null",
        "' OR '1'='1",
        "x' UNION SELECT 'key",
        "key\0",
        "|/bin/sh -c id",
        "http://evil.example.com/key.pem",
        "",
    ],
)
def test_a_key_id_that_is_meant_to_do_something(kid: str, issuer: LocalIssuer) -> None:
    """`/dev/null` is an empty key to who reads a file by its name."""
    header = {"alg": "HS256", "typ": "JWT", "kid": kid}
    with asking(issuer) as sqe:
        sqe.refuses(by_hmac(header, issuer.claims("alice"), b""))
        sqe.refuses(issuer.token("alice", {"kid": kid}))


def test_keys_that_the_token_brings_itself(issuer: LocalIssuer) -> None:
    """The header names the forger's own key; nobody goes there."""
    with issuing() as trap, asking(issuer) as sqe:
        forger = LocalIssuer(keys=trap.keys, port=issuer.port)
        own = forger.keys[0].public()
        headers: list[dict[str, Any]] = [
            {"jwk": own},
            {"jku": f"{trap.url}/jwks"},
            {"x5u": f"{trap.url}/jwks"},
            {"x5c": [own["n"]]},
            {"jwk": own, "kid": None},
        ]
        for header in headers:
            sqe.refuses(forger.token("alice", header))
        assert not trap.calls


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://login.example.com"},
        {"iss": ["https://login.example.com"]},
        {"iss": None},
        {"aud": "another"},
        {"aud": ["another", "third"]},
        {"aud": []},
        {"aud": None},
        {"aud": {"sqe": 1}},
        {"aud": "SQE"},
        {"exp": time.time() - 1},
        {"exp": None},
        {"exp": "2099-01-01"},
        {"exp": True},
        {"exp": 10**400},
        {"nbf": time.time() + 3600},
        {"nbf": "now"},
        {"iat": time.time() + 3600},
        {"typ": "ID"},
        {"typ": "Refresh"},
        {"typ": 1},
    ],
)
def test_what_the_issuer_has_signed_for_something_else(
    claims: dict[str, Any], issuer: LocalIssuer
) -> None:
    with asking(issuer) as sqe:
        header = {"alg": "RS256", "kid": issuer.keys[0].id}
        said = {**issuer.claims("alice"), **claims}
        kept = {name: value for name, value in said.items() if value is not None}
        sqe.refuses(resigned(header, kept, issuer.keys[0]))


@pytest.mark.parametrize("change", ["/", "?a=b", "/../test", " "])
def test_an_issuer_that_is_almost_the_one(change: str, issuer: LocalIssuer) -> None:
    with asking(issuer) as sqe:
        sqe.refuses(issuer.token("alice", iss=issuer.url + change))


@pytest.mark.parametrize(
    "header",
    [
        {"typ": "logout+jwt"},
        {"typ": "secevent+jwt"},
        {"typ": 5},
        {"crit": ["exp"], "exp": 1},
        {"cty": "JWT"},
        {"b64": False, "crit": ["b64"]},
        {"alg": "RS512"},
    ],
)
def test_headers_that_want_something_else(header: dict[str, Any], issuer: LocalIssuer) -> None:
    token = issuer.token("alice")
    changed = {**json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "==")), **header}
    with asking(issuer) as sqe:
        sqe.refuses(resigned(changed, issuer.claims("alice"), issuer.keys[0]))


def resigned(header: Mapping[str, Any], claims: object, key: SigningKey) -> str:
    """Signed by the issuer's own key (RS256), whatever the header and the claims say."""
    signed = f"{encoded(header)}.{encoded(claims)}"
    signature = RSAAlgorithm(RSAAlgorithm.SHA256).sign(signed.encode(), key.private)
    return f"{signed}.{encoded(signature)}"


def test_the_helper_signs_tokens_that_are_good(issuer: LocalIssuer) -> None:
    header = {"alg": "RS256", "kid": issuer.keys[0].id}
    with asking(issuer) as sqe:
        token = resigned(header, issuer.claims("alice"), issuer.keys[0])
        assert sqe.bearer(token).user == "alice"


def test_a_token_within_a_token(issuer: LocalIssuer) -> None:
    header = {"alg": "RS256", "kid": issuer.keys[0].id, "cty": "JWT"}
    inner = issuer.token("alice")
    with asking(issuer) as sqe:
        sqe.refuses(resigned(header, {"jwt": inner, "iss": issuer.url}, issuer.keys[0]))
        sqe.refuses(f"{inner}.{inner}")
        sqe.refuses(f"{inner}.a.b")  # the shape of an encrypted one


def test_huge_tokens_are_not_looked_at(issuer: LocalIssuer) -> None:
    with asking(issuer) as sqe:
        sqe.refuses(issuer.token("alice", padding="x" * 20_000))
        sqe.refuses(issuer.token("alice", {"padding": "x" * 5_000}))
    with pytest.raises(AccessError):
        credential_in("Bearer " + "x" * 20_000)


def test_deep_tokens_do_no_harm(issuer: LocalIssuer) -> None:
    deep = b'{"a":' * 1_500 + b"1" + b"}" * 1_500
    header = {"alg": "RS256", "kid": issuer.keys[0].id}
    with asking(issuer) as sqe:
        sqe.refuses(f"{encoded(header)}.{encoded(b'[' * 9_000)}.{encoded(b'x')}")
        sqe.refuses(f"{encoded(header)}.{encoded(deep)}.{encoded(b'x')}")


def test_a_claim_that_is_there_twice(issuer: LocalIssuer) -> None:
    claims = json.dumps(issuer.claims("alice"))[:-1] + ', "preferred_username": "bob"}'
    header = {"alg": "RS256", "kid": issuer.keys[0].id}
    with asking(issuer) as sqe:
        sqe.refuses(resigned(header, claims.encode(), issuer.keys[0]))


def test_a_weak_key_of_an_issuer_is_left_out(issuer: LocalIssuer) -> None:
    weak = SigningKey("weak", "RS256", rsa.generate_private_key(65537, 1024))
    issuer.keys = [weak, *issuer.keys]
    with pytest.warns(Warning, match="1024"):  # PyJWT's own
        token = issuer.token("alice")
    with asking(issuer) as sqe:
        sqe.refuses(token)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(place=st.integers(0, 10_000), character=st.sampled_from("ABab01-_.=+/ \n"))
def test_a_good_token_with_one_character_changed(
    place: int, character: str, issuer: LocalIssuer
) -> None:
    token = issuer.token("alice")
    place %= len(token)
    if token[place] == character:
        return
    with asking(issuer) as sqe:
        sqe.refuses(token[:place] + character + token[place + 1 :])


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text(max_size=60) | st.from_regex(r"[\w-]*\.[\w-]*\.[\w-]*"))
def test_anything_else(text: str, issuer: LocalIssuer) -> None:
    with asking(issuer) as sqe:
        sqe.refuses(text)
