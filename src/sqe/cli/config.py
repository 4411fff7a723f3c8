"""``sqe config``: whether the settings are right, before a server is started with them."""

from __future__ import annotations

import click

from sqe.cli.exit_codes import ExitCode
from sqe.cli.invocation import Invocation
from sqe.errors import check_engine


@click.group("config")
def command() -> None:
    """Check the settings."""


@command.command("check")
@click.pass_obj
def check(invocation: Invocation) -> None:
    """Say whether a server would start with the settings, and what is wrong with them.

    Reads the settings and the files that they name: certificates, users, rules. Nothing is
    started, and no other service is asked. Exit code 0 if all is right, else 1.
    """
    check_engine("sqe config check")
    from sqe.cli.errors import render_error
    from sqe.server.config_check import check_parts

    settings = invocation.settings()
    click.echo("ok    settings")
    wrong = False
    for part in check_parts(settings):
        if part.error is None:
            click.echo(f"ok    {part.name}")
            continue
        wrong = True
        click.echo(f"wrong {part.name}")
        click.echo(render_error(part.error), err=True)
    if wrong:
        raise click.exceptions.Exit(ExitCode.USER_ERROR)
