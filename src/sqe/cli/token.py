"""``sqe token``: a new bearer token, and the line that stands for it in sqe.toml."""

from __future__ import annotations

import os
from pathlib import Path

import click

from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Secret

_SHORTEST = 32  # its hash is a quick one, so nobody may be able to guess it


@click.command("token")
@click.argument("user", required=False)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the token to this new file, readable by you alone, and do not show it.",
)
@click.option("--stdin", "given", is_flag=True, help="Do not make one: take the one on stdin.")
def command(user: str | None, out: Path | None, given: bool) -> None:
    """Make a token and the line of sqe.toml for it.

    The token is shown once, on stderr; the line, on stdout, holds only its hash. With USER the
    section's header is printed, too.

    \b
    sqe token ann >> sqe.toml
    sqe token ann --out ann.token >> sqe.toml
    """
    from sqe.auth.hashing import hash_token, new_token
    from sqe.cli.secret_input import read_secret, user_section

    if given and out is not None:
        raise click.UsageError("Use --stdin or --out, not both.")
    token = read_secret("Token", shortest=_SHORTEST, twice=False) if given else new_token()
    if out is not None:
        _write(out, token)
    elif not given:
        click.echo(f"The token, shown only now: {token.reveal()}", err=True)
    click.echo(f'{user_section(user)}tokens = ["sha256:{hash_token(token).hex()}"]')


def _write(path: Path, token: Secret) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{path} cannot be made: {error.strerror}.",
            hint="Name a file that does not exist yet.",
        ) from error
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(token.reveal() + "\n")
