"""Statements before and after a rewrite: the format of ``tests/sql/*.sql``, and the data they read.

A file has the name of the rewrite of ``rewrite/rules.py`` that it is about, and cases:

    -- # What the case shows
    -- staff: filter dept = 'it'          what bob may see of a table: filter, mask, hide; a blank
                                          in the table's name is written _
    -- with: 5, 'it'                      values of its markers; "as: count" counts its rows
    the statement as bob writes it, in the schema lake.pairs
    -- =>
    the statement as an engine gets it; a table's name there is its full name, so that ann, who
    sees everything, can run it
    -- rows                               what both give; "leaves staff": what both leave there
    -- 1, it

``-- refused CODE`` stands in place of ``-- =>`` where nothing runs; ``-- fails CODE`` before
``-- leaves`` where both begin to run and write nothing. White space does not matter.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sqe.model.decision import Decision, Restrict, RowFilter
from sqe.model.masks import (
    BucketMask,
    ConstantMask,
    ExpressionMask,
    HashMask,
    Mask,
    NullMask,
    PartialMask,
    RegexMask,
    TruncateMask,
)
from sqe.model.names import RelationName, SchemaName
from sqe.model.query import Parameter

FOLDER = Path(__file__).parent
SCHEMA = SchemaName("lake", ("pairs",))
KEY = ":hash_key"  # what stands for the key of a hash mask

_PEOPLE = (
    {"id": "int", "dept": "string", "pay": "decimal(10, 2)", "mail": "string", "hired": "date"},
    "(1, 'it', 100, 'ann@x.org', DATE'2020-01-15'), (2, 'hr', 200, 'bob@x.org', DATE'2021-02-20'),"
    " (3, 'it', 300, NULL, NULL), (4, NULL, NULL, 'dan@x.org', DATE'2022-03-25')",
)
TABLES = {
    "emp": _PEOPLE,
    "staff": _PEOPLE,  # to be written
    "mine": ({"d": "string", "u": "string"}, "('it', 'bob'), ('hr', 'ann')"),
    "gaps": ({"k": "int", "i": "int"}, "(1, 5), (2, NULL), (3, 7)"),  # to be written too
    "Odd Name": (
        {"a b": "int", "select": "string", "null": "string"},
        "(1, 'x', 'n'), (2, 'y', 'm')",
    ),
}
VIEWS = {
    "plain": ("", "SELECT id, dept FROM emp"),
    "lent": ("SECURITY DEFINER", "SELECT id, dept FROM emp WHERE id < 4"),  # ann's
}


@dataclass
class Pair:
    file: str
    title: str
    decisions: dict[str, Decision] = field(default_factory=dict)  # by full name
    before: str = ""
    after: str = ""
    refused: str = ""
    fails: str = ""
    values: tuple[Parameter, ...] = ()
    counts: bool = False
    leaves: str = ""  # the table whose rows are given
    rows: list[str] | None = None

    def __str__(self) -> str:
        return f"{self.file}: {self.title}"


def pairs() -> list[Pair]:
    return [pair for path in sorted(FOLDER.glob("*.sql")) for pair in _pairs(path)]


def squeezed(text: str) -> str:
    """On one line."""
    return " ".join(text.split()).replace("( ", "(").replace(" )", ")")


def _pairs(path: Path) -> Iterator[Pair]:
    _, *parts = re.split(r"^-- # ", path.read_text(), flags=re.MULTILINE)
    for part in parts:
        title, *lines = part.strip().splitlines()
        pair = Pair(path.stem, title)
        _read(pair, lines)
        assert pair.before and (pair.after or pair.refused), pair
        yield pair


def _read(pair: Pair, lines: list[str]) -> None:
    state, limits = "before", dict[str, list[tuple[str, str]]]()
    for line in lines:
        word, _, rest = line.removeprefix("-- ").partition(" ")
        if not line.startswith("-- "):
            setattr(pair, state, f"{getattr(pair, state)}{line}\n")
        elif state == "rows":
            assert pair.rows is not None
            pair.rows.append(line.removeprefix("-- "))
        elif word == "=>":
            state = "after"
        elif word == "refused":
            pair.refused = rest
        elif word == "fails":
            pair.fails = rest
        elif word in ("rows", "leaves"):
            state, pair.rows, pair.leaves = "rows", [], rest
        elif word == "with:":
            pair.values = tuple(map(_value, ast.literal_eval(f"({rest},)")))
        elif word == "as:":
            pair.counts = rest == "count"
        else:
            kind, _, what = rest.partition(" ")
            table = word.removesuffix(":").replace("_", " ")
            limits.setdefault(str(RelationName(SCHEMA, table)), []).append((kind, what))
    pair.decisions = {name: _decision(rules) for name, rules in limits.items()}


def _value(value: object) -> Parameter:
    return Parameter("string" if isinstance(value, str) else "int", value)


def _decision(rules: list[tuple[str, str]]) -> Decision:
    filters, masks, hidden = [], {}, []
    for kind, what in rules:
        if kind == "filter":
            filters.append(RowFilter(what, check=True))
        elif kind == "mask":
            column, _, mask = what.partition(" ")
            masks[column] = _mask(mask)
        elif kind == "hide":
            hidden.append(what)
        else:
            raise ValueError(f"{kind} is no rule")
    return Restrict("test", tuple(filters), masks, frozenset(hidden))


def _mask(text: str) -> Mask:
    kind, _, rest = text.partition(" ")
    words = rest.split()
    match kind:
        case "null":
            return NullMask()
        case "constant":
            return ConstantMask(rest)
        case "partial":
            return PartialMask(int(words[0]), int(words[1]), words[2])
        case "truncate":
            return TruncateMask(rest)
        case "bucket":
            return BucketMask(int(rest))
        case "regex":
            return RegexMask(words[0], words[1])
        case "hash":
            return HashMask()
        case "expression":
            return ExpressionMask(rest)
    raise ValueError(f"{kind} is no mask")
