"""The issuer of tokens, as ``sqe login`` sees it: as a public client."""

from __future__ import annotations

from sqe.auth.oidc.provider import Client, Granted, Provider, ProviderOptions
from sqe.cli.tokens import Login
from sqe.errors import ErrorCode, UserError
from sqe.settings.addresses import service_url

_TIMEOUT_S = 15.0


def provider_of(issuer: str, client_id: str, scopes: tuple[str, ...]) -> Provider:
    try:
        service_url(issuer)
    except ValueError as error:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT, f"The identity provider's address: {error}."
        ) from None
    return Provider(ProviderOptions(issuer, Client(client_id), scopes, _TIMEOUT_S))


def login_of(provider: Provider, scopes: tuple[str, ...], granted: Granted) -> Login:
    return Login(provider.issuer, provider.client.id, scopes, granted.access, granted.refresh)
