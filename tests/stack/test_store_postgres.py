"""Rules made with SQL in a real PostgreSQL that two servers share."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import pytest

import sqe.client
from dev.stack.people import ADMINISTRATOR
from dev.stack.places import Places
from sqe.model.identity import Identity
from tests.stack.postgresql import PASSWORD, postgresql
from tests.stack.serving import Serving
from tests.unit.store.postgresql import PostgreSQL

COUNTRIES = "SELECT country, count(*) FROM lake.sales.orders GROUP BY country ORDER BY country"
ALL = [("DE", 1), ("FR", 1), ("NL", 2)]
SOON_S = 60.0  # a busy machine; on a quiet one it is half a second
ADMIN = ADMINISTRATOR.name


@dataclass(frozen=True)
class Pair:
    """Two servers, as they would stand behind one address."""

    one: Serving
    other: Serving
    store: PostgreSQL


@pytest.fixture(scope="module")
def store(stack: Places) -> Iterator[PostgreSQL]:
    with postgresql(stack.cache) as made:
        yield made


@pytest.fixture
def pair(
    store: PostgreSQL, another_sqe: Callable[..., AbstractContextManager[Serving]]
) -> Iterator[Pair]:
    policy = {"sql": True, "administrators": [ADMIN], "cache_s": 30.0}
    changes: dict[str, Any] = {"store": {"url": store.url}, "policy": policy}
    with another_sqe(**changes) as one, another_sqe(**changes) as other:
        yield Pair(one, other, store)


def do(server: Serving, sql: str) -> None:
    """As the administrator."""
    with server.connected(ADMIN) as connection:
        connection.execute(sql)


def refused(server: Serving, user: str, sql: str = COUNTRIES) -> bool:
    try:
        with server.connected(user) as connection:
            connection.execute(sql)
    except sqe.client.Error as error:
        assert error.code in ("ACCESS_DENIED", "STORE_UNAVAILABLE")
        assert PASSWORD not in f"{error}{error!r}"
        return True
    return False


def soon(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + SOON_S
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_grant_on_one_server_holds_on_both(pair: Pair) -> None:
    assert refused(pair.one, "bob")
    assert refused(pair.other, "bob")
    do(pair.one, "CREATE ROLE dutch")
    do(pair.one, "GRANT ROLE dutch TO USER bob")
    do(
        pair.one,
        "GRANT SELECT ON TABLE lake.sales.orders TO ROLE dutch ROWS WHERE (country = 'NL')",
    )
    assert pair.one.rows("bob", COUNTRIES) == [("NL", 2)]
    soon(lambda: not refused(pair.other, "bob"))
    assert pair.other.rows("bob", COUNTRIES) == [("NL", 2)]
    assert pair.other.rows(ADMIN, COUNTRIES) == ALL
    do(pair.other, "REVOKE SELECT ON TABLE lake.sales.orders FROM ROLE dutch")
    assert refused(pair.other, "bob")
    soon(lambda: refused(pair.one, "bob"))
    do(pair.other, "DROP ROLE dutch")


def test_a_store_that_is_down_is_a_no_until_it_is_back(
    pair: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    do(pair.one, "GRANT SELECT ON TABLE lake.sales.orders TO USER bob")
    assert pair.one.rows("bob", COUNTRIES) == ALL
    with caplog.at_level(logging.DEBUG):
        pair.store.stop()
        try:
            soon(lambda: refused(pair.one, "bob"))
            assert refused(pair.one, ADMIN)
            assert refused(pair.one, ADMIN, "GRANT SELECT ON TABLE lake.sales.orders TO USER alice")
        finally:
            pair.store.start()
        soon(lambda: not refused(pair.one, "bob"))
    assert PASSWORD not in caplog.text
    do(pair.one, "REVOKE SELECT ON TABLE lake.sales.orders FROM USER bob")


def test_what_was_changed_by_whom_is_in_the_store(pair: Pair) -> None:
    do(pair.one, "CREATE ROLE auditors")
    do(pair.other, "DROP ROLE auditors")
    assert pair.one.server.book is not None
    changes = pair.one.server.book.changes(Identity(ADMIN))[:2]
    assert [(one.by, one.what) for one in changes] == [
        (ADMIN, "DROP ROLE auditors"),
        (ADMIN, "CREATE ROLE auditors"),
    ]
