"""The local engine over real S3: each table with what the catalog gives this user for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from minio import Minio, MinioAdmin
from minio.error import S3Error
from pyiceberg.catalog.rest import RestCatalog

import sqe.client
from dev.stack.places import Places
from sqe.catalog.protocol import Loaded
from sqe.catalog.s3_place import S3Credentials
from sqe.engines.local.keys import keys_of
from tests.stack.own_lake import ROWS, OwnLake, own_lake
from tests.stack.serving import Serving
from tests.unit.engines.local.runtime.test_environment import poisoned

AnotherSqe = Callable[..., AbstractContextManager[Serving]]
FILES = 40


@pytest.fixture
def lake(stack: Places, minio_admin: MinioAdmin, tmp_path: Path) -> Iterator[OwnLake]:
    with own_lake(stack, minio_admin, tmp_path) as lake:
        yield lake


@contextmanager
def local(serving: Serving, user: str) -> Iterator[sqe.client.Connection]:
    """A session that Spark does not help out."""
    with serving.connected(user) as connection:
        connection.execute("SET SESSION sqe.engine = 'local'")
        yield connection


def test_two_tables_of_one_bucket_are_joined_each_with_its_own_keys(
    lake: OwnLake, another_sqe: AnotherSqe
) -> None:
    lake.write("a.left")
    lake.write("a.right")
    with another_sqe(catalogs=lake.settings()) as serving, local(serving, "alice") as alice:
        sql = "SELECT count(*) FROM own.a.left JOIN own.a.right USING (n)"
        assert alice.execute(sql).fetchall() == [(ROWS,)]


def test_the_keys_of_one_table_do_not_open_the_other(lake: OwnLake) -> None:
    """So that the join above can only have used both."""
    lake.write("a.left")
    lake.write("a.right")
    left, right = (lake.client("alice").load_table(f"a.{name}") for name in ("left", "right"))
    keys = keys_of(Loaded(left.metadata.model_dump_json().encode(), "", dict(left.config)))[0]
    client = _client(keys)
    opened = [task.file.file_path for table in (left, right) for task in table.scan().plan_files()]
    [own, other] = [path.removeprefix("s3://").split("/", 1) for path in opened]
    assert client.get_object(*own).status == 200
    with pytest.raises(S3Error, match="AccessDenied"):
        client.get_object(*other)


def _client(keys: S3Credentials) -> Minio:
    assert keys.token is not None
    return Minio(
        endpoint=keys.host,
        access_key=keys.key_id.reveal(),
        secret_key=keys.key.reveal(),
        session_token=keys.token.reveal(),
        region=keys.region,
        secure=False,
    )


def test_nothing_of_sqes_environment_is_used(
    lake: OwnLake, another_sqe: AnotherSqe, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lake.write("a.t")
    with poisoned(monkeypatch, tmp_path) as trap:
        with another_sqe(catalogs=lake.settings()) as serving, local(serving, "alice") as alice:
            assert alice.execute("SELECT count(*) FROM own.a.t").fetchall() == [(ROWS,)]
            assert alice.execute("SHOW STATS FOR own.a.t").fetchall()[-1][4] == float(ROWS)
        assert trap.asked == []


def test_a_scan_goes_on_with_new_keys_when_its_own_end(
    lake: OwnLake, another_sqe: AnotherSqe
) -> None:
    """The keys say that they end soon; in the middle they do."""
    lake.write("a.t", files=FILES)
    lake.admin.set(claimed_seconds=120)
    with another_sqe(catalogs=lake.settings()) as serving, local(serving, "alice") as alice:
        cursor = alice.execute("SELECT n FROM own.a.t")
        found = [row[0] for row in cursor.fetchmany(1_000)]
        lake.admin.reset_calls()
        lake.vend_by_another()
        found += [row[0] for row in cursor.fetchall()]
    assert sorted(found) == list(range(FILES * ROWS))
    assert lake.admin.calls("load_credentials", "alice") > 0


def test_keys_that_are_revoked_between_two_queries_are_renewed(
    lake: OwnLake, another_sqe: AnotherSqe
) -> None:
    lake.write("a.t")
    with another_sqe(catalogs=lake.settings()) as serving, local(serving, "alice") as alice:
        for _ in range(2):
            assert alice.execute("SELECT count(*) FROM own.a.t").fetchall() == [(ROWS,)]
            lake.vend_by_another()


def test_what_one_user_has_read_is_not_there_for_another(
    lake: OwnLake, another_sqe: AnotherSqe
) -> None:
    """The table, its plan and its files were just used by alice."""
    lake.write("a.t")
    sql = "SELECT count(*) FROM own.a.t"
    with (
        another_sqe(catalogs=lake.settings()) as serving,
        local(serving, "alice") as alice,
        local(serving, "bob") as bob,
    ):
        for _ in range(2):
            assert alice.execute(sql).fetchall() == [(ROWS,)]
            with pytest.raises(sqe.client.Error) as raised:
                bob.execute(sql).fetchall()
            assert raised.value.code in ("TABLE_NOT_FOUND", "SCHEMA_NOT_FOUND")


def test_a_login_that_ends_during_a_scan_ends_it_with_an_error(
    lake: OwnLake, another_sqe: AnotherSqe
) -> None:
    """The keys end, and the catalog does not take the token any more that asks for others."""
    lake.write("a.t", files=FILES)
    lake.admin.set(claimed_seconds=120)
    with another_sqe(catalogs=lake.settings()) as serving, local(serving, "alice") as alice:
        cursor = alice.execute("SELECT n FROM own.a.t")
        assert len(cursor.fetchmany(1_000)) == 1_000
        lake.admin.inject("unauthenticated", principal="alice")
        lake.vend_by_another()
        with pytest.raises(sqe.client.Error) as raised:
            cursor.fetchall()
    assert raised.value.code == "AUTHENTICATION_FAILED"


def test_a_catalog_that_only_signs_is_read_by_its_signatures(
    lake: OwnLake, another_sqe: AnotherSqe
) -> None:
    lake.write("a.t", files=3)
    lake.only_sign()
    own = lake.settings(delegation="remote-signing")
    with another_sqe(catalogs=own) as serving, local(serving, "alice") as alice:
        lake.admin.reset_calls()
        found = alice.execute("SELECT n FROM own.a.t").fetchall()
        assert sorted(found) == [(n,) for n in range(3 * ROWS)]
        assert alice.execute("SHOW STATS FOR own.a.t").fetchall()[-1][4] == float(3 * ROWS)
    assert lake.admin.calls("sign_request", "alice") > 0
    assert lake.admin.calls("sign_request") == lake.admin.calls("sign_request", "alice")
    assert lake.admin.calls("load_credentials") == 0


@pytest.mark.parametrize("delegation", ["remote-signing", "vended-credentials,remote-signing"])
def test_readers_of_nessie_read_by_signatures(
    stack: Places, token: Callable[..., str], another_sqe: AnotherSqe, delegation: str
) -> None:
    """Its keys for readers are refused by S3 (a mistake of its version), its signatures are not."""
    carol = RestCatalog(
        "nessie",
        uri=f"{stack.nessie}/iceberg",
        token=token("carol"),
        **{"header.X-Iceberg-Access-Delegation": "vended-credentials"},
    )
    name = f"ns1.signed_{id(carol)}"
    carol.create_table(name, pa.schema({"n": pa.int64()})).append(pa.table({"n": [1, 2, 3]}))
    nessie: dict[str, Any] = {
        "type": "rest",
        "uri": f"{stack.nessie}/iceberg",
        "delegation": delegation,
    }
    try:
        with another_sqe(catalogs={"nessie": nessie}) as serving:
            with local(serving, "alice") as alice:
                found = alice.execute(f"SELECT n FROM nessie.{name} ORDER BY n").fetchall()
                assert found == [(1,), (2,), (3,)]
            with local(serving, "bob") as bob, pytest.raises(sqe.client.Error):
                bob.execute(f"SELECT n FROM nessie.{name}").fetchall()
    finally:
        carol.drop_table(name)
