"""Whether every entry of the proven list occurs in the cases that ran locally."""

from __future__ import annotations

import re

from sqe.engines.local.compile import proven


def proven_names() -> set[tuple[str, ...]]:
    """Each entry as the names it goes by: one of them has to occur."""
    functions = {tuple(function.names) for function in proven.FUNCTIONS}
    return functions | {(name,) for name in proven.AGGREGATES}


def called(sql: str) -> set[str]:
    """Functions named in a text that was written by hand."""
    return set(re.findall(r"(\w+)\(", sql.lower()))


def untried(used: set[str]) -> list[str]:
    return sorted("/".join(names) for names in proven_names() if not used.intersection(names))
