"""Which privileges each kind of statement takes, on what, and as whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlglot import exp

from sqe.binding.binder import Binder
from sqe.binding.bound import BoundReference, BoundStatement, BoundTable
from sqe.catalog.configured import ConfiguredCatalogs
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident, Json
from sqe.catalog.views import digest_of
from sqe.model.decision import Allow, Decision, Deny, Restrict, RowFilter, TableFacts
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Privilege
from sqe.rewrite.needs import Need, identity_as, needs_of, privileges
from sqe.sessions.store import SessionStore
from sqe.sql.parse import parse
from sqe.sql.procedures import RUNNABLE
from sqe.sql.statement import Access, Reference, Span, Statement, StatementKind
from sqe.sql.text import TextLimits
from sqe.store.database import Database
from sqe.store.owners import Owners

HERE = SchemaName("lake", ("s",))
SCHEMA = {
    "type": "struct",
    "fields": [
        {"id": 1, "name": "a", "type": "int", "required": False},
        {"id": 2, "name": "B", "type": "string", "required": False},
    ],
}
Bind = Callable[[str], BoundStatement]
_SELECT = "SELECT a FROM t"


@pytest.fixture
def owners(tmp_path: Path) -> Iterator[Owners]:
    database = Database(tmp_path)
    yield Owners(database)
    database.close()


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[EmbeddedCatalog]:
    """Tables t and u, view v, and view lent, in whose catalog it says that it is ann's."""
    catalog = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w", name="lake")
    catalog.create_namespace(("s",), {})
    for name in ("t", "u"):
        catalog.create_table(("s",), {"name": name, "schema": SCHEMA})
    catalog.create_view(("s",), view("v", _SELECT))
    catalog.create_view(("s",), view("lent", _SELECT, {"sqe.security": "definer"}))
    catalog.create_view(("s",), view("around", "SELECT * FROM lent JOIN u USING (a)"))
    yield catalog
    catalog.close()


def view(name: str, sql: str, properties: Json | None = None) -> Json:
    return {
        "name": name,
        "schema": {"type": "struct", "fields": SCHEMA["fields"][:1]},
        "view-version": {
            "version-id": 1,
            "timestamp-ms": 1,
            "schema-id": 0,
            "summary": {},
            "default-catalog": "lake",
            "default-namespace": ["s"],
            "representations": [{"type": "sql", "sql": sql, "dialect": "spark"}],
        },
        "properties": properties or {},
    }


@pytest.fixture
def bind(catalog: EmbeddedCatalog, owners: Owners) -> Bind:
    session = SessionStore(HERE).open(Identity("bob", groups=frozenset({"g"})))
    binder = Binder(ConfiguredCatalogs({"lake": catalog}), TextLimits(), owners=owners)
    return lambda sql: binder.bind(parse(sql), session)


def wanted(bound: BoundStatement) -> dict[str, str]:
    """By table and view: the privileges, each by its first letters."""
    found: dict[str, list[str]] = {}
    for need in needs_of(bound):
        name = ".".join(need.key[0].parts[2:])
        found.setdefault(name, []).extend(fact.privilege.value for fact in need.facts)
    return {name: " ".join(dict.fromkeys(said)) for name, said in found.items()}


CASES = [
    ("SELECT * FROM t", {"t": "select"}),
    ("SELECT * FROM v", {"v": "select", "t": "select"}),
    ("SELECT * FROM t.snapshots", {"t": "select"}),
    ("EXPLAIN SELECT * FROM t", {"t": "select"}),
    ("EXPLAIN DELETE FROM t", {"t": "delete"}),
    ("INSERT INTO t SELECT * FROM u", {"t": "insert", "u": "select"}),
    ("INSERT INTO t BY NAME SELECT 1 AS a", {"t": "insert"}),
    ("INSERT OVERWRITE t SELECT * FROM u", {"t": "insert delete", "u": "select"}),
    ("INSERT INTO t REPLACE WHERE a = 1 SELECT 1, 'x'", {"t": "insert delete"}),
    ("UPDATE t SET a = 1", {"t": "update select"}),
    ("DELETE FROM t", {"t": "delete"}),
    ("DELETE FROM t WHERE a = 1", {"t": "delete select"}),
    ("TRUNCATE TABLE t", {"t": "delete"}),
    (
        "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE",
        {"t": "delete select", "u": "select"},
    ),
    (
        "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN UPDATE SET a = 1"
        " WHEN NOT MATCHED THEN INSERT *",
        {"t": "update insert select", "u": "select"},
    ),
    (
        "MERGE INTO t USING u ON t.a = u.a WHEN NOT MATCHED BY SOURCE THEN DELETE",
        {"t": "delete select", "u": "select"},
    ),
    ("COPY INTO t FROM '/x' FILEFORMAT = CSV", {"t": "insert"}),
    (
        "COPY INTO t FROM '/x' FILEFORMAT = CSV COPY_OPTIONS ('overwrite' = 'true')",
        {"t": "insert delete"},
    ),
    (
        "COPY INTO t FROM '/x' FILEFORMAT = CSV COPY_OPTIONS ('mergeSchema' = 'true')",
        {"t": "insert alter"},
    ),
    (
        "COPY INTO n FROM '/x' FILEFORMAT = CSV COPY_OPTIONS ('create' = 'true')",
        {"n": "create"},
    ),
    (
        "COPY INTO t FROM '/x' FILEFORMAT = CSV"
        " COPY_OPTIONS ('create' = 'true', 'overwrite' = 'true')",
        {"t": "create drop"},
    ),
    ("CREATE TABLE n (a INT)", {"n": "create"}),
    ("CREATE TABLE n (a INT DEFAULT 5)", {"n": "create"}),
    ("CREATE TABLE n AS SELECT * FROM t", {"n": "create", "t": "select"}),
    ("CREATE TABLE n LIKE t", {"n": "create", "t": "select"}),
    ("CREATE TABLE IF NOT EXISTS t (a INT)", {"t": "create"}),
    ("CREATE TABLE IF NOT EXISTS t LIKE u", {"t": "create", "u": "select"}),
    ("CREATE OR REPLACE TABLE t (a INT)", {"t": "create drop"}),
    ("CREATE OR REPLACE TABLE n (a INT)", {"n": "create drop"}),
    ("REPLACE TABLE t (a INT)", {"t": "create drop"}),
    ("REPLACE TABLE t AS SELECT * FROM u", {"t": "create drop", "u": "select"}),
    ("CREATE VIEW n AS SELECT * FROM t", {"n": "create", "t": "select"}),
    ("CREATE VIEW IF NOT EXISTS v AS SELECT * FROM t", {"v": "create", "t": "select"}),
    ("CREATE OR REPLACE VIEW v AS SELECT * FROM t", {"v": "create drop", "t": "select"}),
    ("CREATE TEMPORARY VIEW n AS SELECT * FROM t", {"t": "select"}),
    ("ALTER VIEW v AS SELECT * FROM t", {"v": "alter", "t": "select"}),
    ("ALTER VIEW v SET TBLPROPERTIES ('a' = 'b')", {"v": "alter"}),
    ("CREATE MATERIALIZED VIEW n AS SELECT * FROM t", {"n": "create", "t": "select"}),
    (
        "CREATE OR REPLACE MATERIALIZED VIEW n AS SELECT * FROM t",
        {"n": "create drop", "t": "select"},
    ),
    ("REFRESH MATERIALIZED VIEW t", {"t": "update"}),
    ("DROP MATERIALIZED VIEW t", {"t": "drop"}),
    ("SHOW CREATE MATERIALIZED VIEW t", {"t": "show"}),
    ("DROP TABLE t", {"t": "drop"}),
    ("DROP TABLE IF EXISTS n", {"n": "drop"}),
    ("DROP VIEW v", {"v": "drop"}),
    ("ALTER TABLE t ADD COLUMN c INT", {"t": "alter"}),
    ("ALTER TABLE t ADD COLUMN c INT DEFAULT 5", {"t": "alter"}),
    ("ALTER TABLE t ALTER COLUMN a SET DEFAULT 5", {"t": "alter"}),
    ("ALTER TABLE t DROP COLUMN a", {"t": "alter"}),
    ("ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')", {"t": "alter"}),
    ("ALTER TABLE t ADD PARTITION FIELD a", {"t": "alter"}),
    ("ALTER TABLE t WRITE ORDERED BY a", {"t": "alter"}),
    ("ALTER TABLE t CREATE BRANCH b", {"t": "alter"}),
    ("ALTER TABLE t DROP TAG b", {"t": "alter"}),
    ("ALTER TABLE t RENAME TO n", {"t": "alter", "n": "create"}),
    ("ALTER VIEW v RENAME TO n", {"v": "alter", "n": "create"}),
    ("COMMENT ON TABLE t IS 'x'", {"t": "alter"}),
    ("COMMENT ON COLUMN t.a IS 'x'", {"t": "alter"}),
    ("ANALYZE TABLE t COMPUTE STATISTICS", {"t": "alter"}),
    ("SHOW STATS FOR t", {"t": "select"}),
    ("DESCRIBE t", {"t": "show"}),
    ("SHOW CREATE TABLE t", {"t": "show"}),
    ("SHOW COLUMNS IN t", {"t": "show"}),
    ("SHOW TBLPROPERTIES t", {"t": "show"}),
    ("CALL system.ancestors_of('t')", {"t": "select"}),
    ("CALL system.rewrite_data_files('t')", {"t": "alter"}),
    ("CALL system.expire_snapshots('t')", {"t": "alter"}),
    ("CALL system.rollback_to_snapshot('t', 1)", {"t": "alter insert update delete"}),
    (
        "CALL system.rollback_to_timestamp('t', TIMESTAMP '2026-01-01 00:00:00')",
        {"t": "alter insert update delete"},
    ),
    ("CALL system.set_current_snapshot('t', 1)", {"t": "alter insert update delete"}),
    ("CALL system.cherrypick_snapshot('t', 1)", {"t": "alter insert update delete"}),
    ("CALL system.publish_changes('t', 'w')", {"t": "alter insert update delete"}),
    ("CALL system.fast_forward('t', 'main', 'b')", {"t": "alter insert update delete"}),
    ("CALL system.register_table('n', '/x')", {"n": "create"}),
]


@pytest.mark.parametrize(("sql", "expected"), CASES, ids=[sql for sql, _ in CASES])
def test_each_statement_takes_its_privileges(
    bind: Bind, sql: str, expected: dict[str, str]
) -> None:
    assert wanted(bind(sql)) == expected


def test_every_kind_of_statement_and_procedure_is_among_the_cases() -> None:
    statements = [parse(sql) for sql, _ in CASES]
    assert {one.kind for one in statements} >= set(StatementKind) - {StatementKind.EXPLAIN_ANALYZE}
    house = {"rewrite_manifests", "rewrite_position_delete_files", "remove_orphan_files"}
    house |= {"compute_table_stats", "compute_partition_stats", "rewrite_table_path"}
    named = {sql.split(".")[1].split("(")[0] for sql, _ in CASES if sql.startswith("CALL")}
    assert {one.name for one in RUNNABLE} - house == named


def test_a_write_that_is_not_known_takes_every_right() -> None:
    reference = Reference(("t",), Span(0, 1), Access.WRITE)
    name = RelationName(HERE, "t")
    bound = BoundReference(reference, BoundTable(name, Ident(("s",), "t"), None))
    odd = Statement("t", StatementKind.INSERT, (reference,))
    every = (Privilege.INSERT, Privilege.UPDATE, Privilege.DELETE)
    assert privileges(odd, bound) == every


@pytest.mark.parametrize("then", [exp.var("NOTHING"), exp.column("DELETE"), None], ids=repr)
def test_a_merge_that_does_what_nobody_knows_takes_every_right(bind: Bind, then: Any) -> None:
    bound = bind("MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE")
    [when] = bound.statement.tree.args["whens"].expressions
    if then is None:
        bound.statement.tree.set("whens", None)
    else:
        when.set("then", then)
    every = (Privilege.INSERT, Privilege.UPDATE, Privilege.DELETE, Privilege.SELECT)
    assert privileges(bound.statement, bound.references[0]) == every


def test_what_is_seen_of_a_table_limits_what_is_done_with_it(bind: Bind) -> None:
    [reads] = needs_of(bind("SELECT * FROM t"))
    [deletes] = needs_of(bind("DELETE FROM t"))
    assert reads.seen is None and reads.asked_facts == reads.facts
    assert deletes.seen is not None and deletes.seen.privilege is Privilege.SELECT
    assert deletes.asked_facts == (*deletes.facts, deletes.seen)


def test_what_is_done_to_a_table_in_two_ways_takes_both(bind: Bind) -> None:
    """As in a statement that is made of several, by one key."""
    bound = bind("EXPLAIN DELETE FROM t")
    [outer], inner = bind("INSERT INTO t SELECT 1, 'x'").references, bound.inner
    assert inner is not None
    both = replace(bind("INSERT INTO t SELECT 1, 'x'"), references=(outer,), inner=inner)
    [need] = needs_of(both)
    assert [one.privilege for one in need.facts] == [Privilege.INSERT, Privilege.DELETE]


def test_what_a_policy_is_told_of_a_table_and_of_a_view(
    bind: Bind, catalog: EmbeddedCatalog
) -> None:
    of_view, of_table = (need.facts[0] for need in needs_of(bind("SELECT * FROM v")))
    assert [(c.name, c.type, c.field_id) for c in of_table.columns] == [
        ("a", "int", 1),
        ("B", "string", 2),
    ]
    assert of_table.uuid == catalog.load_table(Ident(("s",), "t")).metadata["table-uuid"]
    assert not of_table.view
    assert [(c.name, c.field_id) for c in of_view.columns] == [("a", None)]
    assert of_view.uuid == catalog.load_view(Ident(("s",), "v")).metadata["view-uuid"]
    assert of_view.view


FACTS = TableFacts(RelationName(HERE, "t"), Privilege.INSERT)
SEEN = TableFacts(RelationName(HERE, "t"), Privilege.SELECT)
PART = Restrict("part", filters=(RowFilter("a = 1"),))


def test_a_view_that_is_to_be_made_is_a_view(bind: Bind) -> None:
    def made(sql: str) -> list[bool]:
        found = [one for need in needs_of(bind(sql)) for one in need.facts]
        return [one.view for one in found if one.privilege is Privilege.CREATE]

    assert made("CREATE VIEW w AS SELECT a FROM t") == [True]
    assert made("CREATE TABLE w AS SELECT a FROM t") == [False]


@pytest.mark.parametrize(
    ("insert", "select", "expected"),
    [
        (Allow("i"), Allow("s"), Allow("i; s")),
        (Deny("no"), Allow("s"), Deny("no")),
        (Allow("i"), PART, PART),
        # Who may write and not read is not refused for that: nothing is read.
        (Allow("i"), Deny("not seen"), Allow("i; not seen")),
        # But it must be known what is hidden.
        (Allow("i"), Deny("down", unanswered=True), Deny("down", unanswered=True)),
        (Deny("no"), PART, Deny("no")),
        (PART, Allow("s"), PART),
    ],
)
def test_what_is_seen_limits_what_is_done(
    insert: Decision, select: Decision, expected: Decision
) -> None:
    need = Need((RelationName(HERE, "t"), Access.WRITE, ""), (FACTS,), SEEN)
    assert need.decision({FACTS: insert, SEEN: select}) == expected


def test_what_is_seen_is_asked_for_as_well() -> None:
    key = (RelationName(HERE, "t"), Access.WRITE, "")
    assert Need(key, (FACTS,), SEEN).asked_facts == (FACTS, SEEN)
    assert Need(key, (SEEN,)).asked_facts == (SEEN,)


def lend(catalog: EmbeddedCatalog, owners: Owners, name: str, text: str = _SELECT) -> None:
    uuid = catalog.load_view(Ident(("s",), name)).metadata["view-uuid"]
    owners.set(RelationName(HERE, name), uuid, "ann", digest_of(text, HERE, uuid))


def whose(bound: BoundStatement) -> list[tuple[str, str]]:
    return [(need.key[0].name, need.as_user) for need in needs_of(bound)]


def test_inside_a_definers_view_it_is_the_owner_who_reads(
    bind: Bind, catalog: EmbeddedCatalog, owners: Owners
) -> None:
    lend(catalog, owners, "lent")
    assert whose(bind("SELECT * FROM lent, t")) == [("lent", ""), ("t", "ann"), ("t", "")]
    assert whose(bind("SELECT * FROM around")) == [
        ("around", ""), ("lent", ""), ("t", "ann"), ("u", "")
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["SELECT a FROM u", "SELECT a FROM t ", ""])
def test_another_text_is_nobodys(
    bind: Bind, catalog: EmbeddedCatalog, owners: Owners, text: str
) -> None:
    lend(catalog, owners, "lent", text)
    assert whose(bind("SELECT * FROM lent")) == [("lent", ""), ("t", "")]


def test_nor_is_one_that_the_store_does_not_know(bind: Bind) -> None:
    assert whose(bind("SELECT * FROM lent")) == [("lent", ""), ("t", "")]


def test_nor_is_one_that_the_catalog_does_not_say_so_of(
    bind: Bind, catalog: EmbeddedCatalog, owners: Owners
) -> None:
    lend(catalog, owners, "v")
    assert whose(bind("SELECT * FROM v")) == [("v", ""), ("t", "")]


def test_an_owner_who_is_not_here_has_a_name_and_nothing_else() -> None:
    reader = Identity("bob", frozenset({"g"}), frozenset({"r"}), claims=(("c", "1"),))
    assert identity_as(reader, "ann") == Identity("ann")
    assert identity_as(reader, "") is reader
