"""``python -m dev.stack``: up, down, status, env, settings, run."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from types import FrameType

from dev.stack.messages import StackError, say
from dev.stack.places import here
from dev.stack.stack import Stack
from dev.stack.summary import addresses, settings, summary


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    stack = Stack(here())
    try:
        return int(_DO[given.verb](stack, getattr(given, "command", [])))
    except StackError as error:
        say(str(error))
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m dev.stack", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("up", help="fetch, start and fill what is not there; print where it is")
    verbs.add_parser("down", help="stop all of it; the cache stays")
    verbs.add_parser("status", help="what runs; 1 if anything does not")
    verbs.add_parser("env", help="the addresses, for a shell")
    verbs.add_parser("settings", help="settings of an SQE server on the stack")
    running = verbs.add_parser("run", help="up, then a command, then down if it was not up before")
    running.add_argument("command", nargs=argparse.REMAINDER)
    return parser


def _up(stack: Stack, _: list[str]) -> int:
    began = time.monotonic()
    stack.up()
    say(f"up after {time.monotonic() - began:.0f} s")
    print(summary(stack.places))
    return 0


def _down(stack: Stack, _: list[str]) -> int:
    stopped = stack.down()
    say(f"stopped {', '.join(stopped)}" if stopped else "nothing was running")
    return 0


def _status(stack: Stack, _: list[str]) -> int:
    running = stack.running()
    for name, well in running.items():
        print(f"{name:12} {'up' if well else 'down'}")
    return 0 if all(running.values()) else 1


def _env(stack: Stack, _: list[str]) -> int:
    for name, value in addresses(stack.places).items():
        print(f"export {name}={value}")
    return 0


def _settings(stack: Stack, _: list[str]) -> int:
    print(settings(stack.places), end="")
    return 0


def _run(stack: Stack, command: list[str]) -> int:
    """A stack that was running goes on; one that was started for this is taken down."""
    signal.signal(signal.SIGTERM, _interrupt)
    was_up = all(stack.running().values())
    try:
        stack.up()
        return subprocess.run(command, check=False).returncode
    finally:
        if not was_up:
            stack.down()


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt


_DO = {
    "up": _up,
    "down": _down,
    "status": _status,
    "env": _env,
    "settings": _settings,
    "run": _run,
}

if __name__ == "__main__":
    sys.exit(main())
