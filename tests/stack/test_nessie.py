"""SQE's own client on a real Nessie, with real tokens: who sees what, and how Nessie says no."""

from __future__ import annotations

import json
import urllib.request
import uuid
from collections.abc import Callable, Iterator

import pytest

from dev.stack.minio import BUCKET
from dev.stack.places import Places
from sqe.catalog.protocol import Catalog, Ident, Json
from sqe.catalog.remote.catalog import RestCatalogs
from sqe.catalog.remote.options import RestOptions
from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity, Secret
from sqe.model.passport import Passport, Token
from tests.stack.serving import Serving

SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [{"id": 1, "name": "id", "type": "long", "required": False}],
}
ANY_UUID = "00000000-0000-0000-0000-000000000000"
AsUser = Callable[[str], Catalog]


@pytest.fixture(scope="module")
def as_user(stack: Places, token: Callable[..., str]) -> Iterator[AsUser]:
    modes = "vended-credentials,remote-signing"
    nessie = RestCatalogs(
        RestOptions("nessie", f"{stack.nessie}/iceberg", BUCKET, delegation=modes)
    )

    def opened(name: str) -> Catalog:
        passport = Passport(Token(Secret(token(name))), name)
        return nessie.open(Identity(name, passport=passport))

    yield opened
    nessie.close()


@pytest.fixture(scope="module")
def tables(as_user: AsUser) -> Iterator[tuple[Ident, Ident]]:
    """One in ``ns1``, which alice reads, one in ``ns2``, which is bob's."""
    carol, name = as_user("carol"), f"t_{uuid.uuid4().hex[:8]}"
    made = (Ident(("ns1",), name), Ident(("ns2",), name))
    for ident in made:
        carol.create_table(ident.namespace, {"name": name, "schema": SCHEMA})
    yield made
    for ident in made:
        carol.drop_table(ident)


def refused(act: Callable[[], object]) -> SqeError:
    with pytest.raises(SqeError) as caught:
        act()
    return caught.value


def change(*requirements: Json) -> Json:
    properties = {"action": "set-properties", "updates": {"a": "b"}}
    return {"requirements": list(requirements), "updates": [properties]}


def test_everybody_sees_what_is_theirs(as_user: AsUser, tables: tuple[Ident, Ident]) -> None:
    seen = {name: as_user(name).list_namespaces() for name in ("alice", "bob", "carol")}
    assert seen == {"alice": [("ns1",)], "bob": [("ns2",)], "carol": [("ns1",), ("ns2",)]}
    first, second = tables
    assert as_user("alice").load_table(first).metadata["location"]
    assert as_user("bob").load_table(second).metadata["location"]


def test_a_denial_as_500_is_a_denial(as_user: AsUser, tables: tuple[Ident, Ident]) -> None:
    alice, (first, second) = as_user("alice"), tables
    hidden = refused(lambda: alice.load_table(second))
    missing = refused(lambda: alice.load_table(Ident(("ns2",), "nothing")))
    assert hidden.code is missing.code is ErrorCode.TABLE_NOT_FOUND
    assert hidden.message.replace(second.name, "…") == missing.message.replace("nothing", "…")
    changes = [
        lambda: alice.commit_table(first, change()),
        lambda: alice.check_change(first),
        lambda: alice.drop_table(first),
        lambda: alice.create_table(("ns1",), {"name": "mine", "schema": SCHEMA}),
        lambda: alice.load_namespace(("ns2",)),
    ]
    assert {refused(act).code for act in changes} == {ErrorCode.ACCESS_DENIED}


def test_asking_whether_a_table_may_be_changed_changes_nothing(
    as_user: AsUser, tables: tuple[Ident, Ident]
) -> None:
    carol, (first, _) = as_user("carol"), tables
    before = carol.load_table(first).metadata
    carol.check_change(first)
    assert carol.load_table(first).metadata == before


def test_other_refusals(as_user: AsUser, tables: tuple[Ident, Ident]) -> None:
    carol, (first, second) = as_user("carol"), tables
    request = {"name": first.name, "schema": SCHEMA}
    other = {"type": "assert-table-uuid", "uuid": ANY_UUID}
    codes = [
        refused(lambda: carol.create_table(("ns1",), request)).code,
        refused(lambda: carol.create_table(("nowhere",), request)).code,
        refused(lambda: carol.create_namespace(("ns1",), {})).code,
        refused(lambda: carol.rename_table(first, second)).code,
        refused(lambda: carol.commit_table(first, change(other))).code,
        refused(lambda: carol.load_view(first)).code,
    ]
    assert codes == [
        ErrorCode.TABLE_ALREADY_EXISTS,
        ErrorCode.SCHEMA_NOT_FOUND,
        ErrorCode.SCHEMA_ALREADY_EXISTS,
        ErrorCode.TABLE_ALREADY_EXISTS,
        ErrorCode.COMMIT_CONFLICT,
        ErrorCode.VIEW_NOT_FOUND,
    ]


def test_a_commit_is_seen_by_the_next_load(as_user: AsUser, tables: tuple[Ident, Ident]) -> None:
    carol, alice, (first, _) = as_user("carol"), as_user("alice"), tables
    assert "a" not in alice.load_table(first).metadata.get("properties", {})
    carol.commit_table(first, change())
    assert alice.load_table(first).metadata["properties"]["a"] == "b"


def test_new_keys_come_with_the_table(as_user: AsUser, tables: tuple[Ident, Ident]) -> None:
    """Nessie has no address for them, and keeps them in the table's configuration."""
    bob, (_, second) = as_user("bob"), tables
    old = bob.load_table(second)
    [new] = bob.load_credentials(second)
    assert new["prefix"] == old.metadata["location"]
    assert new["config"]["s3.access-key-id"] != old.config["s3.access-key-id"]


def test_nessie_signs_requests_for_the_table_and_no_others(
    as_user: AsUser, tables: tuple[Ident, Ident], stack: Places
) -> None:
    alice, (first, _) = as_user("alice"), tables
    loaded = alice.load_table(first)
    key = str(loaded.metadata_location).removeprefix("s3://")

    def request(path: str) -> Json:
        uri = f"{stack.minio}/{path}"
        return {"region": "us-east-1", "method": "GET", "uri": uri, "headers": {}}

    signed = alice.sign(first, loaded.config, request(key))
    fetched = urllib.request.Request(signed.uri, headers=dict(signed.headers))
    with urllib.request.urlopen(fetched, timeout=10) as answer:
        assert json.load(answer)["table-uuid"] == loaded.metadata["table-uuid"]
    elsewhere = key.replace("/ns1/", "/ns2/")
    error = refused(lambda: alice.sign(first, loaded.config, request(elsewhere)))
    assert error.code is ErrorCode.ACCESS_DENIED


def test_in_sql_too(lakehouse: Serving, tables: tuple[Ident, Ident]) -> None:
    name = tables[0].name
    listed = "SELECT table_schema FROM nessie.information_schema.tables WHERE table_name = '%s'"
    assert lakehouse.rows("alice", listed % name) == [("ns1",)]
    assert lakehouse.rows("carol", listed % name) == [("ns1",), ("ns2",)]
    assert lakehouse.rows("carol", f"SELECT count(*) FROM nessie.ns1.{name}") == [(0,)]
