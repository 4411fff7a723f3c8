"""The stack of real services, for figures that need logins and catalogs of other people's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.bench import Bench
from benchmarks.figure import NotMeasured
from benchmarks.processes import ROOT
from dev.stack.messages import StackError
from dev.stack.places import Places, here
from dev.stack.stack import Stack
from dev.stack.summary import settings
from dev.stack.tables import fill_crowd


def stack(bench: Bench) -> Places:
    """Its addresses. It is brought up if it is not there, and then taken down after the run."""
    return bench.enter(_running(bench))


def stack_settings(bench: Bench) -> dict[str, str]:
    """The environment of an SQE server on the stack, in a new home."""
    places = bench.once(stack)
    home = bench.folder()
    (home / "sqe.toml").write_text(settings(places))
    return {
        "SQE_HOME": str(home),
        "SQE_STACK_CACHE": str(places.cache),
        "SQE_STACK_OFFSET": str(places.offset),
    }


@contextmanager
def _running(bench: Bench) -> Iterator[Places]:
    made = Stack(here())
    was_up = all(made.running().values())
    bench.note("the stack: " + ("running" if was_up else "bringing it up, see `make stack-up`"))
    try:
        if not was_up:
            # In a process of its own, which the services are not children of.
            command = [sys.executable, "-m", "dev.stack", "up"]
            subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        fill_crowd(made.places)
    except (StackError, subprocess.CalledProcessError) as error:
        raise NotMeasured(f"it needs the stack, which does not come up: {error}") from None
    yield made.places
    if not was_up:
        made.down()
