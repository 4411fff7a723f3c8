"""``tests/sql`` carried out: what a user's statement gives under the rules, its rewritten text
gives to who sees everything, and both are the rows that the file has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.model.names import quote
from sqe.model.query import QueryRequest
from tests.embedded.pipe.lake import Lake
from tests.sql.pairs import KEY, SCHEMA, TABLES, VIEWS, Pair, pairs, squeezed

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

_RUNNABLE = [pair for pair in pairs() if pair.rows is not None]
READS = [pair for pair in _RUNNABLE if not pair.leaves]
WRITES = [pair for pair in _RUNNABLE if pair.leaves]


@pytest.fixture(scope="module")
def ann(shared_lake: Lake) -> Iterator[Lake]:
    """Who made everything, and sees all of it."""
    own = shared_lake.another_session()
    own.all(f"CREATE SCHEMA {SCHEMA}", f"USE {SCHEMA}", *map(made, TABLES))
    own.run("ALTER TABLE emp CREATE TAG first")
    for name, (security, text) in VIEWS.items():
        own.run(f"CREATE VIEW {name} {security} AS {text}")
    yield own
    own.close()


@pytest.fixture(scope="module", params=["spark", "auto"])
def bob(ann: Lake, request: pytest.FixtureRequest) -> Iterator[Lake]:
    with_rules = ann.another_session("bob", request.param)
    with_rules.run(f"USE {SCHEMA}")
    yield with_rules
    with_rules.close()


def made(table: str) -> str:
    columns, rows = TABLES[table]
    names = ", ".join(map(quote, columns))
    items = ", ".join(
        f"CAST({quote(name)} AS {kind}) AS {quote(name)}" for name, kind in columns.items()
    )
    query = f"SELECT {items} FROM (VALUES {rows}) AS v({names})"
    return f"CREATE OR REPLACE TABLE {quote(table)} AS {query}"


def texts(lake: Lake, sql: str, pair: Pair | None = None) -> list[str]:
    request = QueryRequest(lake.session.id, sql, parameters=pair.values if pair else None)
    gateway = lake.server.gateway
    with gateway.fetch(gateway.submit(request)) as result:
        rows = zip(*(column.to_pylist() for column in result.read_all().columns), strict=True)
        return sorted(", ".join(map(_text, row)) for row in rows)


def after(pair: Pair) -> str:
    """Without barriers: all rows of a sample are all rows, and SQE's parser takes no sample of a
    query under an alias."""
    return squeezed(pair.after).replace(" TABLESAMPLE (100 PERCENT)", "")


def _text(value: Any) -> str:
    return "NULL" if value is None else str(value)


def ruled(bob: Lake, pair: Pair, sql: str) -> list[str]:
    """As bob, for whom the pair's rules are."""
    with ExitStack() as stack:
        for table, decision in pair.decisions.items():
            stack.enter_context(bob.rules.on(table, decision, user="bob"))
        return texts(bob, sql, pair)


@pytest.mark.parametrize("pair", READS, ids=str)
def test_both_sides_give_the_rows_of_the_file(ann: Lake, bob: Lake, pair: Pair) -> None:
    assert ruled(bob, pair, pair.before) == sorted(pair.rows or ())
    alone = not pair.values and KEY not in pair.after  # the engine gets no values beside it
    if alone and bob.session.property("sqe.engine") == "spark":
        assert texts(ann, after(pair)) == sorted(pair.rows or ())


@pytest.mark.parametrize("pair", WRITES, ids=str)
def test_both_sides_leave_the_rows_of_the_file(ann: Lake, pair: Pair) -> None:
    writer = ann.another_session("bob")
    writer.run(f"USE {SCHEMA}")
    writes: tuple[Callable[[], object], ...] = (
        lambda: ruled(writer, pair, pair.before),
        lambda: texts(ann, after(pair)),
    )
    for write in writes:
        ann.run(made(pair.leaves))
        if pair.fails:
            with pytest.raises(SqeError) as raised:
                write()
            assert raised.value.code is ErrorCode[pair.fails]
        else:
            write()
        assert texts(ann, f"SELECT * FROM {pair.leaves}") == sorted(pair.rows or ())
    writer.close()
