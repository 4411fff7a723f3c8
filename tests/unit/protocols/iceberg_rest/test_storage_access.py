"""What an engine is given of a catalog that vends keys, signs requests or restricts readers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident, Json, Loaded, Signed
from sqe.model.identity import Identity
from sqe.server.build import Server
from tests.unit.protocols.iceberg_rest.serving import SCHEMA, Raw, run_sql, serving

KEYS = {
    "s3.access-key-id": "vended-id",
    "s3.secret-access-key": "vended-key",
    "s3.session-token": "vended-token",
}
CONFIG = {"s3.endpoint": "https://s3.example", "uri": "https://elsewhere", "token": "stray"}
FILTER = json.dumps({"required-row-filter": False})


class InS3(EmbeddedCatalog):
    """Its tables seem to be in a bucket; some are signed for, some restricted."""

    def load_table(self, ident: Ident) -> Loaded:
        loaded = super().load_table(ident)
        content = json.dumps({**loaded.metadata, "location": f"s3://bucket/{ident.name}"}).encode()
        shown = replace(loaded, metadata_json=content, config=CONFIG)
        shown.__dict__.pop("metadata", None)
        if ident.name == "signed":
            return replace(shown, config={**CONFIG, "s3.remote-signing-enabled": "true"})
        credential = {"prefix": f"s3://bucket/{ident.name}", "config": {**CONFIG, **KEYS}}
        restrictions = FILTER if ident.name == "part" else ""
        return replace(shown, storage_credentials=(credential,), restrictions=restrictions)

    def load_credentials(self, ident: Ident) -> tuple[Json, ...]:
        return self.load_table(ident).storage_credentials

    def sign(self, ident: Ident, config: Mapping[str, str], request: Json) -> Signed:
        assert config["s3.remote-signing-enabled"] == "true"
        return Signed(request["uri"], {"Authorization": "signed"}, reusable=True)

    def open(self, identity: Identity) -> InS3:
        return self


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    home: Path = tmp_path_factory.mktemp("home")
    with serving(home, local_files=False, enforcing_users=["bob"]) as (server, url):
        far = InS3(home / "far.db", home / "far", "lake")
        server._configured.catalogs.put("lake", far)
        far.create_namespace(("sales",), {})
        schema = json.loads(SCHEMA.model_dump_json())
        for name in ("orders", "signed", "part"):
            far.create_table(("sales",), {"name": name, "schema": schema})
        run_sql(server, "root", "GRANT SELECT ON SCHEMA sales TO USER bob")
        run_sql(server, "root", "GRANT SELECT ON SCHEMA sales TO USER ann")
        yield server, url


@pytest.fixture
def url(served: tuple[Server, str]) -> str:
    return served[1]


def load(url: str, user: str, table: str, **headers: str) -> tuple[int, Any]:
    return Raw(url, user).ask("GET", f"lake/namespaces/sales/tables/{table}", headers=headers)


def test_keys_come_with_where_to_renew_them_and_nothing_else(url: str) -> None:
    status, table = load(url, "ann", "orders")
    assert status == 200
    assert KEYS.items() <= table["config"].items()
    assert not {"uri", "token"} & set(table["config"])
    path = table["config"]["client.refresh-credentials-endpoint"]
    assert path == "v1/lake/namespaces/sales/tables/orders/credentials"
    status, keys = Raw(url, "ann").ask("GET", path.removeprefix("v1/"))
    [credential] = keys["storage-credentials"]
    assert (status, credential["prefix"]) == (200, "s3://bucket/orders")
    assert not {"uri", "token"} & set(credential["config"])
    assert Raw(url, "eve").ask("GET", path.removeprefix("v1/"))[0] == 404
    assert Raw(url).ask("GET", path.removeprefix("v1/"))[0] == 401


def test_signatures_are_for_who_may(url: str) -> None:
    status, table = load(url, "ann", "signed")
    path = table["config"]["s3.signer.endpoint"].removeprefix("v1/")
    assert (status, table["config"]["s3.remote-signing-enabled"]) == (200, "true")
    assert not set(KEYS) & set(table["config"])
    request = {"method": "GET", "uri": "https://s3.example/bucket/signed/x", "headers": {}}
    status, signed = Raw(url, "ann").ask("POST", path, request)
    assert (status, signed["headers"]) == (200, {"Authorization": ["signed"]})
    for method in ("PUT", "POST", "DELETE", "", "get\n"):
        assert Raw(url, "ann").ask("POST", path, {**request, "method": method})[0] == 403
    assert Raw(url, "eve").ask("POST", path, request)[0] == 404


def test_restrictions_go_to_engines_that_are_believed(url: str) -> None:
    says = {"X-Iceberg-Client-Capabilities": "Read-Restrictions"}
    status, table = load(url, "bob", "part", **says)
    assert (status, table["read-restrictions"]) == (200, json.loads(FILTER))
    assert load(url, "bob", "part")[0] == 403  # it does not say so
    assert load(url, "ann", "part", **says)[0] == 403  # it only says so
    assert "read-restrictions" not in load(url, "bob", "orders", **says)[1]


def test_what_sqe_restricts_goes_to_nobody(url: str, served: tuple[Server, str]) -> None:
    says = {"X-Iceberg-Client-Capabilities": "read-restrictions"}
    run_sql(served[0], "root", "GRANT SELECT ON TABLE sales.orders TO USER eve ROWS WHERE (id = 1)")
    assert load(url, "eve", "orders", **says)[0] == 403


def test_an_unchanged_table_is_sent_again_with_its_keys(url: str) -> None:
    connection = Raw(url, "ann")
    status, _ = connection.ask(
        "GET", "lake/namespaces/sales/tables/orders", headers={"If-None-Match": "*"}
    )
    assert status == 200
