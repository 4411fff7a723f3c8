"""Asks the authenticators in order. Whatever goes wrong, the answer is the same: no. But that an
issuer cannot be reached is said: it tells nothing of a credential, and trying again may help."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Sequence
from dataclasses import replace

from sqe.auth.attempts import LoginAttempts, TooManyLogins
from sqe.auth.protocol import Authenticator, Credential, Password
from sqe.auth.refusal import credential_error
from sqe.errors import AccessError, ErrorCode, SqeError, UpstreamError
from sqe.model.access_event import UNRECORDED, AccessEvent, AccessKind, AccessRecorder
from sqe.model.identity import Identity
from sqe.model.query import EMBEDDED, QueryOrigin

_log = logging.getLogger(__name__)


class Authenticators:
    """The first that knows the credential answers. Empty: nobody gets in."""

    def __init__(
        self,
        authenticators: Sequence[Authenticator],
        recorder: AccessRecorder = UNRECORDED,
        attempts: LoginAttempts | None = None,
    ) -> None:
        self._recorder = recorder
        self._attempts = attempts
        self._authenticators = tuple(authenticators)

    def replace(self, authenticators: Sequence[Authenticator]) -> None:
        """From now on these are asked."""
        self._authenticators = tuple(authenticators)

    def limit(self, attempts: LoginAttempts | None) -> None:
        """Failed logins are counted anew."""
        self._attempts = attempts

    def identify(self, credential: Credential, origin: QueryOrigin = EMBEDDED) -> Identity:
        """Whose credential it is; AUTHENTICATION_FAILED, which never says what was wrong, or
        ISSUER_UNAVAILABLE, or TOO_MANY_LOGINS without having looked at it. ``origin``: where it was
        shown. AUDIT_UNAVAILABLE, whatever was shown: nobody guesses unrecorded."""
        self._recorder.check()
        answer, outcome = self._ask_if_allowed(credential, origin.address)
        method = type(credential).__name__.lower()
        if isinstance(answer, Identity):
            method = "api_key" if answer.key_id else method
            login = AccessEvent(AccessKind.LOGIN, time.time(), answer.user, origin, method)
            self._recorder.note_access(replace(login, key_id=answer.key_id))
            self._recorder.check()
            return answer
        claimed = credential.user if isinstance(credential, Password) else ""
        failure = AccessEvent(AccessKind.LOGIN_FAILED, time.time(), claimed, origin, method)
        self._recorder.note_access(replace(failure, reason=outcome))
        self._recorder.check()
        raise answer from None

    def note_impersonation(self, user: str, origin: QueryOrigin, *, allowed: bool) -> None:
        """The principal of ``origin`` acts as this user, or would have liked to."""
        kind = AccessKind.IMPERSONATION if allowed else AccessKind.IMPERSONATION_REFUSED
        self._recorder.note_access(AccessEvent(kind, time.time(), user, origin))

    def _ask_if_allowed(
        self, credential: Credential, address: str
    ) -> tuple[Identity | SqeError, str]:
        """Only passwords are counted: a token, a key or a certificate cannot be guessed."""
        attempts = self._attempts
        if attempts is None or not isinstance(credential, Password):
            return self._ask(credential)
        try:
            attempts.check(credential.user, address)
        except TooManyLogins as error:
            return error, "delayed"
        answer, outcome = self._ask(credential)
        if isinstance(answer, Identity):
            attempts.note_success(credential.user, address)
        elif outcome == "denied":
            attempts.note_failure(credential.user, address)
        return answer, outcome

    def _ask(self, credential: Credential) -> tuple[Identity | SqeError, str]:
        """Whose it is, or the error; and which kind of end that is, for who counts them."""
        for authenticator in self._authenticators:
            name = _name_of(authenticator)
            try:
                identity = authenticator.authenticate(credential)
            except AccessError:
                _log.info("%s does not accept a %s", name, type(credential).__name__)
                return credential_error(), "denied"
            except Exception as error:  # noqa: BLE001  a defect must not let anyone in
                if isinstance(error, UpstreamError) and error.code is ErrorCode.ISSUER_UNAVAILABLE:
                    _log.warning("%s cannot tell: %s", name, error.message)
                    unavailable = UpstreamError(error.code, error.message, hint=error.hint)
                    return unavailable, "unavailable"
                _log.error("%s failed, so access is denied: %s", name, _where(error))
                return credential_error(), "failed"
            if isinstance(identity, Identity) and identity.user:
                return identity, "accepted"
            if identity is not None:
                _log.error("%s answered with nobody's identity, so access is denied", name)
                return credential_error(), "failed"
        _log.info("nobody knows a %s", type(credential).__name__)
        return credential_error(), "denied"


def _name_of(authenticator: Authenticator) -> str:
    """For the log."""
    if type(authenticator).__str__ is not object.__str__:
        return str(authenticator)
    return type(authenticator).__name__


def _where(error: Exception) -> str:
    """The kind of error and the place. Its text may quote the credential, so it is left out."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
