"""Spark on Nessie, as the user. Its keys come in a table's configuration, without an end."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest

from sqe.client import Connection, Error
from tests.stack.serving import Serving

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(600)]


def test_spark_writes_and_reads_as_the_user(lakehouse: Serving) -> None:
    table = f"nessie.ns2.t_{uuid.uuid4().hex[:8]}"
    with lakehouse.connected("bob") as bob:
        by_spark(bob)(f"CREATE TABLE {table} AS SELECT id FROM range(10)")
        by_spark(bob)(f"DELETE FROM {table} WHERE id < 3")
        assert bob.execute(f"SELECT count(*), sum(id) FROM {table}").fetchall() == [(7, 42)]
        with lakehouse.connected("alice") as alice, pytest.raises(Error) as raised:
            by_spark(alice)(f"SELECT count(*) FROM {table}")
        assert raised.value.code in ("TABLE_NOT_FOUND", "SCHEMA_NOT_FOUND", "ACCESS_DENIED")
        by_spark(bob)(f"DROP TABLE {table}")


def by_spark(connection: Connection) -> Callable[[str], object]:
    connection.execute("SET SESSION sqe.engine = 'spark'")
    return connection.execute
