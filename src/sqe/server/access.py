"""Who gets in: one answer for every protocol, so that a login at one is known at the other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sqe.auth.chain import Authenticators
from sqe.auth.configured import AuthParts, attempts_of, chain_of, users_of
from sqe.auth.in_force import AuthInForce
from sqe.auth.refusal import credential_error
from sqe.model.access_event import UNRECORDED, AccessRecorder
from sqe.model.identity import Identity, Secret
from sqe.server.change import Change
from sqe.settings import AuthSettings, Settings
from sqe.store.api_keys import ApiKeys
from sqe.store.database import Database

if TYPE_CHECKING:
    from sqe.auth.flows.browser import BrowserLogins
    from sqe.auth.oidc.issuer import Issuer
    from sqe.auth.oidc.oidc import Oidc

_IDLE_S = 4 * 3600.0  # a login through a browser that is not used for so long is ended


class Access:
    """Made when a server begins to listen; ``close`` ends the logins that it holds."""

    def __init__(
        self, settings: Settings, store: Database, recorder: AccessRecorder = UNRECORDED
    ) -> None:
        auth = settings.auth
        self._home = settings.home
        self._keys = ApiKeys(store)
        self._in_force = AuthInForce(auth, users_of(auth, settings.home))
        self._oidc = self._make_oidc(auth)
        self._logins = _logins_of(auth, self._oidc)
        self._has_browser = self._logins is not None
        parts = self._parts(self._oidc, self._logins)
        self.authenticators = Authenticators(chain_of(auth, parts), recorder, attempts_of(auth))

    @property
    def browser(self) -> Browser | None:
        """Of the issuers, the first at which SQE has a client of its own; None: there was none when
        this was made."""
        return Browser(self) if self._has_browser else None

    @property
    def browser_logins(self) -> BrowserLogins | None:
        """Those of now."""
        return self._logins

    def login_methods(self) -> bytes:
        """What a client is told that wants to log in and has nothing to show yet, as JSON."""
        issuers = [
            {
                "issuer": issuer.issuer,
                "client_id": issuer.cli_client_id,
                "scopes": list(issuer.scopes),
            }
            for issuer in self._in_force.settings.oidc.values()
            if issuer.cli_client_id
        ]
        return json.dumps({"issuers": issuers}).encode()

    def user_of_settings(self, name: str) -> Identity | None:
        """A user of the settings, with groups and roles, but no credential."""
        user = self._in_force.settings.users.get(name)
        return Identity(name, frozenset(user.groups), frozenset(user.roles)) if user else None

    def list_restarts(self, settings: AuthSettings) -> list[str]:
        """What of these settings holds from the next start on only."""
        restarts = []
        if settings.knows_certificates != self._in_force.settings.knows_certificates:
            restarts.append("auth: logins with certificates")
        if any(issuer.client_id for issuer in settings.oidc.values()) and not self._has_browser:
            restarts.append("auth: logins through a browser")
        return restarts

    def prepare(self, settings: Settings) -> Change:
        """INVALID_SETTINGS where a file is wrong."""
        auth, before, old = settings.auth, self._in_force.settings, self._oidc
        if auth == before:
            return Change()
        same_users = (auth.users, auth.users_file) == (before.users, before.users_file)
        users = self._in_force.users_now if same_users else users_of(auth, self._home)
        oidc = old if old is not None and old.has(auth.oidc) else self._make_oidc(auth, old)
        logins = self._logins
        if oidc is not old and _issuer_of(auth, oidc) is not _issuer_of(before, old):
            logins = _logins_of(auth, oidc)
        chain = chain_of(auth, self._parts(oidc, logins))

        def apply() -> None:
            self._in_force.users_now, self._in_force.settings = users, auth
            self.authenticators.replace(chain)
            if auth.failed_logins != before.failed_logins:
                self.authenticators.limit(attempts_of(auth))
            self._oidc, self._logins = oidc, logins
            if oidc is not None and oidc is not old:
                oidc.take_over()
            elif oidc is None and old is not None:
                old.close()

        def discard() -> None:
            if oidc is not None and oidc is not old:
                oidc.discard()

        return Change(apply, discard)

    def close(self) -> None:
        if self._oidc is not None:
            self._oidc.close()

    def _parts(self, oidc: Oidc | None, logins: BrowserLogins | None) -> AuthParts:
        return AuthParts(self._home, self._keys, logins, oidc, in_force=self._in_force)

    def _make_oidc(self, auth: AuthSettings, before: Oidc | None = None) -> Oidc | None:
        if not auth.oidc:
            return None
        from sqe.auth.oidc.oidc import Oidc

        return Oidc(auth.oidc, before=before)


class Browser:
    """Logins through a browser at whichever issuer they are made by now."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def authorize_uri(self, state: str, callback: str) -> str:
        return self._now().authorize_uri(state, callback)

    def token(self, code: str, state: str, callback: str) -> Secret:
        return self._now().token(code, state, callback)

    def _now(self) -> BrowserLogins:
        logins = self._access.browser_logins
        if logins is None:  # the issuer was taken out of the settings
            raise credential_error()
        return logins


def _issuer_of(auth: AuthSettings, oidc: Oidc | None) -> Issuer | None:
    """Of the issuers, the first at which SQE has a client of its own."""
    names = (name for name, issuer in auth.oidc.items() if issuer.client_id)
    name = next(names, None)
    return oidc.issuers[name] if oidc is not None and name is not None else None


def _logins_of(auth: AuthSettings, oidc: Oidc | None) -> BrowserLogins | None:
    issuer = _issuer_of(auth, oidc)
    if oidc is None or issuer is None:
        return None
    from sqe.auth.flows.browser import BrowserLogins

    return BrowserLogins(issuer, oidc.renewals, _IDLE_S)
