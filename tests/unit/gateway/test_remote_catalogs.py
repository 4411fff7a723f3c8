"""A server over a catalog of someone else's that behaves like Polaris, without any Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sqe.catalog.protocol import Catalog
from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity
from sqe.model.query import ClientState, QueryRequest
from sqe.server.build import Server, build
from sqe.settings import Settings
from sqe.testing import PolarisLikeCatalog, StaticTokens
from tests.unit.catalog.remote.serving import person

NOWHERE = "sc://127.0.0.1:9"  # a statement that needs Spark fails
SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [{"id": 1, "name": "id", "type": "long", "required": False}],
}
ALICE, CAROL, ZOE = person("alice"), person("carol"), person("zoe")


class Lake:
    """Alice may see the schemas and what is in ``sales``; Carol everything."""

    def __init__(self, home: Path, stack: ExitStack) -> None:
        tokens = StaticTokens()
        tokens.add("alice", "alice", ["analyst"])
        tokens.add("carol", "carol", ["admin"])
        tokens.add("zoe", "zoe", [])
        self.there = stack.enter_context(PolarisLikeCatalog(home / "polaris", tokens))
        admin = self.there.admin
        admin.add_catalog("lake", ["sales", "hr"])
        admin.add_principal("alice", ["analyst"])
        admin.add_principal("carol", ["admin"])
        admin.add_principal("zoe", [])
        admin.grant("analyst", ["NAMESPACE_LIST"], catalog="lake")
        admin.grant(
            "analyst",
            ["TABLE_READ_DATA", "TABLE_LIST", "VIEW_LIST"],
            catalog="lake",
            namespace="sales",
        )
        admin.grant("admin", ["CATALOG_MANAGE_CONTENT"], catalog="lake")
        remote = {"type": "rest", "uri": self.there.url, "warehouse": "lake", "delegation": "none"}
        settings = {
            "home": home / "sqe",
            "spark": {"remote": NOWHERE},
            "default_catalog": "lake",
            "default_schema": "sales",
            "catalogs": {"lake": remote, "own": {}},
        }
        self.server: Server = build(Settings.model_validate(settings))
        stack.callback(self.server.close)
        self.asked_at_start = admin.calls()
        for namespace, name in (("sales", "orders"), ("hr", "salaries")):
            self.as_carol.create_table((namespace,), {"name": name, "schema": SCHEMA})
        admin.reset_calls()

    @property
    def as_carol(self) -> Catalog:
        return self.server.catalogs.open("lake", CAROL)

    def rows(
        self, who: Identity, sql: str, client: ClientState | None = None
    ) -> list[tuple[object, ...]]:
        gateway = self.server.gateway
        session = gateway.open_session(who)
        request = QueryRequest(session.id, sql, client=client)
        with gateway.fetch(gateway.submit(request)) as result:
            return [tuple(row.values()) for batch in result for row in batch.to_pylist()]

    def refused(self, who: Identity, sql: str, client: ClientState | None = None) -> SqeError:
        with pytest.raises(SqeError) as caught:
            self.rows(who, sql, client)
        return caught.value

    def plan(self, sql: str, client: ClientState | None = None) -> int:
        """How often the catalog is asked for tables by a statement, before it runs."""
        before = self.there.admin.calls("load_table")
        session = self.server.gateway.open_session(ALICE)
        self.server.gateway.route(QueryRequest(session.id, sql, client=client))
        return self.there.admin.calls("load_table") - before


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    with ExitStack() as stack:
        yield Lake(tmp_path_factory.mktemp("remote"), stack)


def test_nothing_is_made_in_a_catalog_of_someone_elses(lake: Lake) -> None:
    assert lake.asked_at_start == 0


@pytest.mark.parametrize("client", [None, ClientState("lake", "sales")], ids=["Spark", "Trino"])
def test_a_statement_loads_a_table_once(lake: Lake, client: ClientState | None) -> None:
    assert lake.plan("SELECT * FROM orders", client) == 1
    twice = "SELECT a.id FROM orders a JOIN lake.sales.orders b ON a.id = b.id"
    assert lake.plan(twice, client) == 1


def test_the_next_statement_asks_again(lake: Lake) -> None:
    lake.plan("SELECT * FROM orders")
    assert lake.plan("SELECT * FROM orders") == 1


@pytest.mark.parametrize("client", [None, ClientState("lake", "sales")], ids=["Spark", "Trino"])
def test_what_is_not_yours_cannot_be_told_from_what_is_not_there(
    lake: Lake, client: ClientState | None
) -> None:
    told = [
        (error.code, error.message.replace(name, "…"), error.hint)
        for name in ("salaries", "nothing")
        for error in [lake.refused(ALICE, f"SELECT * FROM hr.{name}", client)]
    ]
    assert told[0] == told[1]
    assert told[0][0] is ErrorCode.TABLE_NOT_FOUND


def test_a_schema_that_is_not_yours_to_know_of_is_not_there_either(lake: Lake) -> None:
    """Zoe's login is good, and she has no rights at all."""
    told = [
        str(lake.refused(ZOE, f"SELECT * FROM lake.{schema}.salaries")).replace(schema, "…")
        for schema in ("hr", "nix")
    ]
    assert told[0] == told[1]
    assert "Schema lake.… does not exist." in told[0]


def test_who_may_not_look_into_a_schema_may_still_have_to_create_in_it(lake: Lake) -> None:
    lake.plan("CREATE TABLE hr.mine (a INT)")  # whether she may, the catalog will say
    with pytest.raises(SqeError) as nowhere:
        lake.plan("CREATE TABLE nix.mine (a INT)")
    assert nowhere.value.code is ErrorCode.SCHEMA_NOT_FOUND


def test_wide_lists_leave_out_what_one_may_not_list(lake: Lake) -> None:
    sql = "SELECT table_schema, table_name FROM information_schema.tables"
    assert lake.rows(ALICE, sql) == [("sales", "orders")]
    assert lake.rows(CAROL, sql) == [("hr", "salaries"), ("sales", "orders")]
    assert lake.rows(ALICE, "SHOW SCHEMAS") == [("hr",), ("sales",)]


def test_by_its_name_it_is_refused(lake: Lake) -> None:
    assert lake.rows(ALICE, "SHOW TABLES IN sales") == [("sales", "orders", False)]
    assert lake.refused(ALICE, "SHOW TABLES IN hr").code is ErrorCode.ACCESS_DENIED


@pytest.mark.parametrize("sql", ["SHOW SCHEMAS", "SELECT * FROM lake.sales.orders"])
def test_a_login_without_a_token_has_no_business_there(lake: Lake, sql: str) -> None:
    refused = lake.refused(Identity("ann"), sql)
    assert refused.code is ErrorCode.ACCESS_DENIED
    assert "your login has none" in refused.message


def test_it_has_its_own_catalog_all_the_same(lake: Lake) -> None:
    assert lake.rows(Identity("ann"), "SHOW CATALOGS") == [("lake",), ("own",)]
    assert lake.rows(Identity("ann"), "SHOW SCHEMAS FROM own") == []
