"""``sqe queries``: what has run and what runs, from the history; and an end to it."""

from __future__ import annotations

import json
import time
from typing import Any

import click

from sqe.cli.invocation import Invocation
from sqe.cli.query_rows import Wanted, format_seconds, seconds_of, select
from sqe.cli.remote import Remote, server_options
from sqe.errors import ErrorCode, UserError
from sqe.model.names import string_literal

_LISTED = (
    "query_id", "user", "state", "engine", "created", "elapsed_time_ms", "rows", "error_code",
    "query",
)  # fmt: skip
_HEADINGS = ("ID", "USER", "STATE", "ENGINE", "BEGAN", "TOOK", "ROWS", "ERROR", "STATEMENT")
_STATES = ("queued", "planning", "running", "finished", "failed", "cancelled")
_TEXT = 60  # characters of a statement in a list


@click.group("queries")
def command() -> None:
    """List, show and end queries, running and past.

    You see your own, and those of users whose queries you may see. A server keeps them in its
    database; without --server it is the database of the home.
    """


@command.command("list")
@click.option("--of", "of_user", metavar="USER", help="Of this user; --user is who you are.")
@click.option("--state", type=click.Choice(_STATES), help="In this state.")
@click.option("--since", default="1d", show_default=True, help="Begun within: 30s, 90m, 12h, 7d.")
@click.option(
    "--engine", type=click.Choice(["local", "spark", "coordinator"]), help="Run by this engine."
)
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each line.")
@server_options
@click.pass_obj
def list_queries(
    invocation: Invocation,
    /,
    remote: Remote | None,
    of_user: str | None,
    limit: int,
    as_json: bool,
    **given: Any,
) -> None:
    """List queries, the newest first.

    \b
    sqe queries list --server grpc://localhost:8815 --state failed --since 2h
    sqe queries list --of ann --engine spark
    """
    with invocation.transport("sqe-queries", remote=remote) as transport:
        rows = select(transport, _LISTED, Wanted(of_user, **given), limit)
    if as_json:
        for row in rows:
            click.echo(json.dumps(row, default=str, ensure_ascii=False))
        return
    _print_table([_line(row) for row in rows])


@command.command("show")
@click.argument("query_id")
@server_options
@click.pass_obj
def show(invocation: Invocation, /, query_id: str, remote: Remote | None) -> None:
    """Show all that is known of a query."""
    from sqe.cli.screen import escape_controls

    with invocation.transport("sqe-queries", remote=remote) as transport:
        rows = select(transport, (), Wanted(query_id=query_id), 1)
    if not rows:
        raise UserError(
            ErrorCode.QUERY_NOT_FOUND,
            f"There is no query {query_id} that you may see.",
            hint="`sqe queries list --since 7d` lists them.",
        )
    wide = max(map(len, rows[0])) + 2
    for name, value in rows[0].items():
        if value is not None:
            first, *rest = escape_controls(str(value), keep="\n").split("\n")
            click.echo(f"{name:<{wide}}{first}")
            for line in rest:
                click.echo(" " * wide + line)


@command.command("kill")
@click.argument("query_id")
@click.option("--message", default="", help="What its user is told.")
@server_options
@click.pass_obj
def kill(invocation: Invocation, /, query_id: str, message: str, remote: Remote | None) -> None:
    """End a running query: yours, or one of somebody whose queries you may end."""
    text = f"KILL QUERY {string_literal(query_id)} MESSAGE {string_literal(message)}"
    with (
        invocation.transport("sqe-queries", remote=remote) as transport,
        transport.execute(text).result() as result,
    ):
        (row,) = result.read_all().to_pylist()
    ended = row["state"] != "killed"
    click.echo(f"{query_id} had {row['state']} already" if ended else f"{query_id} was killed")


def _line(row: dict[str, Any]) -> list[str]:
    text = " ".join(str(row["query"]).split())
    return [
        row["query_id"],
        row["user"],
        row["state"].lower(),
        row["engine"] or "",
        f"{row['created']:%Y-%m-%d %H:%M:%S}",
        format_seconds(seconds_of(row, time.time())),
        f"{row['rows']:,}",
        row["error_code"] or "",
        text if len(text) <= _TEXT else text[: _TEXT - 1] + "…",
    ]


def _print_table(lines: list[list[str]]) -> None:
    from sqe.cli.screen import escape_controls, pad, width

    cells = [list(_HEADINGS), *([escape_controls(cell) for cell in line] for line in lines)]
    widths = [max(width(line[column]) for line in cells) for column in range(len(_HEADINGS))]
    for line in cells:
        padded = (
            pad(cell, wide, right=heading in ("TOOK", "ROWS"))
            for cell, wide, heading in zip(line, widths, _HEADINGS, strict=True)
        )
        click.echo("  ".join(padded).rstrip())
