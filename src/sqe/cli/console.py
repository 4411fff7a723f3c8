"""``sqe console``: the page where people ask, look and understand, as themselves."""

from __future__ import annotations

import signal
import threading
from typing import Any

import click

from sqe.cli.remote import TLS_OPTIONS
from sqe.errors import ErrorCode, UserError

_PORT = click.IntRange(0, 65535)
_MB = 1 << 20


@click.command("console")
@click.option(
    "--server", metavar="URL", default="grpc://127.0.0.1:32010", show_default=True,
    help="The gateway: grpc://host:port or grpc+tls://host:port.",
)  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=_PORT, default=8991, show_default=True, help="0 takes a free one.")
@click.option("--url", help="Where people reach it, if a proxy with TLS is in front of it.")
@click.option(
    "--idle-minutes", type=click.IntRange(1, 1440), default=60, show_default=True,
    help="A login that is not used for so long ends.",
)  # fmt: skip
@click.option(
    "--result-mb", type=click.IntRange(1, 1 << 20), default=1024, show_default=True,
    help="What is kept of one result, on disk, while it is looked at.",
)  # fmt: skip
def command(server: str, host: str, port: int, url: str | None, **given: Any) -> None:
    """Run the console: a page where people ask, look and understand, as themselves.

    It is a client of the gateway with no rights of its own: whoever logs in works with their own.
    """
    from sqe.console.app import Console
    from sqe.console.assets import read_assets
    from sqe.console.browser_sessions import BrowserSessions
    from sqe.console.logins import Logins
    from sqe.console.runs import Limits
    from sqe.http.serving import HttpThread, ServingOptions
    from sqe.model.hosts import is_own_machine

    if url is None and not is_own_machine(host):
        raise UserError(
            ErrorCode.INVALID_SETTINGS,
            f"The console would listen on {host}, which others can reach, without TLS.",
            hint="Listen on 127.0.0.1; or put a proxy with TLS in front, and say its --url.",
        )
    tls = {name: given[name] for name in ("tls_ca", "tls_cert", "tls_key", "tls_host")}
    logins = Logins(
        server,
        {name: value for name, value in tls.items() if value is not None},
        Limits(given["result_mb"] * _MB),
    )
    sessions = BrowserSessions(given["idle_minutes"] * 60.0)
    app = Console(logins, sessions, read_assets(), url or "").app()
    http = HttpThread(app, host, port, ServingOptions(setting="--port"))
    http.start()
    click.echo(f"The console is at {url or http.url}", err=True)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    stop.wait()
    http.stop()
    sessions.close()
    logins.close()


for _option in reversed(TLS_OPTIONS):
    command = _option(command)
