"""A statement that was asked before is not compiled again, and never answers for another one."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from sqe.catalog.bound import BoundReference, BoundStatement, BoundTable
from sqe.catalog.protocol import Ident, Loaded
from sqe.engines.local.compile.remembered import CompiledPlans
from sqe.engines.local.plan import LocalPlan, Scan
from sqe.model.decision import Allow, Decision, Restrict, RowFilter
from sqe.model.identity import Identity
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
    decisions = {(TABLE, Access.READ): decision or Allow("all may")}
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


def test_a_table_seen_in_part_and_one_not_committed_are_compiled_each_time() -> None:
    compiled = Compiled()
    part = Restrict("some rows", (RowFilter("a > 1"),))
    for question in (asked(decision=part), asked(at=None)) * 2:
        compiled.ask(question)
    assert compiled.times == 4


def test_every_query_reads_with_its_own_keys() -> None:
    compiled = Compiled()
    compiled.ask(asked(keys={"s3.secret-access-key": "old"}))
    (scan,) = compiled.ask(asked(keys={"s3.secret-access-key": "new"})).scans
    assert compiled.times == 1
    assert scan.table.loaded is not None
    assert scan.table.loaded.config == {"s3.secret-access-key": "new"}
    assert "old" not in repr(vars(compiled.plans))
