"""``sqe top``: what runs, again and again, until somebody has seen enough."""

from __future__ import annotations

import select as polling
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from sqe.cli.invocation import Invocation
from sqe.cli.query_rows import Wanted, format_seconds, seconds_of, select
from sqe.cli.remote import Remote, server_options

if TYPE_CHECKING:
    from rich.table import Table

    from sqe.client.transport import Transport

_SOURCE = "sqe-top"
_COLUMNS = (
    "query_id", "user", "state", "engine", "created", "end", "elapsed_time_ms", "rows", "source",
    "query",
)  # fmt: skip
_RUNNING = 200
_ENDED_S = "15s"  # how long one that has ended is shown


@click.command("top")
@click.option(
    "--every",
    type=click.FloatRange(0.5, 60),
    default=2.0,
    show_default=True,
    help="Seconds between two looks.",
)
@click.option("--once", is_flag=True, help="Look once and end; so it is without a terminal.")
@server_options
@click.pass_obj
def command(invocation: Invocation, /, remote: Remote | None, every: float, once: bool) -> None:
    """Watch what runs. `q` ends it.

    You see your own queries, and those of users whose queries you may see.
    """
    with invocation.transport(_SOURCE, remote=remote) as transport:
        if once or not (sys.stdin.isatty() and sys.stdout.isatty()):
            from rich.console import Console

            Console().print(_table(_rows(transport)))
            return
        _watch(transport, every)


def _watch(transport: Transport, every: float) -> None:
    from rich.live import Live

    with _single_keys(), Live(screen=True, auto_refresh=False) as live:
        while True:
            live.update(_table(_rows(transport)), refresh=True)
            if _quits_within(every):
                return


def _rows(transport: Transport) -> list[dict[str, Any]]:
    """What runs, and what has just ended, without the looks of this command itself."""
    rows = select(transport, _COLUMNS, Wanted(since=_ENDED_S), _RUNNING)
    rows += select(transport, _COLUMNS, Wanted(running=True), _RUNNING)
    others = (row for row in rows if not str(row["source"]).startswith(_SOURCE))
    distinct = {row["query_id"]: row for row in others}
    return sorted(distinct.values(), key=lambda row: (row["end"] is not None, row["created"]))


def _table(rows: list[dict[str, Any]]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    from sqe.cli.screen import escape_controls

    now = time.time()
    running = sum(row["end"] is None for row in rows)
    title = f"{running} running   {time.strftime('%H:%M:%S')}   q quits"
    table = Table(title=title, expand=True, box=None, title_justify="left")
    for name in ("ID", "USER", "STATE", "ENGINE"):
        table.add_column(name, no_wrap=True)
    for name in ("TIME", "ROWS"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("STATEMENT", no_wrap=True, ratio=1, overflow="ellipsis")
    for row in rows:
        cells = [row["query_id"], row["user"], row["state"].lower(), row["engine"] or ""]
        cells += [format_seconds(seconds_of(row, now)), f"{row['rows']:,}"]
        cells.append(" ".join(str(row["query"]).split()))
        style = "dim" if row["end"] is not None else ""
        table.add_row(*(escape(escape_controls(cell)) for cell in cells), style=style)
    return table


@contextmanager
def _single_keys() -> Iterator[None]:
    """Keys come as they are pressed, and are not shown."""
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _quits_within(seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        ready, _, _ = polling.select([sys.stdin], [], [], left)
        if ready and sys.stdin.read(1) in ("q", "Q", ""):
            return True
    return False
