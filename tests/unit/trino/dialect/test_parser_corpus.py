"""Trino's own answers: what it reads, SQE reads; where it stops, SQE stops."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from sqe.sql.statement import position_at
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.nodes import ExecuteImmediate, QueryStatement
from sqe.trino.dialect.parser import immediate_text, parse
from sqe.trino.dialect.statements.query_text import query_text

CORPORA = Path(os.environ.get("SQE_CORPORA") or Path(__file__).parents[5] / "shared/corpora")
FOLDER = CORPORA / "trino"

# Read by Trino, refused by SQE's parser, by name.
REFUSED = ("several statements", "AFTER in a window")
# Errors of the JSON path language, which is not read by this parser.
PATHS = frozenset({"err-runtime-054", "fn-json-195"})

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the corpora are not here")


class Case(NamedTuple):
    id: str
    sql: str
    error: str | None  # Trino's name
    message: str


def _case(id: str, recorded: dict[str, object]) -> Case:
    error = recorded.get("error") or {}
    assert isinstance(error, dict)
    name = error.get("errorName") or error.get("name")
    # A value that an earlier step of a script would have given.
    sql = re.sub(r"\$\{\w+\}", "1", str(recorded["sql"]))
    return Case(id, sql, name, str(error.get("message")))


def _cases() -> Iterator[Case]:
    for file in sorted(FOLDER.glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            one = json.loads(line)
            for number, step in enumerate(one.get("steps", [one])):
                yield _case(f"{one['id']}.{number}" if "steps" in one else one["id"], step)


def _whole(sql: str) -> None:
    statement = parse(sql)
    if isinstance(statement, ExecuteImmediate):
        parse(immediate_text(statement, sql))


def _refusal(sql: str) -> str | None:
    try:
        _whole(sql)
    except Refused as refused:
        assert refused.at is not None
        place = position_at(sql, refused.at)
        return f"{refused.name} line {place.line}:{place.column}: {refused.message}"
    return None


def test_what_trino_reads_is_read() -> None:
    wrong = []
    count = 0
    for case in _cases():
        if case.error != "SYNTAX_ERROR":
            count += 1
            refusal = _refusal(case.sql)
            if refusal is not None and not any(
                f"{what} is not supported" in refusal for what in REFUSED
            ):
                wrong.append((case.id, case.sql, refusal))
    assert count > 2_000
    assert wrong == []


def test_errors_are_where_trino_has_them() -> None:
    wrong = []
    count = 0
    for case in _cases():
        if case.error == "SYNTAX_ERROR" and case.id not in PATHS:
            count += 1
            place = re.match(r"line \d+:\d+", case.message)
            assert place is not None
            refusal = _refusal(case.sql)
            if refusal is None or not refusal.startswith(f"SYNTAX_ERROR {place.group()}: "):
                wrong.append((case.id, case.sql, refusal, case.message))
    assert count > 60
    assert wrong == []


def test_errors_have_trinos_words() -> None:
    """After ``ALTER TABLE t ADD`` ANTLR goes back to what it expected before."""
    other = {
        case.id
        for case in _cases()
        if case.error == "SYNTAX_ERROR"
        and case.id.startswith("err-")
        and _refusal(case.sql) != f"SYNTAX_ERROR {case.message}"
    }
    assert other == {"err-syntax-057", "err-runtime-054"}


def test_what_show_create_view_prints_makes_the_same_view() -> None:
    """Of every query that Trino was asked, as the query of a view."""
    count = 0
    for case in _cases():
        if _refusal(case.sql) is not None:
            continue
        statement = parse(case.sql)
        if isinstance(statement, QueryStatement):
            text = query_text(statement.query, case.sql)
            again = parse(text)
            assert isinstance(again, QueryStatement), case.id
            assert query_text(again.query, text) == text, case.id
            count += 1
    assert count > 1_500
