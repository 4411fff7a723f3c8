"""``sqe demo``: makes the demo tables if they are not there, and runs the tour."""

from __future__ import annotations

import io
import shutil
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

import click

from sqe.cli.demo.steps import COUNTS, EXPECTED_COUNTS, TABLES, Asked, Step, prices, tour
from sqe.cli.exit_codes import ExitCode, exit_code_of
from sqe.cli.invocation import Invocation
from sqe.errors import SqeError

if TYPE_CHECKING:
    from sqe.cli.invocation import OpenSession, ServerGateway
    from sqe.cli.running import Outcome
    from sqe.client.transport import Transport
    from sqe.settings import Settings

_GOODBYE = """
That was the tour. The tables are in lake.demo; the tour can be taken again.

  sqe shell      type SQL yourself   (in a clone: .venv/bin/sqe shell)
  make serve     run the gateway until Ctrl-C
  sqe console    beside it: the same in a browser
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
    ruled = replace(invocation, build=lambda settings: invocation.build(_with_rules(settings)))
    with ruled.session() as (gateway, session):
        guide = _Guide(gateway, session)
        if reset:
            guide.reset()
        steps = tour()
        for number, step in enumerate(steps, 1):
            guide.show(number, step)
        guide.check()
    click.echo(_GOODBYE, nl=False)


def _with_rules(settings: Settings) -> Settings:
    """The tour grants: rules made with SQL are on while it lasts, and who takes it administers
    them."""
    from sqe.client.embedded import current_user

    policy = settings.policy
    ruled = {"sql": True, "administrators": (*policy.administrators, current_user())}
    return settings.model_copy(update={"policy": policy.model_copy(update=ruled)})


class _Guide:
    def __init__(self, gateway: ServerGateway, session: OpenSession) -> None:
        self._gateway = gateway
        self._transports = {"": self._connect(session)}

    def _connect(self, session: OpenSession) -> Transport:
        from sqe.client.embedded import EmbeddedTransport

        return EmbeddedTransport(self._gateway, session, "sqe-demo", frozenset({prices()}))

    def _transport(self, user: str = "") -> Transport:
        from sqe.model.identity import Identity

        if user not in self._transports:
            self._transports[user] = self._connect(self._gateway.open_session(Identity(user)))
        return self._transports[user]

    def reset(self) -> None:
        for table in TABLES:
            self._quietly(f"DROP TABLE IF EXISTS lake.demo.{table}")

    def show(self, number: int, step: Step) -> None:
        click.secho(f"\n{number}. {step.title}", bold=True)
        click.echo(step.words)
        for statement in step.statements:
            click.echo()
            click.secho(_with_prompt(statement), fg="cyan")
            self._run(statement.text, statement.user)

    def check(self) -> None:
        """Someone who changed the tables must not take the answers above for the tour's."""
        if self._first_row(COUNTS) != EXPECTED_COUNTS:
            click.echo(
                "\nThe tables of lake.demo were changed since the demo made them, so the answers "
                "above are not the tour's. `sqe demo --reset` makes the tables anew.",
                err=True,
            )
            raise click.exceptions.Exit(ExitCode.USER_ERROR)

    def _run(self, text: str, user: str) -> None:
        from sqe.cli.formats import OutputFormat
        from sqe.cli.formats.writer import writer_for
        from sqe.cli.running import run_statement

        sys.stdout.flush()
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        writer = writer_for(OutputFormat.TABLE, sys.stdout.buffer, screen_width=width)
        try:
            outcome: Outcome = run_statement(self._transport(user), text, writer)
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
        from sqe.cli.formats.output import Output
        from sqe.cli.running import run_statement

        out = io.BytesIO()
        run_statement(self._transport(), text, CsvWriter(Output(out)))
        return out.getvalue().decode()


def _with_prompt(asked: Asked) -> str:
    first, *rest = asked.text.splitlines()
    prompt = asked.user or "sqe"
    more = "." * len(prompt) + ">"
    lines = [f"{prompt}> {first}", *(f"{more} {line}" if line else more for line in rest)]
    return "\n".join(lines) + ";"
