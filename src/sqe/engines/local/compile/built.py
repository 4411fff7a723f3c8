"""How an entry of the proven list writes itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqe.engines.local.compile.compiling import Compiling
from sqe.engines.local.compile.value import Value
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import SparkType

# SQL, its type, and whether it may be NULL.
Built = tuple[str, SparkType, bool]
Build = Callable[[Compiling, Sequence[Value]], Built]


def need(condition: bool, why: str) -> None:
    """What is not so is Spark's to do."""
    if not condition:
        raise NotLocal(why)
