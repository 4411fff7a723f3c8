"""``sqe password``: the line that stands for a password in sqe.toml."""

from __future__ import annotations

import click

_SHORTEST = 8


@click.command("password")
@click.argument("user", required=False)
def command(user: str | None) -> None:
    """Make the line of sqe.toml for a password, asked for here or read from stdin.

    The line holds a slow hash (argon2), not the password. With USER the section's header is
    printed, too.

    \b
    sqe password ann >> sqe.toml
    sqe password < secret.txt
    """
    from sqe.auth.hashing import hash_password
    from sqe.cli.secret_input import read_secret, user_section

    password = read_secret("Password", shortest=_SHORTEST, twice=True)
    click.echo(f'{user_section(user)}password = "{hash_password(password).write()}"')
