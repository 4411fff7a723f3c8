"""Users of a directory: a user who can bind as themselves gets in, with their groups there."""

from __future__ import annotations

import logging
import math
import re
import secrets
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import ldap3
from ldap3.core.exceptions import LDAPException
from ldap3.core.results import RESULT_INVALID_CREDENTIALS, RESULT_NO_SUCH_OBJECT, RESULT_SUCCESS
from ldap3.utils.conv import escape_filter_chars
from ldap3.utils.dn import escape_rdn

from sqe.auth.protocol import Credential, Password
from sqe.auth.refusal import credential_error
from sqe.auth.remembered import Remembered
from sqe.errors import ErrorCode, UpstreamError
from sqe.model.identity import Identity, Secret
from sqe.settings.ldap import LdapSettings

_log = logging.getLogger(__name__)
_LONGEST = 256  # of names and passwords that are worth asking about
_ANY = "(objectClass=*)"


class Ldap:
    """One connection for each login. What the directory does not answer clearly is a no."""

    def __init__(self, settings: LdapSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._good: Remembered[Identity] = Remembered(clock, settings.remember_s)
        self._server = ldap3.Server(
            settings.url,
            connect_timeout=settings.connect_s,
            get_info=ldap3.NONE,
            tls=_Tls(settings),
        )

    def authenticate(self, credential: Credential) -> Identity | None:
        if not isinstance(credential, Password):
            return None
        user, password = credential.user, credential.password
        # Without a password a directory says yes to anyone: RFC 4513, 5.1.2.
        if not password.reveal() or not _clear(user) or len(password.reveal()) > _LONGEST:
            raise credential_error()
        known = self._good.get(user, password)
        if known is not None:
            return known
        try:
            person = self._log_in(user, password)
        except (LDAPException, OSError) as error:
            raise self._unavailable(error) from None
        self._good.add(user, password, person)
        return person

    def _log_in(self, user: str, password: Secret) -> Identity:
        settings = self._settings
        if not settings.bind_dn:
            with self._bind(self._dn_of(user), password) as mine:
                return self._identity(mine, self._dn_of(user), user)
        with self._bind(settings.bind_dn, Secret(settings.bind_password.get_secret_value())) as us:
            dn = self._dn_of(user) if settings.user_dn else self._search_dn(us, user)
            with self._bind(dn, password):
                return self._identity(us, dn, user)

    def _dn_of(self, user: str) -> str:
        return _fill(self._settings.user_dn, user=escape_rdn(user))

    def _search_dn(self, connection: Any, user: str) -> str:
        """The entry of the user; for one who has none, or several, a name that nobody has, so that
        the directory is asked just the same."""
        settings = self._settings
        wanted = _fill(settings.user_filter, user=escape_filter_chars(user))
        connection.search(settings.user_base, wanted, attributes=[ldap3.NO_ATTRIBUTES])
        entries = _entries_of(connection)
        if len(entries) == 1:
            return str(entries[0]["dn"])
        return f"cn={secrets.token_hex(16)},{settings.user_base}"

    def _identity(self, connection: Any, dn: str, user: str) -> Identity:
        """Under the name that the directory has: it takes ANN and ann for the same user, and the
        rules of SQE must not be got around by that."""
        settings = self._settings
        attribute = settings.user_attribute
        connection.search(dn, _ANY, ldap3.BASE, attributes=[attribute])
        names = [name for entry in _entries_of(connection) for name in _values(entry, attribute)]
        name = user if user in names else next(iter(names), "")
        if not name:
            _log.error("auth.ldap: an entry that could bind has no readable %s", attribute)
            raise credential_error()
        return Identity(name, self._groups(connection, dn, name))

    def _groups(self, connection: Any, dn: str, user: str) -> frozenset[str]:
        settings = self._settings
        if not settings.group_base:
            return frozenset()
        values = {"user": escape_filter_chars(user), "dn": escape_filter_chars(dn)}
        wanted = _fill(settings.group_filter, **values)
        attribute = settings.group_attribute
        connection.search(settings.group_base, wanted, attributes=[attribute])
        return frozenset(
            group for entry in _entries_of(connection) for group in _values(entry, attribute)
        )

    @contextmanager
    def _bind(self, dn: str, password: Secret) -> Iterator[Any]:
        settings = self._settings
        connection = ldap3.Connection(
            self._server,
            user=dn,
            password=password.reveal(),
            authentication=ldap3.SIMPLE,
            read_only=True,
            auto_referrals=False,
            receive_timeout=math.ceil(settings.answer_s),
            return_empty_attributes=False,
        )
        try:
            connection.open()
            if settings.start_tls and not connection.start_tls():
                raise self._unavailable(LDAPException())
            connection.bind()
            code = connection.result["result"]
            if code in (RESULT_INVALID_CREDENTIALS, RESULT_NO_SUCH_OBJECT):
                if dn == settings.bind_dn:
                    _log.error("auth.ldap: the directory refuses bind_dn")
                raise credential_error()
            if code != RESULT_SUCCESS or not connection.bound:
                raise self._unavailable(LDAPException())
            yield connection
        finally:
            with suppress(LDAPException, OSError):
                connection.unbind()
            if connection.socket is not None:  # ldap3 forgets it where something went wrong
                connection.socket.close()

    def _unavailable(self, error: Exception) -> UpstreamError:
        """Without the error's own text, which may quote what was sent."""
        return UpstreamError(
            ErrorCode.ISSUER_UNAVAILABLE,
            f"The directory {self._server.host} did not answer as it should"
            f" ({type(error).__name__}).",
            hint="Try again; if it stays so, tell the administrator.",
        )


class _Tls(ldap3.Tls):  # type: ignore[misc]
    """ldap3's own check of names is Python's old one, which is gone; this is Python's own."""

    def __init__(self, settings: LdapSettings) -> None:
        super().__init__(validate=ssl.CERT_REQUIRED)
        self._authorities = str(settings.authorities) if settings.authorities else None

    def wrap_socket(self, connection: Any, do_handshake: bool = False) -> None:
        context = ssl.create_default_context(cafile=self._authorities)
        connection.socket = context.wrap_socket(
            connection.socket, server_hostname=connection.server.host
        )


def _fill(template: str, **values: str) -> str:
    """In one go: a value that has braces in it is not looked at again."""
    return re.sub(r"\{(user|dn)\}", lambda place: values.get(place[1], place[0]), template)


def _entries_of(connection: Any) -> list[Any]:
    """What a search has found. LDAPException if that is not all: half of somebody's groups may be
    the wrong half."""
    if connection.result["result"] != RESULT_SUCCESS:
        raise LDAPException(connection.result["description"])
    return [entry for entry in connection.response if entry["type"] == "searchResEntry"]


def _values(entry: Any, attribute: str) -> list[str]:
    values = entry["attributes"].get(attribute, [])
    return [str(value) for value in (values if isinstance(values, list) else [values])]


def _clear(user: str) -> bool:
    return bool(user) and len(user) <= _LONGEST and user.isprintable()
