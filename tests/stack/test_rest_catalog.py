"""SQE's own client of Iceberg REST catalogs on the catalog that plays Polaris, with real tokens."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pyarrow as pa
import pytest
from minio import MinioAdmin

from dev.stack.catalog import NAME
from dev.stack.people import CATALOG, SHORT, SHORT_S
from dev.stack.places import Places
from sqe.catalog.protocol import Catalog, Ident, Json
from sqe.catalog.remote.catalog import RestCatalogs
from sqe.catalog.remote.options import RestOptions
from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity, Secret
from sqe.model.passport import Passport, Token
from tests.stack.own_lake import OwnLake, own_lake
from tests.stack.serving import Serving
from tests.unit.catalog.remote.serving import Reply, scripted

ORDERS, SALARIES = Ident(("sales",), "orders"), Ident(("hr",), "salaries")
Tokens = Callable[..., str]


def someone(name: str, token: str, expires_at: float | None = None) -> Identity:
    return Identity(name, passport=Passport(Token(Secret(token), expires_at), token[-20:]))


@pytest.fixture(scope="module")
def remote(stack: Places) -> Iterator[RestCatalogs]:
    options = RestOptions(
        "lake", f"{stack.catalog}/api/catalog", NAME, delegation="vended-credentials"
    )
    made = RestCatalogs(options)
    yield made
    made.close()


@pytest.fixture
def as_user(remote: RestCatalogs, token: Tokens) -> Callable[[str], Catalog]:
    return lambda name: remote.open(someone(name, token(name)))


def code(act: Callable[[], object]) -> ErrorCode:
    with pytest.raises(SqeError) as caught:
        act()
    return caught.value.code


def test_the_catalog_decides_for_each_user(as_user: Callable[[str], Catalog]) -> None:
    alice, bob = as_user("alice"), as_user("bob")
    assert "orders" in alice.list_tables(("sales",))
    assert alice.load_table(ORDERS).metadata["location"]
    assert bob.load_table(SALARIES).metadata["location"]
    assert code(lambda: alice.load_table(SALARIES)) is ErrorCode.TABLE_NOT_FOUND
    assert code(lambda: alice.list_tables(("hr",))) is ErrorCode.ACCESS_DENIED
    change = {"updates": [{"action": "set-properties", "updates": {"a": "b"}}]}
    assert code(lambda: alice.commit_table(ORDERS, change)) is ErrorCode.ACCESS_DENIED
    drop = code(lambda: bob.drop_table(SALARIES, purge=True))
    assert drop is ErrorCode.ACCESS_DENIED  # as Polaris has it by default


def keys(credentials: tuple[Json, ...]) -> str:
    [one] = credentials
    return str(one["config"]["s3.access-key-id"])


def test_users_have_the_keys_of_their_rights(as_user: Callable[[str], Catalog]) -> None:
    """Polaris gives those with the same rights the same keys, and keeps them for a while."""
    people = [as_user(name) for name in ("alice", "bob", "carol")]
    reader, other, writer = (keys(one.load_table(ORDERS).storage_credentials) for one in people)
    assert reader == other != writer
    alice = people[0]
    assert keys(alice.load_table(ORDERS).storage_credentials) == reader  # not modified
    assert keys(alice.load_credentials(ORDERS)) == reader


def test_a_token_that_was_tampered_with_is_refused(remote: RestCatalogs, token: Tokens) -> None:
    head, body, signature = token("alice").split(".")
    forged = f"{head}.{body}.{signature[::-1]}"
    refused = code(lambda: remote.open(someone("carol", forged)).list_namespaces())
    assert refused is ErrorCode.AUTHENTICATION_FAILED


@pytest.fixture(scope="module")
def own(
    stack: Places, minio_admin: MinioAdmin, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OwnLake]:
    with own_lake(stack, minio_admin, tmp_path_factory.mktemp("own")) as lake:
        lake.client().create_table("a.t", pa.schema({"n": pa.int64()}))
        yield lake


def test_what_another_engine_writes_the_next_query_sees(
    own: OwnLake, another_sqe: Callable[..., AbstractContextManager[Serving]]
) -> None:
    count = "SELECT count(*) FROM own.a.t"
    with another_sqe(catalogs=own.settings()) as serving, serving.connected("alice") as alice:
        for number in range(3):
            assert alice.execute(count).fetchall() == [(number,)]
            own.client().load_table("a.t").append(pa.table({"n": [number]}))


def test_each_query_asks_for_its_table_once(
    own: OwnLake, another_sqe: Callable[..., AbstractContextManager[Serving]]
) -> None:
    with another_sqe(catalogs=own.settings()) as serving, serving.connected("alice") as alice:
        alice.execute("SELECT n FROM own.a.t").fetchall()
        own.admin.reset_calls()
        alice.execute("SELECT x.n FROM own.a.t x JOIN own.a.t y ON x.n = y.n").fetchall()
    assert own.admin.calls("load_table", "alice") == 1


def test_an_expired_token_is_refused_by_the_catalog(own: OwnLake, token: Tokens) -> None:
    """Whether SQE knows when it ends or not."""
    short, table = token("alice", SHORT), Ident(("a",), "t")
    remote = RestCatalogs(RestOptions("own", own.catalog.url, "lake"))
    unknown = remote.open(someone("alice", short))
    known = remote.open(someone("alice", short, time.time() + SHORT_S))
    assert unknown.load_table(table).metadata["location"]
    time.sleep(SHORT_S + 1)
    assert code(lambda: unknown.load_table(table)) is ErrorCode.AUTHENTICATION_FAILED
    assert code(lambda: known.load_table(table)) is ErrorCode.TOKEN_EXPIRED
    remote.close()


def claims(authorization: str) -> Json:
    body = authorization.split(".")[1]
    found: Json = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    return found


def test_a_catalog_with_an_audience_sees_only_the_exchanged_token(
    stack: Places, another_sqe: Callable[..., AbstractContextManager[Serving]]
) -> None:
    """One that is narrower than what the user logged in with, and of the same user."""
    nothing = Reply(200, b'{"namespaces": [["ns"]]}')
    real = {"uri": f"{stack.catalog}/api/catalog", "warehouse": NAME}
    with scripted(lambda method, path: nothing) as there:
        catalogs = {
            "heard": {"type": "rest", "uri": there.url, "audience": CATALOG.name},
            "lake": {"type": "rest", **real, "audience": CATALOG.name},
        }
        with another_sqe(catalogs=catalogs) as serving:
            assert serving.rows("alice", "SHOW SCHEMAS FROM heard") == [("ns",)]
            assert serving.rows("alice", "SELECT count(*) FROM lake.sales.orders")[0][0] > 0
    shown = [claims(headers["authorization"]) for _, _, headers in there.seen]
    assert {one["preferred_username"] for one in shown} == {"alice"}
    assert all(one["aud"] in (CATALOG.name, [CATALOG.name]) for one in shown)
