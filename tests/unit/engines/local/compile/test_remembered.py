"""A statement that was asked before is not compiled again, and never answers for another one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa

from sqe.binding.bound import BoundReference, BoundStatement, BoundTable
from sqe.catalog.protocol import Ident, Loaded
from sqe.engines.local.compile.remembered import CompiledPlans
from sqe.engines.local.plan import LocalPlan, Scan
from sqe.model.decision import Allow, Decision, Restrict, RowFilter
from sqe.model.identity import Identity
from sqe.model.masks import BucketMask, NullMask
from sqe.model.names import RelationName, SchemaName
from sqe.model.query import Column
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.parse import parse
from sqe.sql.statement import Access

ANN, BOB = Identity("ann"), Identity("bob")
TABLE = RelationName(SchemaName("lake", ("db",)), "t")


def asked(
    text: str = "SELECT a FROM t",
    metadata: bytes = b"{}",
    at: str | None = "file:///one.json",
    keys: Mapping[str, str] | None = None,
    decision: Decision | None = None,
) -> GuardedStatement:
    statement = parse(text)
    loaded = Loaded(metadata, at, config=keys or {})
    table = BoundTable(TABLE, Ident(("db",), "t"), loaded, (Column("a", "int"),))
    references = tuple(BoundReference(reference, table) for reference in statement.references)
    decisions = {(TABLE, Access.READ, ""): decision or Allow("all may")}
    return GuardedStatement(BoundStatement(statement, references), decisions)


class Compiled:
    """Counts how often it is asked."""

    def __init__(self) -> None:
        self.times = 0
        self.plans = CompiledPlans(self._compile)

    def _compile(self, guarded: GuardedStatement, time_zone: str) -> LocalPlan:
        self.times += 1
        (reference,) = guarded.bound.references
        assert isinstance(reference.target, BoundTable)
        return LocalPlan("SELECT 1", [Scan("scan_1", reference.target, ())], (), pa.schema([]))

    def ask(
        self, guarded: GuardedStatement, user: Identity = ANN, time_zone: str = "UTC"
    ) -> LocalPlan:
        return self.plans.compile(guarded, user, time_zone)


def test_the_same_question_is_compiled_once() -> None:
    compiled = Compiled()
    first, second = compiled.ask(asked()), compiled.ask(asked())
    assert compiled.times == 1
    assert (first.sql, first.schema, first.columns) == (second.sql, second.schema, second.columns)


def test_whatever_else_is_asked_is_compiled_for_itself() -> None:
    compiled = Compiled()
    compiled.ask(asked())
    compiled.ask(asked(), BOB)
    compiled.ask(asked(), time_zone="Europe/Berlin")
    compiled.ask(asked("SELECT  a FROM t"))
    compiled.ask(asked(metadata=b'{"changed": 1}'))
    compiled.ask(asked(at="file:///two.json"))
    compiled.ask(asked(decision=Allow("for another reason")))
    assert compiled.times == 7


def test_a_table_that_is_not_committed_is_compiled_each_time() -> None:
    compiled = Compiled()
    for _ in range(2):
        compiled.ask(asked(at=None))
    assert compiled.times == 2


def test_who_sees_another_part_of_a_table_gets_another_plan() -> None:
    compiled = Compiled()
    some = Restrict("some rows", (RowFilter("a > 1"),))
    parts = (
        some,
        replace(some, filters=(RowFilter("a > 2"),)),
        replace(some, masks={"a": NullMask()}),
        replace(some, masks={"a": BucketMask(10)}),
        replace(some, hidden=frozenset({"a"})),
    )
    for part in parts * 2:
        compiled.ask(asked(decision=part))
    assert compiled.times == len(parts)


def test_every_query_reads_with_its_own_keys() -> None:
    compiled = Compiled()
    compiled.ask(asked(keys={"s3.secret-access-key": "old"}))
    (scan,) = compiled.ask(asked(keys={"s3.secret-access-key": "new"})).scans
    assert compiled.times == 1
    assert scan.table.loaded is not None
    assert scan.table.loaded.config == {"s3.secret-access-key": "new"}
    assert "old" not in repr(vars(compiled.plans))
