"""Which Trino SQE is to its clients."""

from __future__ import annotations

from sqe import __version__

SPOKEN = "476"  # the version whose protocol and dialect this is
VERSION = f"{SPOKEN}.sqe-{__version__}"
