"""Reads ``tour.sql``: titles, some words, statements. ``{prices}`` in them is a file to load;
from a line ``-- @ada`` on, the statements of a step are ada's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sqe.cli.statements import split

_FOLDER = Path(__file__).parent

# How many rows the tables have that the tour makes and does not change; and all that it makes.
COUNTS = """
SELECT
  (SELECT count(*) FROM lake.demo.customers) AS customers,
  (SELECT count(*) FROM lake.demo.orders) AS orders,
  (SELECT count(*) FROM lake.demo.price_changes) AS price_changes
"""
EXPECTED_COUNTS = ["500", "5000", "6"]
TABLES = ("customers", "products", "orders", "monthly_revenue", "price_changes")


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement, and whose it is; nobody named: of the one who takes the tour."""

    text: str
    user: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    title: str
    words: str
    statements: tuple[Asked, ...]


@dataclass
class _Draft:
    title: str
    words: list[str] = field(default_factory=list)
    parts: list[tuple[str, list[str]]] = field(default_factory=lambda: [("", [])])

    def finish(self) -> Step:
        asked = tuple(
            Asked(statement.text, user)
            for user, lines in self.parts
            for statement in split("\n".join(lines).replace("{prices}", prices()))
        )
        return Step(self.title, "\n".join(self.words), asked)


def tour() -> tuple[Step, ...]:
    return tuple(_parse((_FOLDER / "tour.sql").read_text(encoding="utf-8")))


def prices() -> str:
    """The real path of the file that the tour loads."""
    return os.path.realpath(_FOLDER / "prices.csv")


def _parse(text: str) -> Iterator[Step]:
    draft: _Draft | None = None
    for line in text.splitlines():
        if line.startswith("-- # "):
            if draft is not None:
                yield draft.finish()
            draft = _Draft(line.removeprefix("-- # "))
        elif draft is not None and line.startswith("-- @"):
            draft.parts.append((line.removeprefix("-- @"), []))
        elif draft is not None and line.startswith("-- "):
            draft.words.append(line.removeprefix("-- "))
        elif draft is not None:
            draft.parts[-1][1].append(line)
    if draft is not None:
        yield draft.finish()
