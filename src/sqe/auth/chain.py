"""Asks the authenticators in order. Whatever goes wrong, the answer is the same: no. But that an
issuer cannot be reached is said: it tells nothing of a credential, and trying again may help."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Sequence

from sqe.auth.protocol import Authenticator, Credential
from sqe.errors import AccessError, ErrorCode, UpstreamError
from sqe.model.identity import Identity

_log = logging.getLogger(__name__)


class Authenticators:
    """The first that knows the credential answers. Empty: nobody gets in."""

    def __init__(self, authenticators: Sequence[Authenticator]) -> None:
        self._authenticators = tuple(authenticators)

    def identify(self, credential: Credential) -> Identity:
        """Whose credential it is; AUTHENTICATION_FAILED, which never says what was wrong, or
        ISSUER_UNAVAILABLE."""
        for authenticator in self._authenticators:
            name = type(authenticator).__name__
            try:
                identity = authenticator.authenticate(credential)
            except AccessError:
                _log.info("%s does not accept a %s", name, type(credential).__name__)
                raise denied() from None
            except Exception as error:  # noqa: BLE001  a defect must not let anyone in
                if isinstance(error, UpstreamError) and error.code is ErrorCode.ISSUER_UNAVAILABLE:
                    _log.warning("%s cannot tell: %s", name, error.message)
                    raise UpstreamError(error.code, error.message, hint=error.hint) from None
                _log.error("%s failed, so access is denied: %s", name, _where(error))
                raise denied() from None
            if isinstance(identity, Identity) and identity.user:
                return identity
            if identity is not None:
                _log.error("%s answered with nobody's identity, so access is denied", name)
                raise denied()
        _log.info("nobody knows a %s", type(credential).__name__)
        raise denied()


def denied() -> AccessError:
    """One text for everything: it must not tell whether a user exists or a token was ever good."""
    return AccessError(
        ErrorCode.AUTHENTICATION_FAILED,
        "The credential was not accepted.",
        hint="Check the user and password or the token; the server's administrator sets them.",
    )


def _where(error: Exception) -> str:
    """The kind of error and the place. Its text may quote the credential, so it is left out."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
