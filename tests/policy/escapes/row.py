"""One trick: what it tries, how, and what must come of it.

In statements ``{s}`` is the schema: that of the tables under rules, or that of the copies which
hold only what may be seen. ``@open`` lifts the user's limits, ``@close`` puts them back; what
follows ``@root`` is done by someone without limits. ``{old}`` and ``{moment}`` are the snapshot
before the last one and the time after it was made.
"""

from __future__ import annotations

from dataclasses import dataclass

SAME = "the copy's answer"
QUIET = "nothing hidden in what is told"
TRINO = "trino"


@dataclass(frozen=True)
class Escape:
    """``must``: SAME, QUIET, or the code of the error. Nothing hidden may ever be in an answer,
    an error or a record, whatever comes of it."""

    name: str
    tries: str
    statements: tuple[str, ...]
    must: str
    dialect: str = "spark"


def tricks(
    must: str, tries: str, *texts: str | tuple[str, ...], dialect: str = "spark"
) -> list[Escape]:
    """Several ways to try the same; each is named by what is particular to it."""
    made = []
    for text in texts:
        statements = (text,) if isinstance(text, str) else text
        shown = [one for one in statements if not one.startswith("@")]
        made.append(Escape(shown[-1], tries, statements, must, dialect))
    return made
