"""``sqe serve``: the gateway until it is stopped."""

from __future__ import annotations

import click

from sqe.cli.invocation import Invocation, collect_garbage


@click.command("serve")
@click.option("--host", help="Address of the health endpoint; the setting serve.host if unset.")
@click.option("--port", type=click.IntRange(0, 65535), help="Its port; 0 takes a free one.")
@click.pass_obj
def command(invocation: Invocation, host: str | None, port: int | None) -> None:
    """Run the gateway until SIGTERM or Ctrl-C.

    Says `sqe is ready on http://…` on stderr once it answers; Spark starts in the background.
    GET /health says whether the process lives, GET /ready whether the gateway answers.
    """
    from sqe.catalog.rest.serving import HttpThread
    from sqe.server.run import serve

    settings = invocation.settings()
    address = host or settings.serve.host
    number = settings.serve.port if port is None else port

    server = invocation.build(settings)
    collect_garbage()
    stopped = serve(
        server,
        lambda app: HttpThread(app, address, number),
        address,
        lambda line: click.echo(line, err=True),
    )
    if not stopped:
        click.echo("sqe did not stop in time and was ended", err=True)
