"""Reads ``tour.sql``: a title, some words, statements; and what a later step needs of an answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import resources

from sqe.cli.statements import split

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
class Step:
    """``keep`` names the first cell of the last answer; later statements have it as {name}."""

    title: str
    words: str
    statements: tuple[str, ...]
    keep: str = ""


@dataclass
class _Draft:
    title: str
    words: list[str] = field(default_factory=list)
    sql: list[str] = field(default_factory=list)
    keep: str = ""

    def finish(self) -> Step:
        statements = tuple(statement.text for statement in split("\n".join(self.sql)))
        return Step(self.title, "\n".join(self.words), statements, self.keep)


def tour() -> tuple[Step, ...]:
    text = resources.files("sqe.cli.demo").joinpath("tour.sql").read_text(encoding="utf-8")
    return tuple(_parse(text))


def _parse(text: str) -> Iterator[Step]:
    draft: _Draft | None = None
    for line in text.splitlines():
        if line.startswith("-- # "):
            if draft is not None:
                yield draft.finish()
            draft = _Draft(line.removeprefix("-- # "))
        elif draft is not None and line.startswith("-- keep: "):
            draft.keep = line.removeprefix("-- keep: ")
        elif draft is not None and line.startswith("-- "):
            draft.words.append(line.removeprefix("-- "))
        elif draft is not None:
            draft.sql.append(line)
    if draft is not None:
        yield draft.finish()
