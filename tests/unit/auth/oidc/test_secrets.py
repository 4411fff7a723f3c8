"""Whatever goes wrong on the way to an issuer, no secret is in a log, an error or a ``repr``."""

from __future__ import annotations

import logging
from contextlib import suppress

import pytest

from sqe.audit.logs import JsonFormatter
from sqe.auth.protocol import Bearer, Credential, Password
from sqe.errors import SqeError
from sqe.model.identity import Identity, Secret
from tests.unit.auth.oidc.asking import Asked, asking
from tests.unit.auth.oidc.issuer import CLIENT_SECRET, LocalIssuer


def shown_of(sqe: Asked, credential: Credential) -> tuple[list[str], Identity | None]:
    """Everything that anyone sees of it."""
    try:
        found = sqe.chain.identify(credential)
    except SqeError as error:
        causes = [error, error.__cause__, None if error.__suppress_context__ else error.__context__]
        return [str(error), repr(error), *map(repr, causes)], None
    return [repr(found), repr(found.passport), repr(credential)], found


def test_no_secret_shows(issuer: LocalIssuer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)  # of everybody, urllib3 too
    tokens = [issuer.token("alice"), issuer.token("alice", aud="x"), issuer.opaque_token("bob")]
    credentials: list[Credential] = [Bearer(Secret(token)) for token in tokens]
    credentials += [Password("alice", Secret(text)) for text in ("alice-pw", "marked-wrong-pw")]
    options = {"password_grant": True, "introspect": "opaque", "timeout_s": 1}
    seen: list[str] = []
    with asking(issuer, **options) as sqe:
        for fails in (0, 500, 403, 0):
            issuer.fails = fails
            sqe.later += 61
            for credential in credentials:
                texts, identity = shown_of(sqe, credential)
                seen += texts
                if identity is not None and identity.passport is not None:
                    tokens.append(identity.passport.token().reveal())
                    with suppress(SqeError):
                        tokens.append(identity.passport.token("polaris").reveal())
                        identity.passport.token("payroll")
        seen += [repr(sqe.oidc.issuers), repr(vars(sqe.oidc))]
        issuer.stop()
        seen += [text for one in credentials for text in shown_of(sqe, one)[0]]
    formatter = JsonFormatter()
    seen += [formatter.format(record) + repr(record.__dict__) for record in caplog.records]
    secrets = {*tokens, "alice-pw", "marked-wrong-pw", CLIENT_SECRET, *issuer.revoked}
    assert len(secrets) > 6 and len(caplog.records) > 10
    assert [text for text in seen for secret in secrets if secret in text] == []
