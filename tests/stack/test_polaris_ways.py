"""What Polaris does in its own way, over SQE: Spark, Trino's protocol, keys of MinIO."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
import pytest
import trino
from minio import Minio, MinioAdmin

import sqe.client
from dev.stack.minio import BUCKET
from dev.stack.places import Places
from sqe.catalog.protocol import Ident
from sqe.errors import ErrorCode
from tests.small_spark import small_spark
from tests.stack.own_lake import OwnLake, own_lake
from tests.stack.serving import Serving, access_token, serving


@pytest.fixture(scope="module")
def lake(
    stack: Places, minio_admin: MinioAdmin, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OwnLake]:
    """bob also writes what is in ``b``, and may not even list ``a``."""
    with own_lake(stack, minio_admin, tmp_path_factory.mktemp("ways")) as lake:
        writing = ["TABLE_WRITE_DATA", "TABLE_CREATE", "TABLE_DROP", "NAMESPACE_READ_PROPERTIES"]
        lake.admin.grant("engineer", writing, catalog="lake", namespace="b")
        lake.admin.grant("engineer", ["NAMESPACE_LIST"], catalog="lake")
        yield lake


@pytest.fixture(scope="module")
def served(
    _isolated_session: None,
    stack: Places,
    lake: OwnLake,
    tmp_path_factory: pytest.TempPathFactory,
    jar_cache: Path,
) -> Iterator[Serving]:
    changes = {
        "catalogs": lake.settings(),
        "spark": small_spark(jar_cache),
        "trino": {"allow_plain_http_credentials": True},
    }
    with serving(stack, tmp_path_factory.mktemp("home"), changes) as served:
        yield served


@pytest.fixture
def carol(served: Serving) -> Iterator[sqe.client.Connection]:
    with served.connected("carol") as connection:
        yield connection


def refused(connection: sqe.client.Connection, sql: str) -> sqe.client.Error:
    with pytest.raises(sqe.client.Error) as caught:
        connection.execute(sql).fetchall()
    return caught.value


def location(lake: OwnLake, name: str) -> str:
    [catalog] = lake.catalog.admin.gate.lakes.values()
    return str(catalog.catalog.load_table(Ident(("a",), name)).metadata["location"])


def test_tables_are_swapped_by_rename_again_and_again(
    lake: OwnLake, carol: sqe.client.Connection
) -> None:
    for turn in range(3):
        carol.execute(f"CREATE TABLE own.a.new AS SELECT {turn} AS n")
        if turn:
            carol.execute("ALTER TABLE own.a.model RENAME TO old")
        carol.execute("ALTER TABLE own.a.new RENAME TO model")
        carol.execute("DROP TABLE IF EXISTS own.a.old")
        assert carol.execute("SELECT n FROM own.a.model").fetchall() == [(turn,)]
    before = location(lake, "model")
    carol.execute("CREATE OR REPLACE TABLE own.a.model AS SELECT 9 AS other")
    assert location(lake, "model") == before
    assert carol.execute("SELECT other FROM own.a.model").fetchall() == [(9,)]


def test_a_view_is_replaced_by_what_it_was_before(carol: sqe.client.Connection) -> None:
    for text in ("1 AS a", "1 AS a", "'x' AS b", "2 AS a", "1 AS a"):
        carol.execute(f"CREATE OR REPLACE VIEW own.a.v AS SELECT {text}")
    carol.execute("ALTER VIEW own.a.v AS SELECT 'x' AS b")
    assert carol.execute("SELECT * FROM own.a.v").fetchall() == [("x",)]


def test_trinos_create_table_without_as(served: Serving, lake: OwnLake) -> None:
    token = access_token(served.places, "carol")
    address = urlsplit(served.trino)
    with trino.dbapi.Connection(
        str(address.hostname),
        int(address.port or 0),
        user="carol",
        http_headers={"Authorization": f"Bearer {token}"},
        catalog="own",
        schema="a",
    ) as connection:

        def run(sql: str) -> list[list[Any]]:
            rows: list[list[Any]] = connection.cursor().execute(sql).fetchall()
            return rows

        run("CREATE TABLE bare (id bigint, name varchar)")
        assert run('SELECT count(*) FROM "bare$snapshots"') == [[1]]
        run("INSERT INTO bare VALUES (1, 'x')")
        assert run("SELECT * FROM bare") == [[1, "x"]]


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO own.a.read_only VALUES (2)",
        "UPDATE own.a.read_only SET n = 3",
        "DELETE FROM own.a.read_only WHERE n = 1",
        "MERGE INTO own.a.read_only t USING (SELECT 1 AS n) s ON t.n = s.n "
        "WHEN MATCHED THEN DELETE",
    ],
)
def test_a_reader_changes_nothing_and_is_told_so(
    served: Serving, lake: OwnLake, storage: Minio, change: str
) -> None:
    with served.connected("carol") as carol:
        carol.execute("CREATE TABLE IF NOT EXISTS own.a.read_only AS SELECT 1 AS n")
    before = objects(storage, location(lake, "read_only"))
    loads = lake.admin.calls("update_table", "alice")
    with served.connected("alice") as alice:
        error = refused(alice, change)
    assert error.code == ErrorCode.ACCESS_DENIED.name
    assert lake.admin.calls("update_table", "alice") == loads + 1  # asked, not tried
    assert objects(storage, location(lake, "read_only")) == before


def objects(storage: Minio, folder: str) -> set[str]:
    prefix = folder.removeprefix(f"s3://{BUCKET}/") + "/"
    return {str(o.object_name) for o in storage.list_objects(BUCKET, prefix, recursive=True)}


def test_orphans_are_looked_for_with_rights_on_the_table_alone(
    served: Serving, lake: OwnLake
) -> None:
    with served.connected("bob") as bob:
        bob.execute("CREATE TABLE own.b.kept AS SELECT 1 AS n")
        assert bob.execute("CALL own.system.remove_orphan_files('b.kept')").fetchall() == []
        named = "CALL own.system.remove_orphan_files(table => 'b.kept', dry_run => true)"
        assert bob.execute(named).fetchall() == []
        [catalog] = lake.catalog.admin.gate.lakes.values()
        mine = catalog.catalog.load_table(Ident(("b",), "kept")).metadata["location"]
        inside = f"{mine}/data/inside"  # of which bob knows nothing
        lake.client().create_table("a.hidden", pa.schema({"n": pa.int64()}), location=inside)
        error = refused(bob, "CALL own.system.remove_orphan_files('b.kept')")
        assert error.code == ErrorCode.NOT_SUPPORTED.name
        assert "hidden" not in str(error)
