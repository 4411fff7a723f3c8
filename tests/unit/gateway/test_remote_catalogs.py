"""A server over a catalog of someone else's that behaves like Polaris, without any Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from sqe.catalog.protocol import Catalog, Ident, Json
from sqe.catalog.remote.caller import CatalogClient
from sqe.catalog.remote.catalog import RestCatalog
from sqe.catalog.remote.options import RestOptions
from sqe.catalog.remote.service import Service
from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity, Secret
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


def test_a_renamed_tables_name_is_free_for_another(lake: Lake) -> None:
    """Polaris lets no two lie in one place, and a rename moves nothing."""
    carol = lake.as_carol
    places = set()
    for turn in range(3):
        made = carol.create_table(("sales",), {"name": "swapped", "schema": SCHEMA})
        places.add(made.metadata["location"])
        lake.rows(CAROL, f"ALTER TABLE swapped RENAME TO swapped_{turn}")
    assert len(places) == 3
    schema = carol.load_namespace(("sales",))["location"]
    assert all(place.startswith(f"{schema}swapped-") for place in places)
    asked = f"{schema}here"
    placed = carol.create_table(("sales",), {"name": "p", "schema": SCHEMA, "location": asked})
    assert placed.metadata["location"] == asked


def test_views_are_renamed_and_made_again_too(lake: Lake) -> None:
    carol = lake.as_carol
    for turn in range(2):
        carol.create_view(("sales",), view("swapped_view"))
        source, target = (Ident(("sales",), f"swapped_view{end}") for end in ("", f"_{turn}"))
        carol.rename_view(source, target)


def test_the_catalog_chooses_where_it_is_to_or_the_schema_is_not_told(lake: Lake) -> None:
    lake.there.admin.grant("analyst", ["TABLE_CREATE"], catalog="lake", namespace="sales")
    alice = lake.server.catalogs.open("lake", ALICE)
    made = alice.create_table(("sales",), {"name": "hers", "schema": SCHEMA})
    assert made.metadata["location"].endswith("/sales/hers")
    options = RestOptions("lake", lake.there.url, "lake", unique_locations=False)
    chosen = RestCatalog(CatalogClient(Service(options), CAROL))
    made = chosen.create_table(("sales",), {"name": "default", "schema": SCHEMA})
    assert made.metadata["location"].endswith("/sales/default")


def view(name: str) -> Json:
    return {
        "name": name,
        "schema": SCHEMA,
        "view-version": {
            "version-id": 1,
            "schema-id": 0,
            "timestamp-ms": 1_763_500_000_000,
            "summary": {},
            "representations": [{"type": "sql", "sql": "select 1", "dialect": "spark"}],
            "default-namespace": ["sales"],
        },
        "properties": {},
    }


def wrongly(lake: Lake, path: str = "", **options: Any) -> SqeError:
    """What somebody is told whose administrator has set something wrong."""
    settings = {"name": "lake", "uri": f"{lake.there.url}{path}", "warehouse": "lake", **options}
    catalog = RestCatalog(CatalogClient(Service(RestOptions(**settings)), CAROL))
    with pytest.raises(SqeError) as caught:
        catalog.list_namespaces()
    assert caught.value.code is ErrorCode.CATALOG_UNAVAILABLE
    return caught.value


def test_wrong_settings_are_told_as_what_they_are(lake: Lake) -> None:
    realm = wrongly(lake, headers={"Polaris-Realm": Secret("other")})
    assert realm.message == "Catalog lake says: Missing or invalid realm."
    assert realm.hint.startswith("catalogs.lake.headers: Polaris-Realm")
    for name, said in {
        "sea": "Unable to find warehouse sea",
        "s3://lake": "Unable to find warehouse s3://lake",
        "": "Please specify a warehouse",
    }.items():
        warehouse = wrongly(lake, warehouse=name)
        assert warehouse.message == f"Catalog lake says: {said}."
        assert warehouse.hint.startswith("catalogs.lake.warehouse: ")
    path = wrongly(lake, path="/v1")
    assert "no Iceberg REST catalog is there" in path.message
    assert path.hint.startswith("catalogs.lake.uri: ")


def test_a_schema_in_one_that_is_not_there_names_that_one(lake: Lake) -> None:
    for sql in ("CREATE SCHEMA nowhere.inner", "CREATE SCHEMA IF NOT EXISTS nowhere.inner"):
        error = lake.refused(CAROL, sql)
        assert error.code is ErrorCode.SCHEMA_NOT_FOUND
        assert "nowhere.inner" not in error.message and "nowhere" in error.message


def test_what_takes_the_removal_of_files_says_what_allows_it(lake: Lake) -> None:
    carol, flag = lake.as_carol, "polaris.config.drop-with-purge.enabled"
    carol.create_view(("sales",), view("kept_view"))
    carol.create_table(("sales",), {"name": "kept", "schema": SCHEMA})
    for sql in ("DROP TABLE sales.kept PURGE", "DROP VIEW sales.kept_view"):
        error = lake.refused(CAROL, sql)
        assert error.code is ErrorCode.ACCESS_DENIED
        assert flag in error.message and flag in error.hint
    lake.rows(CAROL, "DROP TABLE sales.kept")
    lake.there.admin.set(purge=True)
    lake.rows(CAROL, "DROP VIEW sales.kept_view")
    lake.there.admin.set(purge=False)


def test_a_reader_is_told_before_a_change_that_it_is_none(lake: Lake) -> None:
    orders = Ident(("sales",), "orders")
    lake.as_carol.check_change(orders)
    before = lake.as_carol.load_table(orders).metadata_location
    with pytest.raises(SqeError, match="not authorized for op UPDATE_TABLE") as caught:
        lake.server.catalogs.open("lake", ALICE).check_change(orders)
    assert caught.value.code is ErrorCode.ACCESS_DENIED
    assert lake.as_carol.load_table(orders).metadata_location == before


def test_a_catalog_that_cannot_say_lets_the_change_say(lake: Lake) -> None:
    fault = lake.there.admin.inject("status", status=501, endpoint="update_table")
    lake.as_carol.check_change(Ident(("sales",), "orders"))
    lake.there.admin.heal(fault)
