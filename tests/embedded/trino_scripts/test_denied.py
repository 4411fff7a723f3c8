"""A user whom the policy lets do one thing with a table and not the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from sqe.model.decision import Deny
from tests.embedded.pipe.lake import Lake
from tests.trino.asking import Client

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]
TABLE = "lake.trino_denied.t"


@pytest.fixture(scope="module")
def client(shared_lake: Lake, trino_address: str) -> Iterator[Client]:
    shared_lake.run("CREATE SCHEMA trino_denied")
    shared_lake.run(f"CREATE TABLE {TABLE} (a int, b string)")
    with closing(Client(trino_address, "lake", "trino_denied")) as opened:
        yield opened
    shared_lake.run("DROP SCHEMA trino_denied CASCADE")


def test_who_may_write_but_not_read_writes(client: Client, shared_lake: Lake) -> None:
    with shared_lake.rules.on(TABLE, Deny("no"), "select"):
        written = client.ask("INSERT INTO t (b, a) VALUES ('x', 1), ('y', 2)")
        assert (written.error, written.update_count) == ("", 2)
        assert client.ask("SELECT a FROM t").error == "PERMISSION_DENIED"
        assert client.ask("INSERT INTO t SELECT * FROM t").error == "PERMISSION_DENIED"
    assert client.ask("SELECT a, b FROM t ORDER BY a").data == [[1, "x"], [2, "y"]]


def test_who_may_do_neither_learns_nothing(client: Client, shared_lake: Lake) -> None:
    with shared_lake.rules.on(TABLE, Deny("no")):
        denied = client.ask("INSERT INTO t VALUES (1)")
    assert denied.error == "PERMISSION_DENIED"
    assert "integer" not in denied.message
