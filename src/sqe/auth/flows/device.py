"""A login on another device: RFC 8628."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqe.auth.flows.pkce import challenge
from sqe.auth.oidc.discovery import issuer_error
from sqe.auth.oidc.provider import Granted, GrantRefused, Provider
from sqe.errors import AccessError, ErrorCode, UpstreamError
from sqe.model.identity import Secret

_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_LONGEST_S = 1_800.0
_SLOWER_S = 5.0  # RFC 8628, 3.5


@dataclass(frozen=True, slots=True)
class Pending:
    """A login on its way: the person opens ``uri`` and types ``user_code`` there."""

    uri: str
    complete_uri: str  # has the code in it; empty: the issuer gives none
    user_code: str
    code: Secret
    verifier: Secret
    interval_s: float
    until: float


class DeviceFlow:
    def __init__(
        self,
        provider: Provider,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._provider = provider
        self._clock = clock
        self._sleep = sleep

    def begin(self) -> Pending:
        # Not in the RFC, but issuers that ask for PKCE ask for it here, too; others ignore it.
        verifier = Secret(secrets.token_urlsafe(48))
        answer = self._provider.begin_device(challenge(verifier.reveal()))
        code, user_code, uri = (
            _text(answer, name) for name in ("device_code", "user_code", "verification_uri")
        )
        if not (code and user_code and uri):
            raise issuer_error(self._provider.issuer, "answered without a code for another device")
        return Pending(
            uri=uri,
            complete_uri=_text(answer, "verification_uri_complete"),
            user_code=user_code,
            code=Secret(code),
            verifier=verifier,
            interval_s=_seconds(answer, "interval", 5.0),
            until=self._clock() + min(_seconds(answer, "expires_in", _LONGEST_S), _LONGEST_S),
        )

    def wait(self, pending: Pending) -> Granted:
        """Returns when the person has logged in. AUTHENTICATION_FAILED if they say no, or do not
        come; while the issuer does not answer, it is asked again."""
        interval = pending.interval_s
        while self._clock() < pending.until:
            self._sleep(interval)
            try:
                return self._provider.grant(
                    {
                        "grant_type": _GRANT,
                        "device_code": pending.code.reveal(),
                        "code_verifier": pending.verifier.reveal(),
                    }
                )
            except GrantRefused as refused:
                if refused.reason == "slow_down":
                    interval += _SLOWER_S
                elif refused.reason != "authorization_pending":
                    raise _login_error(refused.reason) from None
            except UpstreamError:
                interval += _SLOWER_S
        raise _login_error("expired_token")


def _login_error(reason: str) -> AccessError:
    why = {
        "access_denied": "The login was refused on the other device.",
        "expired_token": "Nobody logged in with the code in time.",
    }
    message = why.get(reason, "The identity provider did not accept the login.")
    return AccessError(ErrorCode.AUTHENTICATION_FAILED, message, hint="Log in again.")


def _text(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name)
    return value if isinstance(value, str) and value.isprintable() else ""


def _seconds(said: Mapping[str, Any], name: str, otherwise: float) -> float:
    value = said.get(name)
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e6
    return float(value) if known else otherwise  # type: ignore[arg-type]
