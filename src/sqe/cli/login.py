"""``sqe login``: a login through the server's identity provider, kept for later calls."""

from __future__ import annotations

import os
import sys
import webbrowser
from typing import TYPE_CHECKING, Any

import click

from sqe.cli.remote import TLS_OPTIONS
from sqe.errors import ErrorCode, UserError

if TYPE_CHECKING:
    from sqe.auth.oidc.provider import Granted, Provider
    from sqe.client.flight.logins import LoginIssuer
    from sqe.client.flight.options import FlightOptions


@click.command("login")
@click.option("--server", metavar="URL", required=True, help="Where: grpc+tls://host:port.")
@click.option("--issuer", metavar="URL", help="Whose login, if the server knows several.")
@click.option("--client-id", help="The client to log in with, if the server does not say.")
@click.option("--device", "how", flag_value="device", help="Log in on another device, with a code.")
@click.option("--browser", "how", flag_value="browser", help="Log in in a browser on this machine.")
def command(server: str, issuer: str | None, client_id: str | None, **given: Any) -> None:
    """Log in through the server's identity provider, in a browser.

    The login is kept in the system's keyring (with `sqe-client[keyring]`) or in a file that only
    you can read, and renewed when it is used: `sqe sql --server`, `sqe shell --server`. Without
    --device and --browser, a browser is opened where there is a screen.
    """
    from sqe.cli.tokens import open_logins
    from sqe.cli.tokens_issuer import login_of, provider_of
    from sqe.client.flight.options import FlightOptions

    tls = {name: given[name] for name in ("tls_ca", "tls_cert", "tls_key", "tls_host")}
    options = FlightOptions.of(server, {k: v for k, v in tls.items() if v is not None})
    chosen = _choose_issuer(options, issuer, client_id)
    provider = provider_of(chosen.issuer, chosen.client_id, chosen.scopes)
    try:
        browser = given["how"] == "browser" or (given["how"] is None and _has_screen())
        granted = _in_browser(provider) if browser else _on_device(provider)
        login = login_of(provider, chosen.scopes, granted)
    finally:
        provider.close()
    user = _user_there(server, tls, login.token.value.reveal())
    with open_logins() as logins:
        logins.put(options.location, login)
    click.echo(f"Logged in to {options.address} as {user}.", err=True)


for _option in reversed(TLS_OPTIONS):
    command = _option(command)


def _choose_issuer(
    options: FlightOptions, issuer: str | None, client_id: str | None
) -> LoginIssuer:
    from sqe.client.flight.logins import LoginIssuer, issuers_of

    if issuer is not None and client_id is not None:
        return LoginIssuer(issuer, client_id, ("openid",))
    known = issuers_of(options)
    matching = [candidate for candidate in known if issuer in (None, candidate.issuer)]
    if len(matching) == 1:
        candidate = matching[0]
        return LoginIssuer(candidate.issuer, client_id or candidate.client_id, candidate.scopes)
    names = ", ".join(candidate.issuer for candidate in known)
    if matching:
        raise click.UsageError(f"The server knows several: choose one with --issuer: {names}")
    raise UserError(
        ErrorCode.NOT_SUPPORTED,
        f"The server {options.address} names no such identity provider for logins.",
        hint=f"It names {names}."
        if names
        else "Use --user or --token-file; or ask its administrator for cli_client_id.",
    )


def _in_browser(provider: Provider) -> Granted:
    from sqe.auth.flows.code import CodeFlow
    from sqe.cli.callback import Callback

    with Callback() as callback:
        flow = CodeFlow(provider)
        address = flow.authorize_uri(callback.state, callback.address)
        click.echo(f"Log in in your browser; if none opens, open:\n{address}", err=True)
        webbrowser.open(address)
        return flow.redeem(callback.code(), callback.state, callback.address)


def _on_device(provider: Provider) -> Granted:
    from sqe.auth.flows.device import DeviceFlow

    flow = DeviceFlow(provider)
    pending = flow.begin()
    click.echo(f"Open {pending.uri} and type the code {pending.user_code}", err=True)
    if pending.complete_uri:
        click.echo(f"or open {pending.complete_uri}", err=True)
    return flow.wait(pending)


def _user_there(server: str, tls: dict[str, Any], token: str) -> str:
    """The server must know the token; otherwise it is not worth being kept."""
    from sqe.client.connection import open_transport

    transport = open_transport(server, "sqe-cli", {**tls, "token": token})
    try:
        return transport.user()
    finally:
        transport.close()


def _has_screen() -> bool:
    if "SSH_CONNECTION" in os.environ:
        return False
    return sys.platform == "darwin" or any(
        name in os.environ for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
