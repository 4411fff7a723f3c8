"""``sqe demo``: makes the demo tables if they are not there, and runs the tour."""

from __future__ import annotations

import io
import shutil
import sys
from typing import TYPE_CHECKING, NoReturn

import click

from sqe.cli.demo.steps import COUNTS, EXPECTED_COUNTS, TABLES, Step, prices, tour
from sqe.cli.exit_codes import ExitCode, exit_code_of
from sqe.cli.invocation import Invocation
from sqe.errors import SqeError

if TYPE_CHECKING:
    from sqe.cli.running import Outcome
    from sqe.client.transport import Transport

_GOODBYE = """
That was the tour. The tables are in lake.demo; the tour can be taken again.

  sqe shell      type SQL yourself   (in a clone: .venv/bin/sqe shell)
  make serve     run the gateway until Ctrl-C
  sqe sql "SELECT city, count(*) FROM lake.demo.customers GROUP BY city ORDER BY 2 DESC"
"""


@click.command("demo")
@click.option("--reset", is_flag=True, help="Drop the demo's tables first and make them anew.")
@click.pass_obj
def command(invocation: Invocation, reset: bool) -> None:
    """Make a small lakehouse in lake.demo and take a tour of it; ends by itself."""
    click.echo(
        "Spark starts with the first query; on a new machine it fetches Iceberg (120 MB) first."
    )
    with invocation.transport("sqe-demo", frozenset({prices()})) as transport:
        guide = _Guide(transport)
        if reset:
            guide.reset()
        steps = tour()
        for number, step in enumerate(steps, 1):
            guide.show(number, step)
        guide.check()
    click.echo(_GOODBYE, nl=False)


class _Guide:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def reset(self) -> None:
        for table in TABLES:
            self._quietly(f"DROP TABLE IF EXISTS lake.demo.{table}")

    def show(self, number: int, step: Step) -> None:
        click.secho(f"\n{number}. {step.title}", bold=True)
        click.echo(step.words)
        for statement in step.statements:
            click.echo()
            click.secho(_prompted(statement), fg="cyan")
            self._run(statement)

    def check(self) -> None:
        """Someone who changed the tables must not take the answers above for the tour's."""
        if self._first_row(COUNTS) != EXPECTED_COUNTS:
            click.echo(
                "\nThe tables of lake.demo were changed since the demo made them, so the answers "
                "above are not the tour's. `sqe demo --reset` makes the tables anew.",
                err=True,
            )
            raise click.exceptions.Exit(ExitCode.USER_ERROR)

    def _run(self, text: str) -> None:
        from sqe.cli.formats import OutputFormat
        from sqe.cli.formats.writer import writer_for
        from sqe.cli.running import run_statement

        sys.stdout.flush()
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        writer = writer_for(OutputFormat.TABLE, sys.stdout.buffer, screen_width=width)
        try:
            outcome: Outcome = run_statement(self._transport, text, writer)
        except SqeError as error:
            self._fail(error, text)
        click.echo(outcome.summary)

    def _fail(self, error: SqeError, text: str) -> NoReturn:
        from sqe.cli.errors import render_error
        from sqe.cli.statements import split

        click.echo(render_error(error, next(split(text))), err=True)
        raise click.exceptions.Exit(exit_code_of(error)) from error

    def _first_row(self, text: str) -> list[str]:
        """For answers without commas in them."""
        return self._quietly(text).split("\r\n")[1].split(",")

    def _quietly(self, text: str) -> str:
        from sqe.cli.formats.delimited import CsvWriter
        from sqe.cli.running import run_statement

        out = io.BytesIO()
        run_statement(self._transport, text, CsvWriter(out))
        return out.getvalue().decode()


def _prompted(text: str) -> str:
    first, *rest = text.splitlines()
    return (
        "\n".join([f"sqe> {first}", *(f"...> {line}" if line else "...>" for line in rest)]) + ";"
    )
