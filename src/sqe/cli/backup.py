"""``sqe backup``: a copy of the home, whole and of one moment, while others use the home."""

from __future__ import annotations

from pathlib import Path

import click

from sqe.cli.copying import show_copying
from sqe.cli.invocation import Invocation
from sqe.errors import check_engine


@click.command("backup")
@click.argument("target", type=click.Path(path_type=Path), metavar="FILE|DIR")
@click.pass_obj
def command(invocation: Invocation, /, target: Path) -> None:
    """Copy the home to a tar file (FILE.tar) or a folder that is not there yet.

    A server may go on with the home, and write. The copy has the databases, each table as it was
    when the copy began with all its snapshots, and whatever else is in the home but for what SQE
    makes anew. It has the home's secrets, too: keep it as you keep the home.

    \b
    sqe backup /backups/lake-2026-11-19.tar
    sqe restore --check /backups/lake-2026-11-19.tar
    """
    check_engine("sqe backup")
    from sqe.backup.backup import back_up
    from sqe.cli.copying import contents_words

    settings = invocation.settings()
    with show_copying() as shown:
        contents, left_out = back_up(settings.home, target.absolute(), shown.of_all)
    click.echo(f"{target}: {contents_words(contents)}")
    for path in left_out:
        click.echo(f"sqe: left out, because it is no plain file: {path}", err=True)
    if settings.store.secret is not None:
        click.echo(
            "sqe: the database of store.url (API keys, rules, owners, history) is not in it: "
            "make its backup with its own tools, as pg_dump, right after this one",
            err=True,
        )
