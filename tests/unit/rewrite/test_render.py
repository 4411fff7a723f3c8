"""The text an engine gets: the user's own, with names replaced and guards in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sqe.binding.binder import Binder
from sqe.binding.bound import BoundTable, BoundTarget, BoundView
from sqe.catalog.configured import ConfiguredCatalogs
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident
from sqe.errors import AccessError, ErrorCode, InternalError, UserError
from sqe.model.decision import Allow, Decision, Deny, Restrict, RowFilter
from sqe.model.identity import Identity, Secret
from sqe.model.masks import ExpressionMask, NullMask
from sqe.model.names import RelationName, SchemaName
from sqe.model.query import Column
from sqe.rewrite.guard import guard
from sqe.rewrite.needs import needs_of
from sqe.rewrite.render import render
from sqe.rewrite.rendering import Names
from sqe.sessions.session import Session, TemporaryView
from sqe.sessions.store import SessionStore
from sqe.sql.parse import parse
from sqe.sql.statement import Reference, Statement
from sqe.sql.text import TextLimits
from tests.unit.rewrite.bound_lake import give_history

HERE = SchemaName("lake", ("s",))
SCHEMA = {
    "type": "struct",
    "fields": [
        {"id": 1, "name": "a", "type": "int", "required": False},
        {"id": 2, "name": "B", "type": "string", "required": False},
    ],
}

Rendered = Callable[..., str]


@dataclass(frozen=True)
class Reading:
    """A policy's authority over the test's catalog."""

    binder: Binder
    session: Session

    @property
    def time_zone(self) -> str:
        return "UTC"

    def reader(self, as_user: str) -> Identity:
        return self.session.identity

    def find(self, statement: Statement, reference: Reference, schema: SchemaName) -> BoundTarget:
        return self.binder.find(statement, reference, self.session, schema)

    def translate(
        self, sql: str, dialect: str, kind: str, target: BoundTable | BoundView, identity: Identity
    ) -> str:
        raise NotImplementedError

    def subkeys(self, name: str) -> tuple[Secret, Secret] | None:
        return None


def spelled(name: RelationName) -> tuple[str, ...]:
    return ("sqe", f"h{len(name.schema.path[0])}", name.name)


@pytest.fixture
def rendered(tmp_path: Path) -> Iterator[Rendered]:
    """Renders a statement over lake.s.t and lake.s2.t, under decisions by table."""
    catalog = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w", name="lake")
    for schema in ("s", "s2"):
        catalog.create_namespace((schema,), {})
        catalog.create_table((schema,), {"name": "t", "schema": SCHEMA})
        give_history(catalog, Ident((schema,), "t"))
    session = SessionStore(HERE).open(Identity("ann"))
    columns = (Column("x", "int"), Column("y", "string"))
    view = TemporaryView("v", "SELECT a, B FROM t -- end", columns, HERE, ("a", "B"))
    session.keep_view(view, replace=False)
    binder = Binder(ConfiguredCatalogs({"lake": catalog}), TextLimits())

    def call(sql: str, decisions: Mapping[str, Decision] | None = None) -> str:
        bound = binder.bind(parse(sql), session)
        answers = {
            need.key: (decisions or {}).get(str(need.key[0]), Allow("test"))
            for need in needs_of(bound)
        }
        names = Names(spelled, lambda relation: "SELECT 1", HERE, "ann")
        return render(guard(bound, answers, Reading(binder, session)), names).text

    yield call
    catalog.close()


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 'it''s' FROM t", "SELECT 'it''s' FROM sqe.h1.t"),
        ("select /*+ x */ a FROM  s.t  x", "select /*+ x */ a FROM  sqe.h1.t  x"),
        (
            "SELECT s.t.a, lake.s2.t.a FROM s.t, lake.s2.t",
            "SELECT h1.t.a, sqe.h2.t.a FROM sqe.h1.t, sqe.h2.t",
        ),
        ("SELECT 't' FROM t WHERE t.a = 1", "SELECT 't' FROM sqe.h1.t WHERE t.a = 1"),
        ("SELECT * FROM t.snapshots", "SELECT * FROM sqe.h1.t.snapshots"),
        ("SELECT * FROM t VERSION AS OF 1", "SELECT * FROM sqe.h1.t VERSION AS OF 1"),
        ("WITH t AS (SELECT 1) SELECT * FROM t", "WITH t AS (SELECT 1) SELECT * FROM t"),
        ("SELECT current_user()", "SELECT 'ann' AS `current_user()`"),
        ("SELECT upper(current_schema()) AS u", "SELECT upper('s') AS u"),
        (
            "SELECT current_catalog(), current_database() AS d",
            "SELECT 'lake' AS `current_catalog()`, 's' AS d",
        ),
        ("TABLE t", "TABLE sqe.h1.t"),
        ("SELECT * FROM `t`x", "SELECT * FROM sqe.h1.t x"),
        ("DELETE FROM `t`WHERE a = 1", "DELETE FROM sqe.h1.t WHERE a = 1"),
        ("SELECT s.t.x FROM s.t, s2.t AS u", "SELECT h1.t.x FROM sqe.h1.t, sqe.h2.t AS u"),
        ("SELECT s.t.a FROM s2.t, s.t AS x", "SELECT s.t.a FROM sqe.h2.t, sqe.h1.t AS x"),
        ("SELECT S.T.a FROM s.t", "SELECT h1.t.a FROM sqe.h1.t"),
        (
            "SELECT s.t.snapshots.parent_id FROM s.t.snapshots",
            "SELECT h1.t.snapshots.parent_id FROM sqe.h1.t.snapshots",
        ),
        ("CREATE TABLE n (a INT)", "CREATE TABLE sqe.h1.n (a INT)"),
        ("INSERT INTO t SELECT * FROM s2.t", "INSERT INTO sqe.h1.t SELECT * FROM sqe.h2.t"),
        (
            "SELECT * FROM information_schema.tables",
            "SELECT * FROM (SELECT 1) AS tables",
        ),
        ("SELECT * FROM t PIVOT (max(B) FOR a IN (1))",
         "SELECT * FROM sqe.h1.t PIVOT (max(B) FOR a IN (1))"),
    ],
)  # fmt: skip
def test_the_users_text_stays_but_for_names(rendered: Rendered, sql: str, expected: str) -> None:
    assert rendered(sql) == expected


INLINED = "(SELECT a AS x, B AS y FROM (SELECT a, B FROM sqe.h1.t\n))"


def test_a_view_is_inlined_under_its_own_names(rendered: Rendered) -> None:
    assert rendered("SELECT v.x FROM v") == f"SELECT v.x FROM {INLINED} AS v"
    assert rendered("SELECT q.x FROM v AS q") == f"SELECT q.x FROM {INLINED} AS q"
    assert rendered("TABLE v") == f"SELECT * FROM {INLINED} AS v"
    assert rendered("TABLE v |> WHERE x = 1") == f"FROM {INLINED} AS v |> WHERE x = 1"
    sampled = rendered("SELECT * FROM v TABLESAMPLE (5 ROWS)")
    assert sampled == f"SELECT * FROM {INLINED} TABLESAMPLE (5 ROWS) AS v"


VIEW = "SELECT a, B FROM t"
INNER = "SELECT a, B FROM sqe.h1.t\n"


@pytest.mark.parametrize(
    ("names", "given", "types", "expected"),
    [
        ((), (), (), f"({INNER})"),
        (("a", "y"), ("a", "B"), (), f"(SELECT a, B AS y FROM ({INNER}))"),
        (("a", "B"), (), (), f"(SELECT a, B FROM ({INNER}))"),
        (
            ("x", "y"),
            ("a", "B"),
            ("int", "array<int>"),
            f"(SELECT CAST(a AS int) AS x, B AS y FROM ({INNER}))",
        ),
        (("x", "y"), ("a", "A"), (), f"(SELECT * FROM ({INNER}) AS w(x, y))"),
    ],
)
def test_a_views_columns_have_its_names_and_types(
    tmp_path: Path,
    names: tuple[str, ...],
    given: tuple[str, ...],
    types: tuple[str, ...],
    expected: str,
) -> None:
    catalog = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w", name="lake")
    catalog.create_namespace(("s",), {})
    catalog.create_table(("s",), {"name": "t", "schema": SCHEMA})
    session = SessionStore(HERE).open(Identity("ann"))
    binder = Binder(ConfiguredCatalogs({"lake": catalog}), TextLimits())
    columns = tuple(Column(name, "int") for name in names)
    inner = binder.bind(parse(VIEW), session)
    view = BoundView("w", inner, columns, query_columns=given, types=types)
    bound = binder.bind(parse("SELECT * FROM t"), session)
    [read] = bound.references
    bound = replace(bound, references=(replace(read, target=view),))
    answers = {need.key: Allow("test") for need in needs_of(bound)}
    engine = Names(spelled, lambda relation: "", HERE, "ann")
    assert render(guard(bound, answers), engine).text == f"SELECT * FROM {expected} AS t"
    catalog.close()


PART = Restrict("test", (RowFilter("a > 1 OR a = 0"),), {"b": ExpressionMask("upper(B)")})
INSIDE = "SELECT a, CAST((upper(B)\n) AS string) AS B FROM sqe.h1.t{} WHERE ((a > 1 OR a = 0\n))"
GUARDED = f"(SELECT * FROM ({INSIDE}\n) AS sqe_guard)"
BARRED = f"(SELECT * FROM ({INSIDE}\n) TABLESAMPLE (100 PERCENT) AS sqe_guard)"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM t", f"SELECT * FROM {GUARDED.format('')} AS t"),
        ("TABLE t", f"SELECT * FROM {GUARDED.format('')} AS t"),
        ("SELECT s.t.a FROM s.t, s2.t", f"SELECT t.a FROM {GUARDED.format('')} AS t, sqe.h2.t"),
        ("SELECT x.B FROM t x", f"SELECT x.B FROM {GUARDED.format('')} x"),
        ("SELECT s.t.a FROM s.t", f"SELECT t.a FROM {GUARDED.format('')} AS t"),
        (
            "SELECT * FROM t VERSION AS OF 1",
            f"SELECT * FROM {GUARDED.format(' VERSION AS OF 1')} AS t",
        ),
        (
            "SELECT * FROM t TABLESAMPLE (5 ROWS)",
            f"SELECT * FROM {GUARDED.format('')} TABLESAMPLE (5 ROWS) AS t",
        ),
        (
            "SELECT * FROM t TIMESTAMP AS OF now()",
            f"SELECT * FROM {BARRED.format(' VERSION AS OF 1')} AS t",
        ),
        ("SELECT * FROM t.branch_x", f"SELECT * FROM {GUARDED.format('.branch_x')} AS branch_x"),
        (
            "INSERT INTO s2.t SELECT * FROM t",
            f"INSERT INTO sqe.h2.t SELECT * FROM {GUARDED.format('')} AS t",
        ),
    ],
)
def test_a_restricted_table_is_read_through_its_guard(
    rendered: Rendered, sql: str, expected: str
) -> None:
    assert rendered(sql, {"lake.s.t": PART}) == expected


def test_hidden_columns_are_left_out_in_any_case(rendered: Rendered) -> None:
    hidden = Restrict("test", hidden=frozenset({"b"}))
    text = rendered("SELECT * FROM t", {"lake.s.t": hidden})
    assert text == "SELECT * FROM (SELECT * FROM (SELECT a FROM sqe.h1.t\n) AS sqe_guard) AS t"


def test_a_guard_is_inside_the_view_that_reads_the_table(rendered: Rendered) -> None:
    assert GUARDED.format("") in rendered("SELECT * FROM v", {"lake.s.t": PART})


@pytest.mark.parametrize(
    ("sql", "decision"),
    [
        ("SELECT * FROM t", Deny("no")),
        ("SELECT * FROM v", Deny("no")),
        ("INSERT INTO t VALUES (1, 'x')", PART),
        ("DROP TABLE t", PART),
        ("SELECT * FROM t.files", PART),
        ("SELECT * FROM t.Snapshots", PART),
    ],
)
def test_what_may_not_be_is_refused(rendered: Rendered, sql: str, decision: Decision) -> None:
    with pytest.raises(AccessError) as raised:
        rendered(sql, {"lake.s.t": decision})
    assert raised.value.code is ErrorCode.ACCESS_DENIED


def test_a_table_without_a_decision_is_a_defect(tmp_path: Path) -> None:
    catalog = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w", name="lake")
    catalog.create_namespace(("s",), {})
    catalog.create_table(("s",), {"name": "t", "schema": SCHEMA})
    session = SessionStore(HERE).open(Identity("ann"))
    binder = Binder(ConfiguredCatalogs({"lake": catalog}), TextLimits())
    bound = binder.bind(parse("SELECT * FROM t"), session)
    with pytest.raises(InternalError):
        guard(bound, {})
    catalog.close()


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT * FROM t.changes WITH ('start-snapshot-id' = '5') c",
            "SELECT * FROM sqe.h1.t.changes WITH ('start-snapshot-id' = '5') c",
        ),
        (
            "SELECT c.a FROM table_changes('s.t', 5, 8) AS c",
            "SELECT c.a FROM sqe.h1.t.changes WITH ('start-snapshot-id' = '5',"
            " 'end-snapshot-id' = '8') AS c",
        ),
        ("CALL system.ancestors_of('t')", "CALL system.ancestors_of('sqe.h1.t')"),
    ],
)
def test_names_in_strings_and_options_behind_names(
    rendered: Rendered, sql: str, expected: str
) -> None:
    assert rendered(sql) == expected


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM t, t WITH ('start-snapshot-id' = '5') AS u",
        "SELECT * FROM table_changes('t', 5), table_changes('t', 6)",
        "SELECT * FROM v WITH ('start-snapshot-id' = '5')",
        "SELECT * FROM information_schema.tables WITH ('start-snapshot-id' = '5')",
    ],
)
def test_options_that_spark_would_forget_are_refused(rendered: Rendered, sql: str) -> None:
    with pytest.raises(UserError) as raised:
        rendered(sql)
    assert raised.value.code is ErrorCode.NOT_SUPPORTED


def test_options_do_not_tell_of_the_snapshots_of_what_is_seen_in_part(rendered: Rendered) -> None:
    only = {"lake.s.t": Restrict("test", filters=(RowFilter("a = 1"),))}
    for snapshot in (1, 5):
        with pytest.raises(UserError) as raised:
            rendered(f"SELECT * FROM t WITH ('start-snapshot-id' = '{snapshot}')", only)
        assert raised.value.message.endswith("options cannot choose its snapshots.")
    masked = {"lake.s.t": Restrict("test", masks={"b": NullMask()})}
    text = rendered("SELECT * FROM t WITH ('start-snapshot-id' = '5')", masked)
    inner = "SELECT a, CAST(NULL AS string) AS B FROM sqe.h1.t WITH ('start-snapshot-id' = '5')"
    assert text == f"SELECT * FROM (SELECT * FROM ({inner}\n) AS sqe_guard) AS t"
    for sql in ("SELECT * FROM t.changes", "CALL system.ancestors_of('t')"):
        with pytest.raises(AccessError):
            rendered(sql, only)
