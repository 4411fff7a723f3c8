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
    ) -> None:
        """``clock`` is for what tokens say, ``ticks`` for how long something was kept."""
        self.issuers = {name: _issuer(setting, clock, ticks) for name, setting in settings.items()}
        self.renewals = Renewals(clock)
        issuers = list(self.issuers.values())
        self.renewals.watch([issuer for issuer in issuers if issuer.options.introspect == "always"])
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
