"""Which part of the catalogue the local engine takes: asked of it, entry by entry.

Cases made of everything would nearly all hold one thing that it refuses, and prove nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from tests.differential.aggregates import AGGREGATES, POSITIONAL, RANKING, WINDOWED
from tests.differential.catalogue import SCALARS, Entry, by_result
from tests.differential.clauses import CLAUSES
from tests.differential.data import BASIC, TableSpec
from tests.differential.expressions import Palette, fill
from tests.differential.literals import TAME, WILD, null_of
from tests.differential.relations import TABLES
from tests.differential.sources import scope_of
from tests.differential.tree import node

Takes = Callable[[str], bool]

# A column of each kind, in a table that has few rows.
_COLUMNS: dict[str, tuple[str, str]] = {
    column.kind: (column.text, table.name)
    for table in reversed(BASIC)
    for column in scope_of(table, "", frozenset(TAME)).columns
}


def accepted(takes: Takes, tables: tuple[TableSpec, ...] = TABLES) -> Palette:
    """What is refused, for its kinds or its form, is left out."""
    kinds = frozenset(kind for kind in TAME if takes(_select_column(kind)))
    scalars = [
        entry
        for entry in SCALARS
        if entry.result in kinds and any(takes(sql) for sql in _calls(entry, ""))
    ]
    over = " OVER (PARTITION BY id ORDER BY id)"
    return Palette(
        scalars=by_result(scalars),
        aggregates=_kept(takes, AGGREGATES, lambda _: ""),
        ranking=_kept(takes, RANKING, lambda _: over),
        positional=_kept(takes, POSITIONAL, lambda _: over),
        windowed=_kept(takes, WINDOWED, lambda _: over),
        kinds=kinds,
        tame=_literals(takes, TAME),
        wild=_literals(takes, WILD),
        clauses=frozenset(name for name, sql in CLAUSES.items() if takes(sql)),
        tables=tuple(
            table
            for table in tables
            if takes(f"SELECT id FROM {table.name} AS t")
            or takes(f"SELECT * FROM {table.name} AS t")
        ),
    )


def _literals(takes: Takes, known: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {
        kind: tuple(text for text in texts if takes(f"SELECT {text} AS x FROM one"))
        for kind, texts in known.items()
    }


def _kept(
    takes: Takes, entries: Iterable[Entry], over: Callable[[Entry], str]
) -> tuple[Entry, ...]:
    return tuple(
        entry for entry in entries if any(takes(sql) for sql in _calls(entry, over(entry)))
    )


def _select_column(kind: str) -> str:
    column, table = _COLUMNS[kind]
    return f"SELECT {column} FROM {table}"


def _calls(entry: Entry, behind: str) -> Iterable[str]:
    """The entry over columns, once with each first literal and once with each second one."""
    for choice in (0, 1):
        arguments = []
        table = "one"
        for arg in entry.args:
            if arg.startswith("#"):
                texts = arg[1:].split("|")
                text = texts[min(choice, len(texts) - 1)].replace("~", " ")
            elif arg in _COLUMNS and table in ("one", _COLUMNS[arg][1]):
                text, table = _COLUMNS[arg]
            else:
                text = null_of(arg)
            arguments.append(node(arg, text))
        yield f"SELECT {fill(entry, arguments)}{behind} AS x FROM {table}"


def without(palette: Palette, names: frozenset[str]) -> Palette:
    """For looking past a known difference."""

    def kept(entries: Iterable[Entry]) -> tuple[Entry, ...]:
        return tuple(entry for entry in entries if entry.name not in names)

    return replace(
        palette,
        scalars=by_result(kept(e for group in palette.scalars.values() for e in group)),
        aggregates=kept(palette.aggregates),
        ranking=kept(palette.ranking),
        positional=kept(palette.positional),
        windowed=kept(palette.windowed),
    )
