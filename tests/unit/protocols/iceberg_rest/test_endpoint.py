"""The catalogs for engines of people's own, by PyIceberg and by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import (
    ForbiddenError,
    NoSuchNamespaceError,
    NoSuchTableError,
    OAuthError,
    RESTError,
    UnauthorizedError,
)

from sqe.model.query import QueryState
from sqe.server.build import Server
from tests.unit.protocols.iceberg_rest.serving import (
    PASSWORD,
    ROWS,
    RULES,
    SCHEMA,
    SCHEMAS,
    TOKENS,
    Raw,
    client_of,
    run_sql,
    serving,
)

ORDERS = "lake/namespaces/sales/tables/orders"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    with serving(tmp_path_factory.mktemp("home")) as (server, url):
        run_sql(server, "root", *SCHEMAS)
        root = client_of(url, "root")
        for name in ("sales.orders", "sales.part", "hidden.plans"):
            root.create_table(name, SCHEMA).append(ROWS)
        run_sql(server, "root", *RULES)
        yield server, url


@pytest.fixture
def server(served: tuple[Server, str]) -> Server:
    return served[0]


@pytest.fixture
def url(served: tuple[Server, str]) -> str:
    return served[1]


@pytest.fixture
def ann(url: str) -> RestCatalog:
    return client_of(url, "ann")


@pytest.fixture
def bob(url: str) -> RestCatalog:
    return client_of(url, "bob")


def test_pyiceberg_makes_writes_changes_and_drops_a_table(ann: RestCatalog, server: Server) -> None:
    table = ann.create_table("sales.mine", SCHEMA)
    table.append(ROWS)
    with table.update_schema() as update:
        update.rename_column("note", "remark")
    table.delete("id = 1")
    assert ann.load_table("sales.mine").scan().to_arrow().column("id").to_pylist() == [2, 3]
    assert [row["id"] for row in run_sql(server, "ann", "SELECT id FROM sales.mine")] == [2, 3]
    ann.rename_table("sales.mine", "sales.yours")
    assert ("sales", "yours") in ann.list_tables("sales")
    ann.drop_table("sales.yours")
    assert not ann.table_exists("sales.yours")


def test_a_table_made_with_its_rows_is_one_commit(ann: RestCatalog) -> None:
    with ann.create_table_transaction("sales.staged", SCHEMA) as transaction:
        transaction.append(ROWS)
        with pytest.raises(NoSuchTableError):
            ann.load_table("sales.staged")
    assert ann.load_table("sales.staged").scan().to_arrow().num_rows == 3
    ann.purge_table("sales.staged")


def test_who_makes_a_table_owns_it(server: Server, url: str) -> None:
    run_sql(server, "root", "GRANT CREATE ON SCHEMA hidden TO USER eve")
    eve = client_of(url, "eve")
    eve.create_table("hidden.hers", SCHEMA).append(ROWS)
    assert len(run_sql(server, "eve", "SELECT * FROM hidden.hers")) == 3
    eve.drop_table("hidden.hers")
    run_sql(server, "root", "REVOKE CREATE ON SCHEMA hidden FROM USER eve")


def test_a_reader_reads_and_changes_nothing(bob: RestCatalog) -> None:
    orders = bob.load_table("sales.orders")
    assert orders.scan().to_arrow().num_rows == 3
    for change in (
        lambda: orders.append(ROWS),
        lambda: orders.update_schema().add_column("x", SCHEMA.find_type("id")).commit(),
        lambda: orders.manage_snapshots().create_tag(orders.history()[0].snapshot_id, "t").commit(),
        lambda: bob.drop_table("sales.orders"),
        lambda: bob.rename_table("sales.orders", "sales.other"),
        lambda: bob.create_table("sales.new", SCHEMA),
        lambda: bob.create_namespace("fresh"),
        lambda: bob.drop_namespace("sales"),
    ):
        with pytest.raises(ForbiddenError):
            change()  # type: ignore[no-untyped-call]
    assert bob.load_table("sales.orders").scan().to_arrow().num_rows == 3


def test_a_table_seen_in_part_is_refused_by_its_name(bob: RestCatalog, url: str) -> None:
    assert ("sales", "part") in bob.list_tables("sales")
    with pytest.raises(ForbiddenError, match=r"only a part of lake\.sales\.part"):
        bob.load_table("sales.part")
    says = {"X-Iceberg-Client-Capabilities": "vended-credentials, read-restrictions"}
    raw = Raw(url, "bob")
    for path in ("", "/credentials"):
        assert raw.ask("GET", f"lake/namespaces/sales/tables/part{path}", headers=says)[0] == 403


def test_what_is_hidden_is_answered_like_what_is_not_there(bob: RestCatalog, url: str) -> None:
    raw = Raw(url, "bob")
    assert bob.list_namespaces() == [("sales",)]
    for kind in ("tables", "views"):
        for ask in ("GET", "DELETE"):
            hidden = raw.ask(ask, f"lake/namespaces/hidden/{kind}/plans")
            absent = raw.ask(ask, f"lake/namespaces/hidden/{kind}/plane")
            assert json.dumps(hidden).replace("plans", "plane") == json.dumps(absent)
            assert hidden[0] == 404
    with pytest.raises(NoSuchNamespaceError):
        bob.load_namespace_properties("hidden")
    assert bob.list_tables("hidden") == []
    commit = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"a": "b"}}]}
    assert raw.ask("POST", "lake/namespaces/hidden/tables/plans", commit)[0] == 404


def test_a_right_to_insert_alone_serves_nothing(url: str) -> None:
    """A client that appends has to read the table first, and could write any snapshot."""
    with pytest.raises(ForbiddenError, match="may not select"):
        client_of(url, "eve").load_table("sales.orders")


def test_a_write_takes_all_rights_to_change_rows(server: Server, url: str) -> None:
    run_sql(server, "root", "GRANT SELECT ON TABLE sales.orders TO USER eve")
    eve = client_of(url, "eve")
    with pytest.raises(ForbiddenError, match="may not update"):
        eve.load_table("sales.orders").append(ROWS)
    run_sql(server, "root", "REVOKE SELECT ON TABLE sales.orders FROM USER eve")


@pytest.mark.parametrize("token", ["", "wrong", "sqe_nobody", "é"])
def test_nobody_gets_in_without_a_good_token(url: str, token: str) -> None:
    raw = Raw(url, token="x")
    raw.headers = {"Authorization": f"Bearer {token}".encode()} if token else {}  # type: ignore[dict-item]
    for method, path in (("GET", "config"), ("GET", "lake/namespaces"), ("GET", ORDERS)):
        status, body = raw.ask(method, path)
        assert (status, body["error"]["type"]) == (401, "NotAuthorizedException")


def test_a_password_is_good_for_a_token_and_for_basic(url: str) -> None:
    given = {"uri": url, "warehouse": "lake", "oauth2-server-uri": f"{url}/v1/oauth/tokens"}
    bob = RestCatalog("x", **given, credential=f"bob:{PASSWORD}")
    assert bob.load_table("sales.orders").scan().to_arrow().num_rows == 3
    with pytest.raises((OAuthError, UnauthorizedError, RESTError)):
        RestCatalog("x", **given, credential="bob:wrong")
    basic = {"auth": {"type": "basic", "basic": {"username": "bob", "password": PASSWORD}}}
    again = RestCatalog("x", uri=url, warehouse="lake", **basic)  # type: ignore[arg-type]
    assert again.list_namespaces() == [("sales",)]


def test_a_key_is_its_own_token(url: str) -> None:
    key = TOKENS["bob"].reveal()
    body = f"grant_type=client_credentials&client_secret={key}".encode()
    status, answer = Raw(url).ask("POST", "oauth/tokens", body)
    assert (status, answer["access_token"]) == (200, key)


def test_a_given_token_ends(tmp_path: Path) -> None:
    from sqe.model.identity import Identity, Secret
    from sqe.protocols.iceberg_rest.tokens import GivenTokens

    now = [0.0]
    stands = [True]
    tokens = GivenTokens(60, clock=lambda: now[0])
    token = tokens.give(Identity("bob", standing=lambda: stands[0]))
    assert tokens.find(token) == Identity("bob")
    assert tokens.find(Secret(token.reveal() + "x")) is None
    stands[0] = False
    assert tokens.find(token) is None
    stands[0] = True
    now[0] = 60.0
    assert tokens.find(token) is None


def test_every_call_is_recorded_with_what_it_touches(
    server: Server, bob: RestCatalog, ann: RestCatalog
) -> None:
    bob.load_table("sales.orders")
    record = server.gateway.records()[-1]
    assert (record.user, record.text) == ("bob", "LOAD TABLE lake.sales.orders")
    assert [use.access for use in record.relations] == ["read"]
    assert record.origin.protocol == "iceberg"
    with pytest.raises(ForbiddenError):
        bob.drop_table("sales.orders")
    failed = server.gateway.records()[-1]
    assert (failed.state, failed.error_code) == (QueryState.FAILED, "ACCESS_DENIED")
    table = ann.create_table("sales.logged", SCHEMA)
    table.append(ROWS)
    commit = server.gateway.records()[-1]
    assert (commit.user, commit.kind) == ("ann", "COMMIT TABLE")
    assert [written.table for written in commit.written] == ["lake.sales.logged"]
    summary = ann.load_table("sales.logged").snapshots()[-1].summary
    assert summary is not None
    assert summary["sqe.query-id"] == commit.query_id
    ann.drop_table("sales.logged")


def snapshot(manifest_list: str, sequence: int = 1) -> dict[str, Any]:
    return {
        "action": "add-snapshot",
        "snapshot": {
            "snapshot-id": 77,
            "sequence-number": sequence,
            "timestamp-ms": 4_000_000_000_000,
            "manifest-list": manifest_list,
            "summary": {"operation": "append"},
            "schema-id": 0,
        },
    }


MAIN = {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": 77}


def test_a_commit_leads_nowhere_else(url: str, ann: RestCatalog) -> None:
    """Or SQE would read another table's files for whoever names them."""
    hidden = client_of(url, "root").load_table("hidden.plans")
    theirs = hidden.snapshots()[-1].manifest_list
    mine = ann.create_table("sales.trap", SCHEMA)
    inside = mine.location()
    dots = f"{inside}/../../hidden/{theirs.split('/hidden/')[1]}"
    raw = Raw(url, "ann")
    wrong: list[dict[str, Any]] = [
        snapshot(theirs),
        snapshot(f"file://{theirs}"),
        snapshot(dots),
        snapshot("/etc/passwd"),
        snapshot("s3://bucket/list.avro"),
        {"action": "set-location", "location": hidden.location()},
        {"action": "set-location", "location": f"{inside}/below"},
        {"action": "set-properties", "updates": {"write.data.path": hidden.location()}},
        {"action": "set-properties", "updates": {"write.metadata.path": f"{inside}/../x"}},
        {"action": "set-properties", "updates": {"sqe.materialized-view": "{}"}},
        {"action": "set-properties", "updates": {"write.location-provider.impl": "x.Y"}},
        {
            "action": "set-statistics",
            "statistics": {
                "snapshot-id": 1,
                "statistics-path": theirs,
                "file-size-in-bytes": 1,
                "file-footer-size-in-bytes": 1,
                "blob-metadata": [],
            },
        },
    ]
    for update in wrong:
        body = {"requirements": [], "updates": [update, MAIN]}
        status, answer = raw.ask("POST", "lake/namespaces/sales/tables/trap", body)
        assert (status, answer["error"]["type"]) == (403, "ForbiddenException"), update
        many = {
            "table-changes": [
                {"identifier": {"namespace": ["sales"], "name": "trap"}, **body},
            ]
        }
        assert raw.ask("POST", "lake/transactions/commit", many)[0] == 403
    assert ann.load_table("sales.trap").snapshots() == []
    ann.drop_table("sales.trap")


def test_a_manifest_that_names_another_tables_files_is_refused(url: str, ann: RestCatalog) -> None:
    hidden = client_of(url, "root").load_table("hidden.plans")
    [file] = hidden.inspect.files()["file_path"].to_pylist()
    mine = ann.create_table("sales.trap", SCHEMA)
    with pytest.raises(ForbiddenError, match="another place"):
        mine.add_files([file])
    copy = Path(mine.location()) / "metadata" / "copied.avro"
    copy.write_bytes(Path(hidden.snapshots()[-1].manifest_list).read_bytes())
    body = {"requirements": [], "updates": [snapshot(str(copy)), MAIN]}
    status, answer = Raw(url, "ann").ask("POST", "lake/namespaces/sales/tables/trap", body)
    assert (status, answer["error"]["message"][:10]) == (403, "A manifest")
    copy.write_bytes(b"no avro")
    assert Raw(url, "ann").ask("POST", "lake/namespaces/sales/tables/trap", body)[0] == 400
    ann.drop_table("sales.trap")


def test_where_a_table_is_the_catalog_says(url: str, ann: RestCatalog) -> None:
    hidden = client_of(url, "root").load_table("hidden.plans")
    raw, schema = Raw(url, "ann"), json.loads(SCHEMA.model_dump_json())
    for extra in (
        {"location": hidden.location()},
        {"location": hidden.location(), "stage-create": True},
        {"properties": {"write.data.path": hidden.location()}},
    ):
        body = {"name": "trap", "schema": schema, **extra}
        assert raw.ask("POST", "lake/namespaces/sales/tables", body)[0] == 403
    create = {"requirements": [{"type": "assert-create"}], "updates": []}
    assert raw.ask("POST", "lake/namespaces/sales/tables/trap", create)[0] == 403
    staged = {"name": "trap", "schema": schema, "stage-create": True}
    assert raw.ask("POST", "lake/namespaces/sales/tables", staged)[0] == 200
    create["updates"] = [{"action": "set-location", "location": hidden.location()}]
    assert raw.ask("POST", "lake/namespaces/sales/tables/trap", create)[0] == 403
    for path in ("register", "register-view"):
        body = {"name": "trap", "metadata-location": hidden.metadata_location}
        assert raw.ask("POST", f"lake/namespaces/sales/{path}", body)[0] == 404
    assert not ann.table_exists("sales.trap")


VIEW = {
    "name": "seen",
    "schema": {"type": "struct", "schema-id": 0, "fields": []},
    "view-version": {
        "version-id": 1,
        "schema-id": 0,
        "timestamp-ms": 1_700_000_000_000,
        "summary": {},
        "default-namespace": ["sales"],
        "default-catalog": "lake",
        "representations": [{"type": "sql", "sql": "SELECT id FROM orders", "dialect": "spark"}],
    },
    "properties": {},
}


def test_a_view_is_served_to_who_may_read_what_it_reads(url: str, server: Server) -> None:
    ann = Raw(url, "ann")
    field = {"id": 1, "name": "id", "type": "long", "required": False}
    for name, table in (("seen", "sales.orders"), ("unseen", "hidden.plans")):
        view: dict[str, Any] = json.loads(json.dumps(VIEW))
        view["name"], view["schema"]["fields"] = name, [field]
        view["view-version"]["representations"][0]["sql"] = f"SELECT id FROM {table}"
        author = Raw(url, "root")
        assert author.ask("POST", "lake/namespaces/sales/views", view)[0] == 200
        run_sql(server, "root", f"GRANT SELECT ON VIEW sales.{name} TO USER bob")
    bob = Raw(url, "bob")
    assert bob.ask("GET", "lake/namespaces/sales/views/seen")[0] == 200
    assert bob.ask("GET", "lake/namespaces/sales/views/unseen")[0] == 403
    assert bob.ask("DELETE", "lake/namespaces/sales/views/seen")[0] == 403
    assert bob.ask("GET", "lake/namespaces/sales/views/absent")[0] == 404
    definer = {**VIEW, "properties": {"sqe.security": "definer"}}
    assert ann.ask("POST", "lake/namespaces/sales/views", definer)[0] == 403
    placed = {**VIEW, "location": "/tmp/x"}
    assert ann.ask("POST", "lake/namespaces/sales/views", placed)[0] == 403
    for name in ("seen", "unseen"):
        assert Raw(url, "root").ask("DELETE", f"lake/namespaces/sales/views/{name}")[0] == 204


def test_only_known_catalogs_and_paths_are_there(url: str) -> None:
    raw = Raw(url, "bob")
    assert raw.ask("GET", "config?warehouse=other")[0] == 404
    for path in ("other/namespaces", "..%2Flake/namespaces", "lake/nothing", "", "lake"):
        assert raw.ask("GET", path)[0] == 404, path
    status, body = raw.ask("GET", "config?warehouse=lake")
    assert (status, body["overrides"]) == (200, {"prefix": "lake"})
    assert not [one for one in body["endpoints"] if "register" in one]


@pytest.mark.parametrize(
    "update",
    [
        {},
        {"action": "add-snapshot"},
        {"action": "add-snapshot", "snapshot": []},
        {"action": "add-snapshot", "snapshot": {"snapshot-id": "x"}},
        {"action": "add-snapshot", "snapshot": {"snapshot-id": 1, "summary": [1]}},
        {"action": "add-snapshot", "snapshot": {"snapshot-id": 1, "manifests": 5}},
        {"action": "set-properties", "updates": 5},
        {"action": "remove-properties", "removals": 5},
        {"action": "set-statistics", "statistics": {}},
        {"action": ["x"]},
        {"action": "nothing"},
    ],
)
def test_an_update_of_a_wrong_shape_is_refused(url: str, update: dict[str, Any]) -> None:
    status, answer = Raw(url, "ann").ask("POST", ORDERS, {"updates": [update]})
    assert status in (400, 403), answer


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"requirements": 3}', b'{"updates": [3]}', b'{"updates": {}}']
)
def test_what_is_no_request_is_told_so(url: str, body: bytes) -> None:
    raw = Raw(url, "ann")
    assert raw.ask("POST", ORDERS, body)[0] in (200, 400)
    for path in ("lake/namespaces", "lake/transactions/commit", "lake/tables/rename"):
        assert raw.ask("POST", path, body)[0] in (204, 400), path


def test_files_on_this_machine_are_served_only_where_the_settings_say(tmp_path: Path) -> None:
    with serving(tmp_path, local_files=False) as (server, url):
        run_sql(server, "root", "CREATE SCHEMA sales")
        root = client_of(url, "root")
        with pytest.raises(ForbiddenError, match="on the disk of SQE's machine"):
            root.create_table("sales.orders", SCHEMA)
        assert run_sql(server, "root", "SHOW TABLES IN sales") == []
        catalog = server.catalogs.open("lake", _root())
        schema = json.loads(SCHEMA.model_dump_json())
        catalog.create_table(("sales",), {"name": "orders", "schema": schema})
        for act in (root.load_table, root.drop_table):
            if act == root.load_table:
                with pytest.raises(ForbiddenError, match="on the disk"):
                    act("sales.orders")
        forwarded = Raw(url, "root").ask("GET", ORDERS, headers={"X-Forwarded-For": "10.0.0.1"})
        assert forwarded[0] == 403


def _root() -> Any:
    from sqe.model.identity import Identity

    return Identity("root")


def test_a_forwarded_client_is_told_of_no_local_files(url: str) -> None:
    raw = Raw(url, "ann")
    assert raw.ask("GET", ORDERS)[0] == 200
    via = {"X-Forwarded-For": "10.0.0.1"}
    assert raw.ask("GET", ORDERS, headers=via)[0] == 403
