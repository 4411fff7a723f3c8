"""Any catalog over the Iceberg REST specification."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Catalog, Ident
from sqe.catalog.rest.errors import STATUSES, answer_to, status_of
from sqe.catalog.rest.routes import ENDPOINTS, catalog_app
from sqe.catalog.rest.wire import segments
from sqe.errors import AccessError, ErrorCode, error_of
from tests.unit.catalog.commit.test_view_updates import version
from tests.unit.catalog.tables import SCHEMA

NS = "/v1/namespaces"


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[EmbeddedCatalog]:
    catalog = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w")
    yield catalog
    catalog.close()


@pytest.fixture
def client(catalog: EmbeddedCatalog) -> Iterator[TestClient]:
    with TestClient(catalog_app(lambda bearer: catalog)) as client:
        client.post(NS, json={"namespace": ["a", "b"], "properties": {"owner": "ann"}})
        yield client


def make(client: TestClient, name: str) -> None:
    answer = client.post(f"{NS}/a%1Fb/tables", json={"name": name, "schema": SCHEMA})
    assert answer.status_code == 200, answer.text


def test_the_configuration_lists_every_endpoint(client: TestClient) -> None:
    config = client.get("/v1/config", params={"warehouse": "lake"}).json()
    assert len(config["endpoints"]) == len(ENDPOINTS)
    assert "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}" in config["endpoints"]


def test_a_prefix_is_told_and_expected(catalog: EmbeddedCatalog) -> None:
    with TestClient(catalog_app(lambda bearer: catalog, prefix="lake")) as client:
        assert client.get("/v1/config").json()["overrides"] == {"prefix": "lake"}
        assert client.get("/v1/lake/namespaces").status_code == 200
        assert client.get("/v1/namespaces").status_code == 404


def test_namespaces(client: TestClient) -> None:
    assert client.get(NS).json() == {"namespaces": [["a"]]}
    assert client.get(NS, params={"parent": "a"}).json() == {"namespaces": [["a", "b"]]}
    assert client.get(f"{NS}/a%1Fb").json()["properties"] == {"owner": "ann"}
    assert client.head(f"{NS}/a%1Fb").status_code == 204
    assert client.head(f"{NS}/zz").status_code == 404
    updated = client.post(f"{NS}/a%1Fb/properties", json={"removals": ["owner", "x"]})
    assert updated.json() == {"updated": [], "removed": ["owner"], "missing": ["x"]}
    assert client.post(NS, json={"namespace": ["a", "b"]}).status_code == 409
    assert client.delete(f"{NS}/a").json()["error"]["type"] == "NamespaceNotEmptyException"
    assert client.delete(f"{NS}/a%1Fb").status_code == 204


def test_lists_come_in_pages(client: TestClient) -> None:
    for name in "edcba":
        make(client, name)
    seen: list[str] = []
    token = ""
    while True:
        page = client.get(f"{NS}/a%1Fb/tables", params={"pageSize": 2, "pageToken": token}).json()
        seen += [entry["name"] for entry in page["identifiers"]]
        token = page.get("next-page-token", "")
        if not token:
            break
    assert seen == list("abcde")
    assert client.get(f"{NS}/a%1Fb/tables?pageSize=x").status_code == 400


def test_metadata_is_answered_byte_for_byte(client: TestClient, catalog: EmbeddedCatalog) -> None:
    make(client, "t")
    loaded = catalog.load_table(Ident(("a", "b"), "t"))
    answer = client.get(f"{NS}/a%1Fb/tables/t")
    assert loaded.metadata_json in answer.content
    assert answer.json()["metadata-location"] == loaded.metadata_location


def test_a_known_table_is_not_sent_again(client: TestClient) -> None:
    make(client, "t")
    tag = client.get(f"{NS}/a%1Fb/tables/t").headers["etag"]
    again = client.get(f"{NS}/a%1Fb/tables/t", headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    refs = client.get(f"{NS}/a%1Fb/tables/t?snapshots=refs", headers={"If-None-Match": tag})
    assert refs.status_code == 200
    client.post(
        f"{NS}/a%1Fb/tables/t",
        json={"updates": [{"action": "set-properties", "updates": {"a": "1"}}]},
    )
    fresh = client.get(f"{NS}/a%1Fb/tables/t", headers={"If-None-Match": tag})
    assert fresh.json()["metadata"]["properties"]["a"] == "1"


def test_names_with_slashes_spaces_and_signs(client: TestClient) -> None:
    for name in ("a/b", "a b", "a+b", "ä%", "a.b"):
        make(client, name)
    assert client.get(f"{NS}/a%1Fb/tables/a%2Fb").status_code == 200
    assert client.get(f"{NS}/a%1Fb/tables/a+b").status_code == 200
    assert client.get(f"{NS}/a%1Fb/tables/a%2Bb").status_code == 200
    assert client.get(f"{NS}/a%1Fb/tables/%C3%A4%25").status_code == 200
    assert segments(b"/v1/a%2Fb/c+d") == ["v1", "a/b", "c d"]


def test_tables_are_renamed_dropped_registered(client: TestClient) -> None:
    make(client, "t")
    where = client.get(f"{NS}/a%1Fb/tables/t").json()["metadata-location"]
    old, new = ({"namespace": ["a", "b"], "name": name} for name in "tu")
    rename = {"source": old, "destination": new}
    assert client.post("/v1/tables/rename", json=rename).status_code == 204
    assert client.head(f"{NS}/a%1Fb/tables/t").status_code == 404
    assert client.post(f"{NS}/a%1Fb/tables/u/metrics", json={}).status_code == 204
    assert client.delete(f"{NS}/a%1Fb/tables/u").status_code == 204
    register = {"name": "v", "metadata-location": where}
    assert client.post(f"{NS}/a%1Fb/register", json=register).status_code == 200
    assert client.head(f"{NS}/a%1Fb/tables/v").status_code == 204
    assert client.delete(f"{NS}/a%1Fb/tables/v?purgeRequested=true").status_code == 204
    assert not Path(where).exists()


def test_views(client: TestClient) -> None:
    request = {"name": "v", "schema": SCHEMA, "view-version": version("select 1"), "properties": {}}
    created = client.post(f"{NS}/a%1Fb/views", json=request)
    assert created.status_code == 200
    assert client.get(f"{NS}/a%1Fb/views").json()["identifiers"][0]["name"] == "v"
    assert client.head(f"{NS}/a%1Fb/views/v").status_code == 204
    assert client.get(f"{NS}/a%1Fb/tables/v").json()["error"]["type"] == "NoSuchTableException"
    updates = [{"action": "set-properties", "updates": {"a": "1"}}]
    assert client.post(f"{NS}/a%1Fb/views/v", json={"updates": updates}).status_code == 200
    old, new = ({"namespace": ["a", "b"], "name": name} for name in "vw")
    rename = {"source": old, "destination": new}
    assert client.post("/v1/views/rename", json=rename).status_code == 204
    assert client.delete(f"{NS}/a%1Fb/views/w").status_code == 204
    where = created.json()["metadata-location"]
    register = {"name": "x", "metadata-location": where}
    assert client.post(f"{NS}/a%1Fb/register-view", json=register).status_code == 200


def test_several_tables_change_together_or_not_at_all(client: TestClient) -> None:
    make(client, "t")
    make(client, "u")

    def change(name: str, schema_id: int) -> dict[str, object]:
        return {
            "identifier": {"namespace": ["a", "b"], "name": name},
            "requirements": [{"type": "assert-current-schema-id", "current-schema-id": schema_id}],
            "updates": [{"action": "set-properties", "updates": {"by": "all"}}],
        }

    bad = client.post(
        "/v1/transactions/commit", json={"table-changes": [change("t", 0), change("u", 9)]}
    )
    assert bad.json()["error"]["type"] == "CommitFailedException"
    assert "by" not in client.get(f"{NS}/a%1Fb/tables/t").json()["metadata"]["properties"]
    good = client.post(
        "/v1/transactions/commit", json={"table-changes": [change("t", 0), change("u", 0)]}
    )
    assert good.status_code == 204
    for name in "tu":
        metadata = client.get(f"{NS}/a%1Fb/tables/{name}").json()["metadata"]
        assert metadata["properties"]["by"] == "all"


def test_malformed_requests_are_the_clients_fault(client: TestClient) -> None:
    make(client, "t")
    for content in (b"", b"{", b"[]", b"\xff"):
        assert client.post(NS, content=content).status_code == 400
    assert client.post(NS, json={"namespace": "a"}).status_code == 400
    assert client.post(NS, json={"namespace": ["c"], "properties": {"a": 1}}).status_code == 400
    table = f"{NS}/a%1Fb/tables/t"
    assert client.post(table, json={"updates": "x"}).status_code == 400
    assert client.post(table, json={"updates": [1]}).status_code == 400
    assert client.get(f"{table}?snapshots=some").status_code == 400
    assert client.post("/v1/tables/rename", json={"source": {}}).status_code == 400
    assert client.put(NS).status_code == 404
    assert client.get("/v2/namespaces").status_code == 404


def test_tokens_choose_the_catalog(catalog: EmbeddedCatalog) -> None:
    def opened(bearer: str | None) -> Catalog:
        if bearer != "good":
            raise AccessError(ErrorCode.AUTHENTICATION_FAILED, "No such session.")
        return catalog

    with TestClient(catalog_app(opened)) as client:
        for headers in ({}, {"Authorization": "Bearer bad"}, {"Authorization": "Basic good"}):
            for path in ("/v1/config", NS):
                answer = client.get(path, headers=headers)
                assert answer.status_code == 401
                assert answer.json()["error"]["type"] == "NotAuthorizedException"
        assert client.get(NS, headers={"Authorization": "bearer good"}).status_code == 200


def test_defects_keep_their_text_to_themselves(caplog: pytest.LogCaptureFixture) -> None:
    def opened(bearer: str | None) -> Catalog:
        raise RuntimeError("s3cret")

    with TestClient(catalog_app(opened)) as client:
        answer = client.post(NS, json={})
    assert answer.status_code == 500
    assert "s3cret" not in answer.text
    assert "s3cret" in caplog.text


def test_no_answer_makes_the_java_client_ask_again() -> None:
    again = {408, 429, 500, 502, 503, 504}
    for code in ErrorCode:
        for method in ("GET", "HEAD", "DELETE"):
            assert status_of(code, method)[0] not in again, code
        assert status_of(code, "POST")[0] != 429


def test_every_code_has_an_answer_of_the_specification() -> None:
    assert set(STATUSES) <= set(ErrorCode)
    for code in ErrorCode:
        body = json.loads(bytes(answer_to(error_of(code, "why"), "GET").body))
        assert body["error"]["message"].startswith("why")
        assert body["error"]["code"] == status_of(code, "GET")[0]
