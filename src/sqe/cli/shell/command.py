"""``sqe shell``: type SQL and see answers."""

from __future__ import annotations

import sys

import click

from sqe.cli.formats import OutputFormat
from sqe.cli.invocation import Invocation
from sqe.cli.remote import Remote, server_options
from sqe.cli.sql import FORMATS


@click.command("shell")
@click.option(
    "-o", "--output", type=FORMATS, default="table", show_default=True, help="How rows are shown."
)
@server_options
@click.pass_obj
def command(invocation: Invocation, output: str, remote: Remote | None) -> None:
    r"""Type SQL, end it with a semicolon, see its rows.

    Ctrl-C cancels the running query, a second one and Ctrl-D leave, \? lists the commands. With a
    pipe on stdin this is `sqe sql`.
    """
    chosen = OutputFormat(output)
    where = invocation.transport("sqe-shell", remote=remote)
    if not sys.stdin.isatty():
        from sqe.cli.sql import read_stdin, run_source

        run_source(where, read_stdin(), chosen, sys.stdout.buffer)
        return
    if chosen.binary:
        raise click.UsageError(f"{output} is binary and no format for a screen; use `sqe sql`.")
    from sqe.cli.shell.repl import Shell
    from sqe.cli.shell.state import ShellState

    settings = invocation.settings()
    state = ShellState(chosen, limit=settings.shell.limit, pager=settings.shell.pager)
    with where as transport:
        Shell(transport, state, settings.home / "shell_history", invocation).run()
