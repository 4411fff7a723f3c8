"""The issuers that the settings name, and all that SQE does with them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from sqe.auth.oidc.bearers import OidcBearers
from sqe.auth.oidc.claims import ClaimNames
from sqe.auth.oidc.issuer import Issuer, IssuerOptions
from sqe.auth.oidc.keys import Keys
from sqe.auth.oidc.passwords import OidcPasswords
from sqe.auth.oidc.provider import Client, Provider, ProviderOptions
from sqe.auth.oidc.renewals import Renewals
from sqe.auth.protocol import Authenticator, Credential
from sqe.model.identity import Identity, Secret
from sqe.settings.identity import OidcSettings


class Oidc:
    """Nothing is asked of an issuer before somebody comes: SQE starts while they are down."""

    def __init__(
        self,
        settings: Mapping[str, OidcSettings],
        clock: Callable[[], float] = time.time,
        ticks: Callable[[], float] = time.monotonic,
        before: Oidc | None = None,
    ) -> None:
        """``clock`` is for what tokens say, ``ticks`` for how long something was kept. ``before``:
        whose issuers go on as they are where their settings are the same; ``take_over`` ends the
        others."""
        self._settings = dict(settings)
        self.issuers: dict[str, Issuer] = {
            name: before.issuers[name]
            if before is not None and before._settings.get(name) == setting
            else _issuer(setting, clock, ticks)
            for name, setting in settings.items()
        }
        self.renewals: Renewals = before.renewals if before is not None else Renewals(clock)
        self._before = before
        if before is None:
            self._watch()
        issuers = list(self.issuers.values())
        self._authenticators: tuple[Authenticator, ...] = (
            OidcBearers(issuers, clock),
            OidcPasswords(issuers, self.renewals, ticks),
        )

    def authenticate(self, credential: Credential) -> Identity | None:
        for authenticator in self._authenticators:
            identity = authenticator.authenticate(credential)
            if identity is not None:
                return identity
        return None

    def has(self, settings: Mapping[str, OidcSettings]) -> bool:
        """Whether these are its settings."""
        return self._settings == dict(settings)

    def take_over(self) -> None:
        """From those ``before``: logins at issuers that are not among these end."""
        before, self._before = self._before, None
        if before is None:
            return
        self._watch()
        kept = set(self.issuers.values())
        gone = [issuer for issuer in before.issuers.values() if issuer not in kept]
        self.renewals.end_logins(gone)
        for issuer in gone:
            issuer.provider.close()

    def discard(self) -> None:
        """It is not used after all: those ``before`` go on."""
        if self._before is None:
            self.close()
            return
        for name, issuer in self.issuers.items():
            if issuer is not self._before.issuers.get(name):
                issuer.provider.close()

    def _watch(self) -> None:
        issuers = self.issuers.values()
        self.renewals.watch([issuer for issuer in issuers if issuer.options.introspect == "always"])

    def close(self) -> None:
        self.renewals.close()
        for issuer in self.issuers.values():
            issuer.provider.close()


def _issuer(
    settings: OidcSettings, clock: Callable[[], float], ticks: Callable[[], float]
) -> Issuer:
    provider = Provider(provider_options(settings), clock)
    return Issuer(
        provider,
        IssuerOptions(
            audiences=frozenset(settings.audiences),
            algorithms=frozenset(settings.algorithms),
            claims=ClaimNames(
                settings.user_claim,
                settings.groups_claim,
                settings.roles_claim,
                settings.user_prefix,
                settings.claims,
            ),
            skew_s=settings.skew_s,
            introspect=settings.introspect,
            introspect_s=settings.introspect_s,
            password_grant=settings.password_grant,
            programs=frozenset(settings.programs),
            refresh=settings.refresh,
        ),
        Keys(provider.issuer, provider.jwks, ticks),
        clock,
    )


def provider_options(settings: OidcSettings) -> ProviderOptions:
    secret = settings.client_secret.get_secret_value()
    return ProviderOptions(
        issuer=settings.issuer,
        client=Client(settings.client_id, Secret(secret) if secret else None, settings.client_auth),
        scopes=settings.scopes,
        timeout_s=settings.timeout_s,
        authorities=settings.authorities,
    )
