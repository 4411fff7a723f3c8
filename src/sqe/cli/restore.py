"""``sqe restore``: a home made of a backup."""

from __future__ import annotations

from pathlib import Path

import click

from sqe.cli.copying import show_copying
from sqe.cli.invocation import Invocation
from sqe.errors import check_engine


@click.command("restore")
@click.argument("source", type=click.Path(path_type=Path), metavar="FILE|DIR")
@click.option("--check", is_flag=True, help="Only read the backup, and say whether it is whole.")
@click.pass_obj
def command(invocation: Invocation, /, source: Path, check: bool) -> None:
    """Make a home of a backup. The home must be empty, or not there; it may be another path.

    Every byte is compared with what was copied before the home has any of it. In another path
    than before, the tables' files are made to name each other by their new places.

    \b
    sqe --home /var/lib/sqe restore /backups/lake-2026-11-19.tar
    """
    check_engine("sqe restore")
    from sqe.backup.restore import restore, unpack
    from sqe.cli.copying import contents_words

    home = invocation.settings().home
    with show_copying() as shown:
        if check:
            contents = unpack(source, None, shown.so_far)
        else:
            contents = restore(source, home, shown.so_far)
    where = f"{source} is whole" if check else str(home)
    click.echo(f"{where}: {contents_words(contents)}")
    if check:
        return
    settings_file = home / "sqe.toml"
    moved = contents.home != str(home) and settings_file.is_file()
    if moved and contents.home in settings_file.read_text(encoding="utf-8", errors="replace"):
        click.echo(f"sqe: {settings_file} still names {contents.home}: see to it", err=True)
    if contents.store_version == 0:
        click.echo(
            "sqe: SQE's own database was not in the home: if store.url names one, restore it with "
            "its own tools",
            err=True,
        )
