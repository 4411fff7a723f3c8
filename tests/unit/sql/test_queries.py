"""KILL QUERY: whose id, and why."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.sql.parse import parse
from sqe.sql.queries import KillQuery
from sqe.sql.text import TextLimits


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("KILL QUERY '20260101_000000_00001_abcde'", KillQuery("20260101_000000_00001_abcde")),
        ("kill query 'q1' message 'it''s '\n'enough'", KillQuery("q1", "it's enough")),
    ],
)
def test_a_query_is_named_by_its_id(text: str, command: KillQuery) -> None:
    statement = parse(text, TextLimits())
    assert statement.command == command
    assert statement.label == "kill query"
    assert not statement.traits.writes


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("KILL QUERY", "Expected the query's id in quotes"),
        ("KILL QUERY q1", "Expected the query's id in quotes"),
        ("KILL 'q1'", "Expected QUERY"),
        ("KILL QUERY 'q1' MESSAGE", "Expected a string in quotes"),
        ("KILL QUERY 'q1' now", "now"),
    ],
)
def test_what_is_not_one_is_refused_with_its_place(text: str, told: str) -> None:
    with pytest.raises(SqeError, match=told) as raised:
        parse(text, TextLimits())
    assert raised.value.code is ErrorCode.SYNTAX_ERROR
    assert raised.value.position is not None
