"""``python -m sqe.testing --config FILE``: the test catalog as a process of its own."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import click

from sqe.testing.configured import serve


@click.command()
@click.option(
    "--config",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What to serve; docs/guides/testing.md shows such a file.",
)
def main(config: Path) -> None:
    """Serves a catalog that behaves like Polaris until it is stopped."""
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    catalog = serve(config)
    click.echo(f"catalog {catalog.url}\nadmin {catalog.admin_url}")
    ended.wait()
    catalog.stop()


if __name__ == "__main__":
    main()
