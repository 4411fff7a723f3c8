"""Who makes a table or view owns it, and nobody else gets it with its name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.catalog.protocol import Ident
from sqe.errors import ErrorCode
from sqe.model.identity import Identity
from sqe.settings import Settings
from sqe.settings.policy import PolicySettings
from tests.embedded.conftest import Another
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]


@pytest.fixture
def root(another: Another) -> Lake:
    """An administrator; ann and bob may make things in one schema, and no more."""
    made = another(Settings(policy=PolicySettings(sql=True, administrators=("root",))))
    root = made.another_session("root")
    root.all(
        "CREATE SCHEMA own",
        "GRANT EXECUTE ON SYSTEM TO PUBLIC",
        "GRANT CREATE ON SCHEMA own TO USER ann",
        "GRANT CREATE ON SCHEMA own TO USER bob",
    )
    return root


@pytest.fixture
def ann(root: Lake) -> Iterator[Lake]:
    own = root.another_session("ann")
    yield own
    own.close()


@pytest.fixture
def bob(root: Lake) -> Iterator[Lake]:
    own = root.another_session("bob")
    yield own
    own.close()


def denied(lake: Lake, *statements: str) -> None:
    for sql in statements:
        assert lake.fails(sql).code is ErrorCode.ACCESS_DENIED, sql


def test_who_makes_a_table_may_do_everything_with_it(root: Lake, ann: Lake, bob: Lake) -> None:
    ann.all(
        "CREATE TABLE own.t (a INT)",
        "INSERT INTO own.t VALUES (1)",
        "ALTER TABLE own.t ADD COLUMN b INT",
        "CREATE TABLE own.c AS SELECT * FROM own.t",
        "CREATE TABLE own.d (a INT DEFAULT 5) TBLPROPERTIES ('format-version' = '3')",
        "CREATE TABLE own.l LIKE own.t",
        "CREATE MATERIALIZED VIEW own.m AS SELECT a FROM own.t",
        "CREATE VIEW own.v AS SELECT a FROM own.t",
    )
    for name in ("t", "c", "d", "l", "m", "v"):
        ann.rows(f"SELECT * FROM own.{name}")
        denied(bob, f"SELECT * FROM own.{name}", f"DROP TABLE own.{name}")
    ann.run("GRANT SELECT ON own.t TO USER bob")
    assert bob.rows("SELECT a FROM own.t") == [(1,)]


def test_it_stays_theirs_under_another_name(ann: Lake, bob: Lake) -> None:
    ann.run("CREATE TABLE own.old AS SELECT 1 AS a")
    ann.run("ALTER TABLE own.old RENAME TO own.new")
    assert ann.rows("SELECT a FROM own.new") == [(1,)]
    bob.run("CREATE TABLE own.old AS SELECT 2 AS a")
    denied(ann, "SELECT a FROM own.old")
    denied(bob, "SELECT a FROM own.new")


def test_what_is_dropped_is_nobodys(root: Lake, ann: Lake, bob: Lake) -> None:
    ann.run("CREATE TABLE own.gone AS SELECT 1 AS a")
    ann.run("GRANT SELECT ON own.gone TO USER bob")
    ann.run("DROP TABLE own.gone")
    root.run("CREATE TABLE own.gone AS SELECT 2 AS a")
    denied(ann, "SELECT a FROM own.gone")
    denied(bob, "SELECT a FROM own.gone")


def test_nor_is_what_another_engine_puts_in_its_place(root: Lake, ann: Lake) -> None:
    ann.run("CREATE TABLE own.swapped AS SELECT 1 AS a")
    catalog = root.server.catalogs.open("lake", Identity("eve"))
    schema = {
        "type": "struct",
        "fields": [{"id": 1, "name": "a", "type": "int", "required": False}],
    }
    catalog.drop_table(Ident(("own",), "swapped"))
    catalog.create_table(("own",), {"name": "swapped", "schema": schema})
    denied(ann, "SELECT a FROM own.swapped")


def test_what_was_there_already_stays_whose_it_is(ann: Lake, bob: Lake) -> None:
    ann.run("CREATE TABLE own.kept AS SELECT 1 AS a")
    bob.run("CREATE TABLE IF NOT EXISTS own.kept (a INT)")
    denied(bob, "SELECT a FROM own.kept", "CREATE OR REPLACE TABLE own.kept AS SELECT 2 AS a")
    assert ann.rows("SELECT a FROM own.kept") == [(1,)]


def test_a_definers_roles_count_and_their_groups_do_not(root: Lake, bob: Lake) -> None:
    root.all(
        "CREATE TABLE own.base AS SELECT 1 AS a",
        "CREATE ROLE readers",
        "GRANT SELECT ON own.base TO ROLE readers WITH GRANT OPTION",
        "GRANT SELECT ON own.base TO GROUP staff WITH GRANT OPTION",
        "GRANT ROLE readers TO USER ann",
    )
    gateway = root.server.gateway
    session = gateway.open_session(Identity("cleo", frozenset({"staff"})))
    session.set_property("sqe.engine", "spark")
    cleo, ann = Lake(root.server, session), root.another_session("ann")
    root.run("GRANT CREATE ON SCHEMA own TO USER cleo")
    ann.run("CREATE VIEW own.by_role SECURITY DEFINER AS SELECT a FROM own.base")
    cleo.run("CREATE VIEW own.by_group SECURITY DEFINER AS SELECT a FROM own.base")
    for lake, view in ((ann, "by_role"), (cleo, "by_group")):
        assert lake.rows(f"SELECT a FROM own.{view}") == [(1,)]
        lake.run(f"GRANT SELECT ON own.{view} TO USER bob")
    assert bob.rows("SELECT a FROM own.by_role") == [(1,)]
    denied(bob, "SELECT a FROM own.by_group", "SELECT a FROM own.base")
    root.run("REVOKE ROLE readers FROM USER ann")
    denied(bob, "SELECT a FROM own.by_role")


def test_rights_are_lent_only_by_who_may_grant_them(root: Lake, ann: Lake, bob: Lake) -> None:
    """At each read, whatever has been granted on the view."""
    root.all("CREATE TABLE own.base AS SELECT 1 AS a", "GRANT SELECT ON own.base TO USER ann")
    ann.all(
        "CREATE VIEW own.lent SECURITY DEFINER AS SELECT a FROM own.base",
        "CREATE VIEW own.lent_over_lent SECURITY DEFINER AS SELECT a FROM own.lent",
        "GRANT SELECT ON own.lent TO USER bob",
        "GRANT SELECT ON own.lent_over_lent TO USER bob",
    )
    views = ("own.lent", "own.lent_over_lent")
    for view in views:
        assert ann.rows(f"SELECT a FROM {view}") == [(1,)]
        denied(bob, f"SELECT a FROM {view}")
    for give, take in (
        ("GRANT SELECT ON own.base TO USER ann WITH GRANT OPTION",
         "REVOKE GRANT OPTION FOR SELECT ON own.base FROM USER ann"),
        ("GRANT OWN ON own.base TO USER ann", "REVOKE OWN ON own.base FROM USER ann"),
    ):  # fmt: skip
        root.run(give)
        for view in views:
            assert bob.rows(f"SELECT a FROM {view}") == [(1,)]
        root.run(take)
        for view in views:
            denied(bob, f"SELECT a FROM {view}")


def test_a_view_that_somebody_else_replaces_lends_what_is_theirs(
    root: Lake, ann: Lake, bob: Lake
) -> None:
    root.all(
        "CREATE TABLE own.base AS SELECT 1 AS a, 2 AS secret",
        "GRANT SELECT ON own.base TO USER cleo COLUMNS (a)",
        "GRANT CREATE, DROP ON SCHEMA own TO USER cleo",
        "GRANT OWN ON own.base TO USER ann",
    )
    ann.all(
        "CREATE VIEW own.shown SECURITY DEFINER AS SELECT a, secret FROM own.base",
        "GRANT SELECT ON own.shown TO USER bob",
    )
    assert bob.rows("SELECT a FROM own.shown") == [(1,)]
    cleo = root.another_session("cleo")
    cleo.run("CREATE OR REPLACE VIEW own.shown SECURITY DEFINER AS SELECT a FROM own.base")
    assert cleo.rows("SELECT * FROM own.shown") == [(1,)]
    denied(bob, "SELECT a FROM own.shown")


def test_rows_that_a_materialized_view_keeps_are_lent_by_its_owner(
    root: Lake, ann: Lake, bob: Lake
) -> None:
    """Its rows are whole rows of its sources: for who may read all of them, or from an owner who
    may grant them, at each read; a view over it, and an older state, are no way around."""
    root.all("CREATE TABLE own.base AS SELECT 1 AS a", "GRANT SELECT ON own.base TO USER ann")
    ann.all(
        "CREATE MATERIALIZED VIEW own.kept AS SELECT a FROM own.base",
        "CREATE MATERIALIZED VIEW own.kept_again AS SELECT a FROM own.kept",
        "CREATE VIEW own.over SECURITY DEFINER AS SELECT a FROM own.kept",
    )
    names = ("own.kept", "own.kept_again", "own.over")
    for name in names:
        ann.run(f"GRANT SELECT ON {name} TO USER bob")
        assert ann.rows(f"SELECT a FROM {name}") == [(1,)]
        denied(bob, f"SELECT a FROM {name}")
    root.run("GRANT SELECT ON own.base TO USER ann WITH GRANT OPTION")
    assert [bob.rows(f"SELECT a FROM {name}") for name in names] == [[(1,)]] * 3
    denied(bob, "SELECT a FROM own.kept TIMESTAMP AS OF current_timestamp()")
    root.run("REVOKE GRANT OPTION FOR SELECT ON own.base FROM USER ann")
    for name in names:
        denied(bob, f"SELECT a FROM {name}")
    root.run("GRANT SELECT ON own.base TO USER bob ROWS WHERE (a > 0)")
    denied(bob, "SELECT a FROM own.kept")
    root.run("REVOKE SELECT ON own.base FROM USER bob")
    root.run("GRANT SELECT ON own.base TO USER bob")
    assert bob.rows("SELECT a FROM own.kept") == [(1,)]
    root.run("REVOKE SELECT ON own.base FROM USER ann")
    denied(ann, "SELECT a FROM own.kept")


def test_replacing_a_table_does_not_open_what_it_held(root: Lake, ann: Lake, bob: Lake) -> None:
    """Its snapshots stay, so its owner stays, too."""
    ann.run("CREATE TABLE own.gold AS SELECT 'secret' AS s")
    snapshot = ann.rows("SELECT snapshot_id FROM own.gold.snapshots")[0][0]
    root.run("GRANT CREATE, DROP ON SCHEMA own TO USER bob")
    bob.run("CREATE OR REPLACE TABLE own.gold AS SELECT 1 AS x")
    denied(
        bob,
        "SELECT * FROM own.gold",
        "SELECT * FROM own.gold.snapshots",
        f"SELECT * FROM own.gold VERSION AS OF {snapshot}",
        f"CALL system.rollback_to_snapshot('own.gold', {snapshot})",
    )
    assert ann.rows(f"SELECT s FROM own.gold VERSION AS OF {snapshot}") == [("secret",)]


def test_who_replaces_their_own_table_stays_its_owner(ann: Lake) -> None:
    ann.all("CREATE TABLE own.mine AS SELECT 1 AS a", "CREATE OR REPLACE TABLE own.mine (b INT)")
    assert ann.rows("SELECT b FROM own.mine") == []


def test_who_makes_a_dropped_table_anew_owns_it(root: Lake, ann: Lake, bob: Lake) -> None:
    ann.run("CREATE TABLE own.again AS SELECT 'secret' AS s")
    root.run("GRANT CREATE, DROP ON SCHEMA own TO USER bob")
    bob.all("DROP TABLE own.again", "CREATE OR REPLACE TABLE own.again AS SELECT 1 AS x")
    assert bob.rows("SELECT x FROM own.again") == [(1,)]
    denied(ann, "SELECT x FROM own.again")
