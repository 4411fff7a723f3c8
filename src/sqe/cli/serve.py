"""``sqe serve``: the gateway until it is stopped."""

from __future__ import annotations

import logging
import os
from typing import Any

import click

from sqe.cli.invocation import Invocation, collect_garbage

_log = logging.getLogger(__name__)
_PORT = click.IntRange(0, 65535)


@click.command("serve")
@click.option("--host", help="Address of the health endpoint; the setting serve.host if unset.")
@click.option("--port", type=_PORT, help="Its port; 0 takes a free one.")
@click.option("--flight-host", help="Address of Flight SQL; the setting flight.host if unset.")
@click.option("--flight-port", type=_PORT, help="Its port; 0 takes a free one.")
@click.option("--trino-host", help="Address of Trino's protocol; the setting trino.host if unset.")
@click.option("--trino-port", type=_PORT, help="Its port; 0 takes a free one.")
@click.pass_obj
def command(
    invocation: Invocation, /, host: str | None, port: int | None, **protocols: Any
) -> None:
    """Run the gateway until SIGTERM or Ctrl-C.

    Says `sqe is ready on http://…`, `Flight SQL is at grpc://…`, `Trino's protocol is at
    http://…` and `Iceberg's REST catalog is at http://…` on stderr once it answers; Spark starts
    in the background. GET /health says whether the process lives, GET /ready whether the gateway
    answers. A changed file of settings is taken up within a second, or on SIGHUP; /readyz says
    what of it waits for the next start.
    """
    from sqe.http.serving import HttpThread, ServingOptions
    from sqe.server.run import Addresses, EndedAtOnce, serve

    source = invocation.settings_source()
    settings = source.load()
    at = Addresses(
        host or settings.serve.host,
        settings.serve.port if port is None else port,
        **protocols,
    )
    server = invocation.build(settings)
    server.follow(source)
    collect_garbage()
    options = ServingOptions(setting="serve.port")
    try:
        closed = serve(
            server,
            lambda app, host, port: HttpThread(app, host, port, options),
            at,
            _announce,
            settings.serve.drain_s,
        )
    except EndedAtOnce as ended:
        _announce("sqe was ended at once")
        os._exit(int(str(ended.code)))  # libraries wait for what runs at a normal end
    if not closed:
        _announce("sqe did not stop in time and was ended")
        os._exit(0)  # what hangs would hang on at a normal end, too


def _announce(line: str) -> None:
    click.echo(line, err=True)
    _log.info("%s", line)
