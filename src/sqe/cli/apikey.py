"""``sqe apikey``: keys for programs, kept as hashes in SQE's own database."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sqe.cli.invocation import Invocation
from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Secret
from sqe.model.scopes import ALL, SCOPES

if TYPE_CHECKING:
    from sqe.store.api_keys import ApiKey, ApiKeys

_LIFETIME = re.compile(r"([1-9]\d{0,5})([hd])")
_SECONDS = {"h": 3600.0, "d": 86_400.0}
_COLUMNS = ("NAME", "ID", "USER", "SCOPES", "EXPIRES", "LAST USED", "STATE")


@click.group("apikey")
def command() -> None:
    """Make, list and revoke keys for programs.

    A key is shown as a bearer token, or as its user's password. Only its hash is kept, in the
    database of the home or of `store.url`; a running server knows of every change at once.
    """


@command.command("create")
@click.argument("name")
@click.option("--user", required=True, help="Whom the program acts as.")
@click.option("--group", "groups", multiple=True, help="A group it is in; may be repeated.")
@click.option("--role", "roles", multiple=True, help="A role it has; may be repeated.")
@click.option(
    "--scope",
    type=click.Choice(list(SCOPES)),
    default=ALL,
    show_default=True,
    help=" ".join(f"{name}: {meaning}." for name, meaning in SCOPES.items()),
)
@click.option(
    "--expires",
    default="90d",
    show_default=True,
    help="How long it is good for: hours (12h), days (90d), or never.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the key to this new file, readable by you alone, and do not show it.",
)
@click.pass_obj
def create(invocation: Invocation, /, name: str, user: str, out: Path | None, **given: Any) -> None:
    """Make a key. It is shown only now, on stdout.

    \b
    sqe apikey create nightly --user loader --scope all --out nightly.key
    sqe apikey create dashboards --user superset --scope read --expires 365d
    """
    from sqe.auth.api_keys import NewKey, create_key
    from sqe.cli.secret_input import write_secret

    now = time.time()
    lifetime = _lifetime(given["expires"])
    wanted = NewKey(
        name=_clear("name", name),
        user=_clear("user", user),
        groups=frozenset(given["groups"]),
        roles=frozenset(given["roles"]),
        scopes=frozenset({given["scope"]}),
        expires_at=now + lifetime if lifetime is not None else None,
    )
    if out is not None:
        write_secret(out, Secret(""))  # before the key is made: where it goes must be there
    with _keys(invocation) as keys:
        try:
            key = create_key(keys, wanted, now)
        except BaseException:
            if out is not None:
                out.unlink()
            raise
    if out is not None:
        out.write_text(key.reveal() + "\n", encoding="utf-8")
    else:
        click.echo("The key, shown only now:", err=True)
        click.echo(key.reveal())
    if lifetime is not None:
        click.echo(f"It is good until {_moment(wanted.expires_at)}.", err=True)


@command.command("list")
@click.pass_obj
def list_keys(invocation: Invocation) -> None:
    """List the keys: whose they are, what for, when they were last used."""
    now = time.time()
    with _keys(invocation) as keys:
        rows = [_COLUMNS, *(_row(key, now) for key in keys.list_all())]
    widths = [max(len(row[place]) for row in rows) for place in range(len(_COLUMNS))]
    for row in rows:
        line = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
        click.echo(line.rstrip())


@command.command("revoke")
@click.argument("which", metavar="NAME_OR_ID")
@click.pass_obj
def revoke(invocation: Invocation, /, which: str) -> None:
    """Make a key useless, at once and for good."""
    with _keys(invocation) as keys:
        if not keys.revoke(which, time.time()):
            raise UserError(
                ErrorCode.INVALID_ARGUMENT,
                f"There is no key {which} in use.",
                hint="`sqe apikey list` shows them.",
            )
    click.echo(f"The key {which} is revoked.", err=True)


@contextmanager
def _keys(invocation: Invocation) -> Iterator[ApiKeys]:
    from sqe.store.api_keys import ApiKeys
    from sqe.store.database import Database

    settings = invocation.settings()
    database = Database(settings.home, settings.store.secret)
    try:
        yield ApiKeys(database)
    finally:
        database.close()


def _lifetime(text: str) -> float | None:
    if text == "never":
        return None
    match = _LIFETIME.fullmatch(text)
    if match is None:
        raise click.BadParameter("write hours (12h), days (90d), or never", param_hint="--expires")
    return int(match[1]) * _SECONDS[match[2]]


def _clear(what: str, name: str) -> str:
    if not name or name != name.strip() or not name.isprintable() or ":" in name:
        raise click.BadParameter(f"a {what} has no blanks around it, no : and no controls")
    return name


def _row(key: ApiKey, now: float) -> tuple[str, ...]:
    state = "good" if key.good(now) else "expired" if key.revoked_at is None else "revoked"
    scopes = ",".join(sorted(key.scopes))
    used = _moment(key.used_at, "never")
    return key.name, key.id, key.user, scopes, _moment(key.expires_at, "never"), used, state


def _moment(seconds: float | None, otherwise: str = "") -> str:
    if seconds is None:
        return otherwise
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
