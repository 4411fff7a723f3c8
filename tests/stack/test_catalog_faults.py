"""A catalog that is down, slow, hangs, comes and goes, or stops in the middle of an answer: an
error in time that says so, and all is well again by itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import urlsplit

import pytest
from minio import MinioAdmin

import sqe.client
from dev.stack.catalog import NAME
from dev.stack.places import Places
from sqe.broker.commit_outcome import CommitOutcome
from sqe.catalog.protocol import Ident
from sqe.catalog.remote.catalog import RestCatalogs
from sqe.catalog.remote.options import RestOptions
from sqe.errors import ErrorCode, UpstreamError
from sqe.model.identity import Identity, Secret
from sqe.model.passport import Passport, Token
from tests.stack.own_lake import OwnLake, own_lake
from tests.stack.proxy import Cut, Delay, Fault, Hang, Proxy, Refuse
from tests.stack.serving import Serving

LIMIT_S = 30  # far more than the timeout that is set, far less than what a hang would take
REST_S = 6.0  # after some timeouts the catalog is left alone for a little less


@pytest.fixture
def proxy(stack: Places) -> Iterator[Proxy]:
    address = urlsplit(stack.catalog)
    with Proxy((str(address.hostname), int(address.port or 80))) as proxy:
        yield proxy


@pytest.fixture
def alice(
    proxy: Proxy, another_sqe: Callable[..., AbstractContextManager[Serving]]
) -> Iterator[sqe.client.Connection]:
    lake = {
        "type": "rest",
        "uri": f"{proxy.url}/api/catalog",
        "warehouse": NAME,
        "timeout_s": 2,
        "cache_s": 0,
    }
    with another_sqe(catalogs={"lake": lake}) as serving, serving.connected("alice") as connection:
        connection.execute("SET SESSION sqe.engine = 'local'")
        yield connection
        proxy.fault = None


def orders(connection: sqe.client.Connection) -> int:
    [(found,)] = connection.execute("SELECT count(*) FROM lake.sales.orders").fetchall()
    return int(found)


def tables(connection: sqe.client.Connection) -> int:
    return len(connection.execute("SHOW TABLES IN lake.sales").fetchall())


def refused(act: Callable[[sqe.client.Connection], int], alice: sqe.client.Connection) -> str:
    """The code of the failure, which comes in time."""
    began = time.monotonic()
    with pytest.raises(sqe.client.Error) as raised:
        act(alice)
    assert time.monotonic() - began < LIMIT_S
    return str(raised.value.code)


@pytest.mark.parametrize("act", [orders, tables])
@pytest.mark.parametrize("fault", [Hang(), Refuse(), Cut(0), Cut(10)], ids=repr)
def test_no_answer_is_an_error_in_time_and_then_all_is_well(
    proxy: Proxy,
    alice: sqe.client.Connection,
    fault: Fault,
    act: Callable[[sqe.client.Connection], int],
) -> None:
    before = act(alice)
    proxy.fault = fault
    assert refused(act, alice) == "CATALOG_UNAVAILABLE"
    proxy.fault = None
    assert act(alice) == before


def test_half_a_list_is_no_list(proxy: Proxy, alice: sqe.client.Connection) -> None:
    before = tables(alice)
    proxy.fault = Cut(300)
    assert refused(tables, alice) == "CATALOG_UNAVAILABLE"
    proxy.fault = None
    assert tables(alice) == before


def test_a_slow_catalog_is_waited_for(proxy: Proxy, alice: sqe.client.Connection) -> None:
    proxy.fault = Delay(0.2)
    assert orders(alice) >= 0


def test_a_connection_that_drops_once_is_not_noticed(
    proxy: Proxy, alice: sqe.client.Connection
) -> None:
    before = orders(alice)
    proxy.fault = Cut(0, times=1)
    assert orders(alice) == before


def test_a_catalog_that_comes_and_goes(proxy: Proxy, alice: sqe.client.Connection) -> None:
    before = orders(alice)
    for _ in range(5):
        proxy.fault = Refuse()
        assert refused(orders, alice) == "CATALOG_UNAVAILABLE"
        proxy.fault = None
        assert orders(alice) == before


def test_a_catalog_that_hangs_is_left_alone_and_found_again(
    proxy: Proxy, alice: sqe.client.Connection
) -> None:
    before = orders(alice)
    proxy.fault = Hang()
    for _ in range(5):
        assert refused(orders, alice) == "CATALOG_UNAVAILABLE"
    with pytest.raises(sqe.client.Error, match="not asked just now"):
        orders(alice)
    proxy.fault = None
    time.sleep(REST_S)
    assert orders(alice) == before


@pytest.fixture(scope="module")
def own(
    stack: Places, minio_admin: MinioAdmin, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OwnLake]:
    with own_lake(stack, minio_admin, tmp_path_factory.mktemp("own")) as lake:
        lake.write("a.t")
        yield lake


@pytest.mark.parametrize("kind", ["lost-answer", "truncated"])
def test_a_commit_whose_answer_is_lost_has_happened_and_can_be_found(
    own: OwnLake, token: Callable[..., str], kind: str
) -> None:
    """Nobody must take the error for a failure."""
    fate = CommitOutcome()
    remote = RestCatalogs(RestOptions("own", own.catalog.url, "lake", timeout_s=5.0))
    carol = Identity("carol", passport=Passport(Token(Secret(token("carol"))), "carol"))
    catalog, table = remote.open(carol), Ident(("a",), "t")
    fault = own.admin.inject(kind, endpoint="update_table", times=1)
    change = {"updates": [{"action": "set-properties", "updates": {"by": kind}}]}
    try:
        with pytest.raises(UpstreamError) as lost, fate.change():
            catalog.commit_table(table, change)
        assert lost.value.code is ErrorCode.CATALOG_UNAVAILABLE
        assert fate.unknown
        assert catalog.load_table(table).metadata["properties"]["by"] == kind
    finally:
        own.admin.heal(fault)
        remote.close()


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ({"kind": "status", "status": 503}, "CATALOG_UNAVAILABLE"),
        ({"kind": "status", "status": 500}, "CATALOG_UNAVAILABLE"),
        ({"kind": "unauthenticated"}, "AUTHENTICATION_FAILED"),
    ],
)
def test_what_the_user_sees_of_the_catalogs_own_failures(
    own: OwnLake,
    another_sqe: Callable[..., AbstractContextManager[Serving]],
    fault: dict[str, Any],
    code: str,
) -> None:
    count = "SELECT count(*) FROM own.a.t"
    catalogs = own.settings(cache_s=0)
    with another_sqe(catalogs=catalogs) as serving, serving.connected("alice") as alice:
        one = own.admin.inject(principal="alice", **fault)
        with pytest.raises(sqe.client.Error) as raised:
            alice.execute(count).fetchall()
        own.admin.heal(one)
        assert raised.value.code == code
        assert alice.execute(count).fetchall()[0][0] > 0
