"""Who may do what, and in which words the others are refused."""

from __future__ import annotations

import itertools

import pytest

from sqe.testing import PolarisLikeCatalog, Privilege
from sqe.testing.privileges import ENOUGH, UPDATES
from tests.unit.catalog.commit.test_view_updates import version
from tests.unit.catalog.tables import SCHEMA
from tests.unit.testing.asking import Asker, error

NS = "lake/namespaces"
VENDED = {"X_Iceberg_Access_Delegation": "vended-credentials"}
SET = {"updates": [{"action": "set-properties", "updates": {"a": "1"}}]}


def denied(operation: str, name: str, role: str) -> tuple[int, str, str]:
    message = (
        f"Principal '{name}' with activated PrincipalRoles '[{role}]' and activated grants via"
        f" '[{role}]' is not authorized for op {operation}"
    )
    return 403, "ForbiddenException", message


def test_three_people_get_three_answers(alice: Asker, bob: Asker, carol: Asker) -> None:
    seen = [
        [who.get(f"{NS}/{path}").status for path in ("sales/tables/orders", "hr/tables/staff")]
        for who in (alice, bob, carol)
    ]
    assert seen == [[200, 403], [403, 200], [200, 200]]


def test_listings_are_all_or_nothing(alice: Asker, bob: Asker) -> None:
    assert alice.get(NS).json()["namespaces"] == [["sales"], ["hr"]]
    assert [t["name"] for t in alice.get(f"{NS}/sales/tables").json()["identifiers"]] == ["orders"]
    answer = alice.get(f"{NS}/hr/tables")
    assert error(answer) == denied("LIST_TABLES", "alice", "analyst")
    assert error(bob.get(f"{NS}/sales/tables")) == denied("LIST_TABLES", "bob", "engineer")


def test_what_is_there_is_told_to_those_who_may_not_see_it(alice: Asker) -> None:
    assert error(alice.get(f"{NS}/hr/tables/none")) == (
        404,
        "NoSuchTableException",
        "Table does not exist: hr.none",
    )
    assert error(alice.get(f"{NS}/none/tables/none"))[2] == "Table does not exist: none.none"
    assert error(alice.get(f"{NS}/none"))[1:] == (
        "NoSuchNamespaceException",
        "Namespace does not exist: none",
    )
    assert error(alice.get(f"{NS}/hr/tables/staff")) == denied("LOAD_TABLE", "alice", "analyst")
    assert alice.ask("HEAD", f"{NS}/hr/tables/staff").status == 403
    assert alice.ask("HEAD", f"{NS}/sales/tables/orders").status == 204


def test_an_unknown_catalog_in_the_path(alice: Asker) -> None:
    assert error(alice.get("sea/namespaces"))[2] == "Namespace does not exist: ''"
    assert error(alice.get("sea/namespaces/a/tables/t"))[2] == "Table does not exist: a.t"
    assert error(alice.get("sea/namespaces/a/views/v"))[1] == "NoSuchViewException"
    assert error(alice.post("sea/namespaces/a/tables/t", SET))[1] == "IllegalStateException"


def test_delegation_needs_the_data_privileges(
    polaris: PolarisLikeCatalog, alice: Asker, carol: Asker
) -> None:
    polaris.admin.grant("analyst", ["TABLE_FULL_METADATA"], catalog="lake", namespace="hr")
    staff = f"{NS}/hr/tables/staff"
    assert alice.get(staff).status == 200
    refused = error(alice.get(staff, **VENDED))
    assert refused == denied("LOAD_TABLE_WITH_READ_DELEGATION", "alice", "analyst")
    assert error(alice.get(f"{staff}/credentials")) == refused
    assert alice.get(f"{NS}/sales/tables/orders", **VENDED).status == 200
    create = alice.post(f"{NS}/hr/tables", {"name": "t", "schema": SCHEMA}, **VENDED)
    operation = "CREATE_TABLE_DIRECT_WITH_WRITE_DELEGATION"
    assert error(create) == denied(operation, "alice", "analyst")
    staged = {"name": "t", "schema": SCHEMA, "stage-create": True}
    assert alice.post(f"{NS}/hr/tables", staged).status == 200
    signing = carol.get(staff, X_Iceberg_Access_Delegation="remote-signing")
    assert error(signing)[2] == "Unsupported access delegation mode: REMOTE_SIGNING"
    assert alice.get(staff, X_Iceberg_Access_Delegation="vended-credential").status == 200


def test_each_update_of_a_commit_is_checked(polaris: PolarisLikeCatalog, alice: Asker) -> None:
    orders = f"{NS}/sales/tables/orders"
    refused = denied("SET_TABLE_PROPERTIES", "alice", "analyst")
    assert error(alice.post(orders, SET)) == refused
    table = {"catalog": "lake", "namespace": "sales", "table": "orders"}
    polaris.admin.grant("analyst", ["TABLE_SET_PROPERTIES"], **table)
    assert alice.post(orders, SET).status == 200
    both = {"updates": [*SET["updates"], {"action": "remove-properties", "removals": ["a"]}]}
    assert error(alice.post(orders, both))[2].endswith("op REMOVE_TABLE_PROPERTIES")
    polaris.admin.revoke("analyst", ["TABLE_SET_PROPERTIES"], **table)
    assert error(alice.post(orders, SET)) == refused
    polaris.admin.set(fine_grained_updates=False)
    assert error(alice.post(orders, SET)) == denied("UPDATE_TABLE", "alice", "analyst")


def test_a_grant_on_a_table_is_for_that_table(polaris: PolarisLikeCatalog, alice: Asker) -> None:
    on = {"catalog": "lake", "namespace": "hr", "table": "staff"}
    polaris.admin.grant("analyst", ["TABLE_WRITE_DATA"], **on)
    assert alice.get(f"{NS}/hr/tables/staff", **VENDED).status == 200
    assert alice.post(f"{NS}/hr/tables/staff", SET).status == 200
    assert error(alice.get(f"{NS}/hr/tables"))[0] == 403
    assert error(alice.get(f"{NS}/hr"))[0] == 403
    change = {"identifier": {"namespace": ["hr"], "name": "staff"}, **SET}
    transaction = alice.post("lake/transactions/commit", {"table-changes": [change]})
    assert error(transaction) == denied("COMMIT_TRANSACTION", "alice", "analyst")
    polaris.admin.grant("analyst", ["TABLE_FULL_METADATA"], **on)
    twice = {"table-changes": [change, change]}
    assert alice.post("lake/transactions/commit", twice).status == 204


def test_creating_dropping_and_renaming(alice: Asker, bob: Asker, carol: Asker) -> None:
    table = {"name": "t", "schema": SCHEMA}
    assert error(alice.post(f"{NS}/sales/tables", table))[2].endswith("op CREATE_TABLE_DIRECT")
    assert bob.post(f"{NS}/hr/tables", table).status == 200
    assert error(bob.post(f"{NS}/hr/tables", table)) == (
        409,
        "AlreadyExistsException",
        "Table already exists: hr.t",
    )
    assert error(bob.ask("DELETE", f"{NS}/hr/tables/t"))[2].endswith("DROP_TABLE_WITHOUT_PURGE")
    names = [{"namespace": ["hr"], "name": name} for name in ("t", "u")]
    move = {"source": names[0], "destination": names[1]}
    assert error(bob.post("lake/tables/rename", move))[2].endswith("op RENAME_TABLE")
    onto = {"source": names[0], "destination": names[0]}
    taken = error(bob.post("lake/tables/rename", onto))
    assert taken[::2] == (409, "Cannot rename hr.t to hr.t. Table already exists")
    assert carol.post("lake/tables/rename", move).status == 204
    purge = error(carol.ask("DELETE", f"{NS}/hr/tables/u?purgeRequested=true"))
    assert purge[0] == 403 and purge[2].startswith("Unable to purge entity: u. To enable")
    assert carol.ask("DELETE", f"{NS}/hr/tables/u").status == 204


def test_what_polaris_refuses_to_make(carol: Asker) -> None:
    def table(**more: object) -> tuple[int, str, str]:
        return error(carol.post(f"{NS}/hr/tables", {"name": "t", "schema": SCHEMA, **more}))

    assert table(name="a/b") == (
        400,
        "IllegalArgumentException",
        "Entity name must not contain '/': a/b",
    )
    reserved = "Property 'polaris.x' matches reserved prefix 'polaris.'"
    assert table(properties={"polaris.x": "1"})[2] == reserved
    assert table(properties={"io-impl": "x"})[1] == "ValidationException"
    outside = table(location="s3://elsewhere/t")
    assert outside[:2] == (403, "ForbiddenException")
    assert outside[2].startswith("Invalid locations '[s3://elsewhere/t]' for identifier 'hr.t'")
    custom = carol.post(NS, {"namespace": ["x"], "properties": {"location": "/tmp/x"}})
    assert "has a custom location, which is not enabled" in error(custom)[2]
    twice = error(carol.post(NS, {"namespace": ["hr"]}))
    assert twice[2] == "Cannot create namespace hr. Namespace already exists"
    assert error(carol.ask("DELETE", f"{NS}/hr"))[1] == "NamespaceNotEmptyException"


def test_quirks_that_clients_see(carol: Asker) -> None:
    made = carol.make("sales", "quirks").json()
    assert "created-at" in made["metadata"]["properties"]
    shown = carol.get(f"{NS}/sales").json()["properties"]
    assert shown["location"].endswith("/sales/")


def test_views(polaris: PolarisLikeCatalog, alice: Asker, carol: Asker) -> None:
    body = {"name": "v", "schema": SCHEMA, "view-version": version("select 1"), "properties": {}}
    assert carol.post(f"{NS}/sales/views", body).status == 200
    loaded = alice.get(f"{NS}/sales/views/v")
    assert "config" not in loaded.json() and "etag" not in loaded.headers
    assert error(alice.get(f"{NS}/sales/tables/v"))[2] == "Table does not exist: sales.v"
    assert error(alice.get(f"{NS}/sales/views/orders"))[2] == "View does not exist: sales.orders"
    table = carol.post(f"{NS}/sales/tables", {"name": "v", "schema": SCHEMA})
    assert error(table)[2] == "View with same name already exists: sales.v"
    assert error(alice.ask("DELETE", f"{NS}/sales/views/v"))[2].endswith("op DROP_VIEW")
    assert error(carol.ask("DELETE", f"{NS}/sales/views/v"))[0] == 403
    polaris.admin.set(purge=True)
    assert carol.ask("DELETE", f"{NS}/sales/views/v").status == 204


def test_metrics_need_the_data_privileges(alice: Asker) -> None:
    path = f"{NS}/sales/tables/orders/metrics"
    named = {"table-name": "sales.orders"}
    assert alice.post(path, {"report-type": "scan-report", **named}).status == 204
    refused = error(alice.post(path, {"report-type": "commit-report", **named}))
    assert refused == denied("REPORT_WRITE_METRICS", "alice", "analyst")


def test_read_restrictions_are_told_to_whom_they_are_for(
    polaris: PolarisLikeCatalog, alice: Asker, carol: Asker
) -> None:
    rule = {"required-column-projections": [{"field-id": 1, "action": "replace-with-null"}]}
    polaris.admin.restrict_reads("lake", "sales", "orders", "alice", rule)
    path = f"{NS}/sales/tables/orders"
    assert alice.get(path).json()["read-restrictions"] == rule
    assert "read-restrictions" not in carol.get(path).json()
    polaris.admin.restrict_reads("lake", "sales", "orders", "alice", None)
    assert "read-restrictions" not in alice.get(path).json()


def test_a_tag_never_hides_new_restrictions(polaris: PolarisLikeCatalog, alice: Asker) -> None:
    path = f"{NS}/sales/tables/orders"
    known = {"if-none-match": alice.get(path).headers["etag"]}
    assert alice.get(path, **known).status == 304
    rule = {"required-row-filter": False}
    polaris.admin.restrict_reads("lake", "sales", "orders", "alice", rule)
    told = alice.get(path, **known)
    assert told.json()["read-restrictions"] == rule and "etag" not in told.headers
    polaris.admin.restrict_reads("lake", "sales", "orders", "alice", None)
    assert alice.get(path, **known).status == 304


def test_a_disk_vends_nothing(carol: Asker) -> None:
    loaded = carol.get(f"{NS}/sales/tables/orders", **VENDED).json()
    assert "config" not in loaded and "storage-credentials" not in loaded
    refused = error(carol.get(f"{NS}/sales/tables/orders/credentials"))
    assert refused[0] == 400 and "no credentials are available" in refused[2]


@pytest.mark.parametrize(
    ("granted", "enough_for", "not_for"),
    [
        ("TABLE_WRITE_DATA", ["TABLE_READ_DATA", "TABLE_LIST", "TABLE_ADD_SNAPSHOT"], "TABLE_DROP"),
        ("TABLE_READ_DATA", ["TABLE_READ_PROPERTIES", "TABLE_LIST"], "TABLE_WRITE_PROPERTIES"),
        ("TABLE_FULL_METADATA", ["TABLE_CREATE", "TABLE_DROP"], "TABLE_READ_DATA"),
        ("CATALOG_MANAGE_METADATA", ["VIEW_DROP", "NAMESPACE_CREATE"], "TABLE_READ_DATA"),
        ("TABLE_MANAGE_STRUCTURE", ["TABLE_ADD_SCHEMA"], "TABLE_ADD_SNAPSHOT"),
        ("CATALOG_MANAGE_CONTENT", list(Privilege), ""),
    ],
)
def test_what_a_privilege_implies(granted: str, enough_for: list[str], not_for: str) -> None:
    assert all(Privilege(granted) in ENOUGH[Privilege(one)] for one in enough_for)
    assert not not_for or Privilege(granted) not in ENOUGH[Privilege(not_for)]


def test_no_table_privilege_implies_one_on_namespaces() -> None:
    kinds = ([p for p in Privilege if p.startswith(kind)] for kind in ("TABLE", "NAMESPACE"))
    for table, namespace in itertools.product(*kinds):
        assert table not in ENOUGH[namespace]
    assert len(UPDATES) == len({privilege for _, privilege in UPDATES.values()})
