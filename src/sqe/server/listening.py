"""What a server must have before it may listen."""

from __future__ import annotations

import socket
from typing import Literal

from sqe.errors import ErrorCode, UserError
from sqe.model.hosts import is_loopback
from sqe.settings import Settings

# The sections of the settings of those that listen.
Section = Literal["flight", "trino", "iceberg"]


def check_listening(settings: Settings, host: str, protocol: Section = "flight") -> None:
    """INVALID_SETTINGS for a server that nobody could use, or that anybody could listen in to."""
    auth = settings.auth
    if not auth.knows_anyone and not auth.anonymous_allowed:
        raise _refusal(
            "Nobody could connect: there are no users, and auth.anonymous is off.",
            "Add users under [auth.users]; `sqe password` and `sqe token` make the lines.",
        )
    if auth.knows_certificates and settings.tls.client_authorities is None:
        raise _refusal(
            "[auth] names users by TLS certificates, but no certificate could be checked.",
            "Set tls.client_authorities to the file of the authorities that sign them.",
        )
    if reaches_only_this_machine(host, protocol):
        return
    if not auth.knows_anyone:
        raise _refusal(
            f"{protocol}.host is {host}, which others can reach, and nobody could connect from "
            "there: there are no users.",
            "Add users under [auth.users], or listen on 127.0.0.1.",
        )
    without_tls, setting = _without_tls(settings, protocol)
    if settings.tls.certificate is None and not without_tls:
        raise _refusal(
            f"{protocol}.host is {host}, which others can reach, and there is no TLS: passwords "
            "and data could be read on the way.",
            f"Set tls.certificate and tls.key, or {setting} = true if something in front of SQE "
            "encrypts.",
        )


def _without_tls(settings: Settings, protocol: str) -> tuple[bool, str]:
    """Whether the settings say that it may be, and the name of the setting that does."""
    if protocol in ("trino", "iceberg"):
        allowed = getattr(settings, protocol).allow_plain_http_credentials
        return allowed, f"{protocol}.allow_plain_http_credentials"
    return settings.flight.unencrypted, "flight.unencrypted"


def reaches_only_this_machine(host: str, protocol: str = "flight") -> bool:
    """For an address or a name to listen on."""
    try:
        addresses = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise _refusal(
            f"{protocol}.host is {host}, which is no address of this machine.",
            "Use 127.0.0.1 for this machine only, or 0.0.0.0 for all addresses.",
        ) from error
    return all(is_loopback(str(address[0])) for *_, address in addresses)


def _refusal(message: str, hint: str) -> UserError:
    return UserError(ErrorCode.INVALID_SETTINGS, message, hint=hint)
