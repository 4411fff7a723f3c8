"""A policy's expressions in Trino's dialect, for one reader, or refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pytest

from sqe.binding.bound import BoundTable, BoundView
from sqe.errors import AccessError
from sqe.model.decision import Restrict, RowFilter
from sqe.model.identity import Identity
from sqe.model.masks import ExpressionMask
from sqe.rewrite.unfit import Unfit
from sqe.trino.dialect.context import Known, KnownFunction
from sqe.trino.policy_expressions import trino_expression
from tests.unit.rewrite.bound_lake import BoundLake, bound_lake, struct

COLUMNS = struct(id="int", name="string", Ok="boolean")


class Nothing:
    """A catalog in which nothing else is."""

    def catalogs(self) -> Sequence[str]:
        return ["lake"]

    def schema_exists(self, catalog: str, schema: str) -> bool:
        return True

    def schema_properties(self, catalog: str, schema: str) -> Mapping[str, str]:
        return {}

    def relation(self, catalog: str, schema: str, name: str) -> Known | None:
        return None

    def target(self, catalog: str, schema: str, name: str) -> Known | None:
        return None

    def function(self, catalog: str, schema: str, name: str) -> KnownFunction | None:
        return None

    def functions(self, catalog: str, schema: str) -> Mapping[str, KnownFunction]:
        return {}


class TrinoLake(BoundLake):
    def translate(
        self, sql: str, dialect: str, kind: str, target: BoundTable | BoundView, identity: Identity
    ) -> str:
        assert dialect == "trino"
        return trino_expression(sql, kind, target, Nothing(), identity)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoundLake]:
    folder = tmp_path_factory.mktemp("lake")
    with bound_lake(folder, Identity("ann"), t=COLUMNS) as made:
        yield TrinoLake(made.catalog, made.binder, made.session)


def _written(
    lake: BoundLake, sql: str, kind: str = "boolean", groups: frozenset[str] = frozenset()
) -> str:
    [reference] = lake.bound("SELECT * FROM t").references
    assert isinstance(reference.target, BoundTable)
    return trino_expression(sql, kind, reference.target, Nothing(), Identity("ann", groups))


@pytest.mark.parametrize(
    ("sql", "kind", "expected"),
    [
        ("ok", "boolean", "Ok"),
        ("name = current_user", "boolean", "name = 'ann'"),
        ("id", "int", "id"),
        ("name", "string", "name"),
        ("lake.s.t.id", "int", "id"),
        ("t.name", "string", "name"),
    ],
)
def test_it_is_written_as_spark_does(lake: BoundLake, sql: str, kind: str, expected: str) -> None:
    written = _written(lake, sql, kind)
    assert written.replace("(", "").replace(")", "").replace("`", "") == expected


def test_the_readers_groups_are_written_into_it(lake: BoundLake) -> None:
    both = frozenset({"it", "h'r"})
    sql = "contains(current_groups(), name) OR name = 'current_groups()'"
    written = _written(lake, sql, groups=both)
    assert "it" in written and r"h\'r" in written and "'current_groups()'" in written
    assert written.index(r"h\'r") < written.index("'it'")
    assert "'it'" not in _written(lake, sql)
    assert _written(lake, "contains(Current_Groups ( ), name)", groups=both) in written


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("", "boolean"),
        ("  ", "boolean"),
        ("id", "boolean"),
        ("name", "boolean"),
        ("gone = 1", "boolean"),
        ("id = ?", "boolean"),
        ("ok; SELECT 1", "boolean"),
        ("ok) OR (ok", "boolean"),
        ("ok, ok", "boolean"),
        ("current_groups", "string"),
        ("current_groups(1)", "string"),
        ("nosuchfunction(id)", "int"),
        ("other.name", "string"),
        ("id IN (SELECT id FROM gone)", "boolean"),
        ("max(id) = 1", "boolean"),
        ("name = 'open", "boolean"),
    ],
)
def test_what_is_not_one_is_refused(lake: BoundLake, sql: str, kind: str) -> None:
    with pytest.raises(Unfit):
        _written(lake, sql, kind)


def test_a_temporary_view_has_no_policy(lake: BoundLake) -> None:
    [reference] = lake.bound("SELECT * FROM t").references
    assert isinstance(reference.target, BoundTable)
    metadata = reference.target.metadata
    inner = lake.bound("SELECT id FROM t")
    view = BoundView("w", inner, reference.target.columns, metadata=metadata)
    with pytest.raises(Unfit):
        trino_expression("ok", "boolean", view, Nothing(), Identity("ann"))
    stored = replace(view, relation=reference.target.name)
    assert trino_expression("t.ok", "boolean", stored, Nothing(), Identity("ann")) == _written(
        lake, "ok"
    )


def test_filters_and_masks_are_in_the_dialect_that_they_say(lake: BoundLake) -> None:
    mask = ExpressionMask("CASE WHEN ok THEN name END", "trino")
    limits = Restrict("test", (RowFilter("id IN (1, 2)", "trino"),), {"name": mask})
    [reference] = lake.guarded("SELECT * FROM t", {"lake.s.t": limits}).bound.references
    assert isinstance(reference.target, BoundView)
    assert "CASE WHEN" in reference.target.inner.statement.text
    for wrong in (RowFilter("id", "trino"), RowFilter("id::int = 1", "trino")):
        with pytest.raises(AccessError):
            lake.guarded("SELECT * FROM t", {"lake.s.t": Restrict("test", (wrong,))})
