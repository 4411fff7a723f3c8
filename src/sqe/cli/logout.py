"""``sqe logout``: ends a login, here and at the identity provider."""

from __future__ import annotations

import click

from sqe.errors import SqeError


@click.command("logout")
@click.option("--server", metavar="URL", required=True, help="Where: grpc+tls://host:port.")
def command(server: str) -> None:
    """End the login that `sqe login` made: what was kept is removed, and the identity provider is
    told."""
    from sqe.cli.tokens import open_logins, server_name
    from sqe.cli.tokens_issuer import provider_of

    name = server_name(server)
    with open_logins() as logins:
        login = logins.get(name)
        logins.remove(name)
    if login is None:
        click.echo(f"There is no login to {server}.", err=True)
        return
    if login.refresh is not None:
        provider = provider_of(login.issuer, login.client_id, login.scopes)
        try:
            provider.revoke(login.refresh)
        except SqeError as error:
            click.echo(f"It ends here, but not at the identity provider: {error}", err=True)
        finally:
            provider.close()
    click.echo(f"Logged out of {server}.", err=True)
