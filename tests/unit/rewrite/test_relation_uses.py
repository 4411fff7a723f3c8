"""What the record of a query says of the tables it touches."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.model.decision import Allow, Decision, Restrict, RowFilter
from sqe.model.identity import Identity
from sqe.model.query import RelationUse
from sqe.rewrite.guard import guard
from sqe.rewrite.needs import needs_of
from sqe.rewrite.relation_uses import relation_uses
from tests.unit.rewrite.bound_lake import BoundLake, bound_lake, struct

T = struct(id="int", name="string", pay="int")
U = struct(id="int", city="string")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoundLake]:
    with bound_lake(tmp_path_factory.mktemp("lake"), Identity("ann"), t=T, u=U) as made:
        yield made


def uses(lake: BoundLake, sql: str, decision: Decision | None = None) -> list[RelationUse]:
    bound = lake.bound(sql)
    decisions = {need.key: decision or Allow("all") for need in needs_of(bound)}
    return list(relation_uses(guard(bound, decisions, lake)))


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT name FROM t WHERE pay > 1", ("name", "pay")),
        ("SELECT x.ID FROM t AS x", ("id",)),
        ("SELECT count(*) FROM t", ()),
        ("SELECT * FROM t", ("id", "name", "pay")),
        ("SELECT t.* FROM t", ("id", "name", "pay")),
        ("SELECT city FROM t NATURAL JOIN u", ("id", "name", "pay")),
        ("SELECT city FROM t JOIN u USING (id)", ("id",)),
        ("SELECT 1 FROM u WHERE id IN (SELECT pay FROM t)", ("id", "pay")),
        ("WITH w AS (SELECT name FROM t) SELECT name FROM w", ("name",)),
    ],
)
def test_a_read_names_every_column_that_it_may_read(
    lake: BoundLake, sql: str, columns: tuple[str, ...]
) -> None:
    [use] = [one for one in uses(lake, sql) if one.name.endswith(".t")]
    assert (use.access, use.columns, use.rule) == ("read", columns, "all")


def test_a_write_is_told_apart_from_what_it_reads(lake: BoundLake) -> None:
    found = uses(lake, "INSERT INTO u SELECT id, name FROM t")
    assert [(one.name.rpartition(".")[2], one.access) for one in found] == [
        ("u", "write"),
        ("t", "read"),
    ]


def test_a_restricted_table_is_named_once_with_its_rule_and_without_what_is_hidden(
    lake: BoundLake,
) -> None:
    some = Restrict("rule 7", filters=(RowFilter("id > 1"),), hidden=frozenset({"pay"}))
    assert [(one.columns, one.rule) for one in uses(lake, "SELECT * FROM t", some)] == [
        (("id", "name"), "rule 7")
    ]
