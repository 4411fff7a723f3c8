"""``sqe whoami``: as whom a server knows you."""

from __future__ import annotations

import click

from sqe.cli.invocation import Invocation
from sqe.cli.remote import Remote, server_options


@click.command("whoami")
@server_options
@click.pass_obj
def command(invocation: Invocation, /, remote: Remote | None) -> None:
    """Say as whom a server knows you, or, without --server, who you are in this process."""
    with invocation.transport("sqe-cli", remote=remote) as transport:
        click.echo(transport.user())
