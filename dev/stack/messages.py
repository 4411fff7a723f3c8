"""What is said to the person at the keyboard."""

from __future__ import annotations

import sys


class StackError(Exception):
    """A sentence that says what is wrong and what to do. Printed without a trace."""


def say(message: str) -> None:
    """On standard error: standard output is for answers."""
    print(f"stack: {message}", file=sys.stderr, flush=True)
