"""Who gets in: one answer for every protocol, so that a login at one is known at the other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sqe.auth.configured import AuthParts, authenticators
from sqe.model.access_event import UNRECORDED, AccessRecorder
from sqe.settings import Settings
from sqe.store.api_keys import ApiKeys
from sqe.store.database import Database

if TYPE_CHECKING:
    from sqe.auth.flows.browser import BrowserLogins
    from sqe.auth.oidc.oidc import Oidc

_IDLE_S = 4 * 3600.0  # a login through a browser that is not used for so long is ended


class Access:
    """Made when a server begins to listen; ``close`` ends the logins that it holds."""

    def __init__(
        self, settings: Settings, store: Database, recorder: AccessRecorder = UNRECORDED
    ) -> None:
        auth = settings.auth
        self._settings = settings
        self._oidc = self._issuers()
        self.browser = self._browser()
        around = AuthParts(settings.home, ApiKeys(store), self.browser, self._oidc, recorder)
        self.authenticators = authenticators(auth, around)

    @property
    def login_methods(self) -> bytes:
        """What a client is told that wants to log in and has nothing to show yet, as JSON."""
        issuers = [
            {
                "issuer": issuer.issuer,
                "client_id": issuer.cli_client_id,
                "scopes": list(issuer.scopes),
            }
            for issuer in self._settings.auth.oidc.values()
            if issuer.cli_client_id
        ]
        return json.dumps({"issuers": issuers}).encode()

    def close(self) -> None:
        if self._oidc is not None:
            self._oidc.close()

    def _issuers(self) -> Oidc | None:
        if not self._settings.auth.oidc:
            return None
        from sqe.auth.oidc.oidc import Oidc

        return Oidc(self._settings.auth.oidc)

    def _browser(self) -> BrowserLogins | None:
        """Of the issuers, the first at which SQE has a client of its own."""
        if self._oidc is None:
            return None
        from sqe.auth.flows.browser import BrowserLogins

        for name, issuer_settings in self._settings.auth.oidc.items():
            if issuer_settings.client_id:
                issuer = self._oidc.issuers[name]
                return BrowserLogins(issuer, self._oidc.renewals, _IDLE_S)
        return None
