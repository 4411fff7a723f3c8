"""``--server`` and what belongs to it: statements run there instead of in this process."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Secret

if TYPE_CHECKING:
    from sqe.client.transport import Transport

_T = TypeVar("_T")
_PASSWORD = "SQE_PASSWORD"  # noqa: S105  the variable's name
_READABLE = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True)
class Remote:
    """A server and who we are there. Secrets are in memory only, never on a command line."""

    url: str
    options: dict[str, Any]

    def open(self, source: str) -> Transport:
        from sqe.client.connection import open_transport

        return open_transport(self.url, source, self.options)


_SERVER = click.option("--server", metavar="URL", help="Run it there: grpc+tls://host:port.")
_CREDENTIALS: list[Callable[[Any], Any]] = [
    click.option(
        "--user",
        help=f"Who you are there; the password is asked for, or taken from {_PASSWORD}.",
    ),
    click.option("--password-stdin", is_flag=True, help="The password is the first line of stdin."),
    click.option("--token-file", type=_READABLE, help="A file with a token, instead of a user."),
]
TLS_OPTIONS: list[Callable[[Any], Any]] = [
    click.option("--tls-ca", type=_READABLE, help="Authorities to trust, if not the machine's."),
    click.option("--tls-cert", type=_READABLE, help="Your certificate, where the server asks."),
    click.option("--tls-key", type=_READABLE, help="The key of your certificate."),
    click.option("--tls-host", metavar="NAME", help="The server's name in its certificate."),
]
_OPTIONS = [_SERVER, *_CREDENTIALS, *TLS_OPTIONS]


def server_options(command: Callable[..., _T]) -> Callable[..., _T]:
    """Gives a command the options above, and their meaning as its argument ``remote``."""

    @functools.wraps(command)
    def with_server(*args: Any, server: str | None, **given: Any) -> _T:
        own = {name: given.pop(name) for name in _NAMES}
        return command(*args, remote=_remote(server, own), **given)

    for option in reversed(_OPTIONS):
        with_server = option(with_server)
    return with_server


_NAMES = ("user", "password_stdin", "token_file", "tls_ca", "tls_cert", "tls_key", "tls_host")


def _remote(server: str | None, given: dict[str, Any]) -> Remote | None:
    if server is None:
        for name, value in given.items():
            if value:
                raise click.UsageError(f"--{name.replace('_', '-')} needs --server.")
        return None
    from sqe.client.targets import check_server

    check_server(server)
    options = {name: given[name] for name in ("user", "tls_ca", "tls_cert", "tls_key", "tls_host")}
    if given["token_file"] is not None:
        if given["user"] is not None:
            raise click.UsageError("Give --user or --token-file, not both.")
        options["token"] = Secret(given["token_file"].read_text(encoding="utf-8").strip())
    elif given["user"] is not None:
        options["password"] = _password(given["user"], from_stdin=given["password_stdin"])
    elif given["password_stdin"]:
        raise click.UsageError("--password-stdin needs --user.")
    else:
        options.update(_login_options_of(server))
    return Remote(server, options)


def _login_options_of(server: str) -> dict[str, Any]:
    """Of ``sqe login``, if there was one."""
    from sqe.cli.tokens import server_name
    from sqe.cli.tokens_renewed import login_options

    return login_options(server_name(server))


def _password(user: str, *, from_stdin: bool) -> Secret:
    if from_stdin:
        # Not through the text layer, which reads ahead: statements may follow.
        return Secret(sys.stdin.buffer.readline().decode().rstrip("\r\n"))
    if _PASSWORD in os.environ:
        return Secret(os.environ[_PASSWORD])
    if sys.stdin.isatty():
        return Secret(click.prompt(f"Password of {user}", hide_input=True, err=True))
    raise UserError(
        ErrorCode.INVALID_ARGUMENT,
        f"There is no password for {user}.",
        hint=f"Set {_PASSWORD}, pipe it in with --password-stdin, or use --token-file.",
    )
