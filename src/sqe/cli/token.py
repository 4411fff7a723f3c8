"""``sqe token``: a new bearer token, and the line that stands for it in sqe.toml."""

from __future__ import annotations

from pathlib import Path

import click

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
    from sqe.cli.secret_input import read_secret, user_section, write_secret

    if given and out is not None:
        raise click.UsageError("Use --stdin or --out, not both.")
    token = read_secret("Token", shortest=_SHORTEST, twice=False) if given else new_token()
    if out is not None:
        write_secret(out, token)
    elif not given:
        click.echo(f"The token, shown only now: {token.reveal()}", err=True)
    click.echo(f'{user_section(user)}tokens = ["sha256:{hash_token(token).hex()}"]')
