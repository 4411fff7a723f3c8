"""Warehouses in S3 of catalogs that hand out no keys: whose keys open what."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from minio import Minio
from minio.error import S3Error

import sqe.client
from dev.stack.minio import BUCKET, LANDING
from dev.stack.places import Places
from sqe.catalog.catalog_type import Listeners
from sqe.catalog.jdbc.entry import JDBC
from sqe.catalog.protocol import Catalog, Ident, Loaded
from sqe.engines.local.keys import keys_of
from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity, Secret
from sqe.model.passport import Passport, Token
from sqe.settings import JdbcCatalogSettings, Settings
from tests.stack.serving import Serving
from tests.unit.catalog.tables import SCHEMA

NS, T, U = ("sales",), Ident(("sales",), "t"), Ident(("sales",), "u")
AnotherSqe = Callable[..., AbstractContextManager[Serving]]


@dataclass(frozen=True)
class Books:
    """A JDBC catalog with its files in a folder of a bucket."""

    settings: dict[str, Any]
    prefix: str

    @contextmanager
    def open(self, identity: Identity, home: Path) -> Iterator[Catalog]:
        made = JDBC.make(
            "books", JdbcCatalogSettings(**self.settings), Settings(home=home), Listeners()
        )
        try:
            yield made.open(identity)
        finally:
            made.close()


def books(folder: Path, stack: Places, bucket: str, prefix: str, **storage: Any) -> Books:
    where = {"endpoint": stack.minio, "path_style": True, **storage}
    settings = {
        "type": "jdbc",
        "url": f"sqlite:///{folder}/books.db",
        "warehouse": f"s3://{bucket}/{prefix}",
        "auth": "shared",
        "storage": where,
    }
    return Books(settings, prefix)


@pytest.fixture
def mapped(
    stack: Places, tmp_path: Path, account: Callable[[str, list[str]], dict[str, str]]
) -> Books:
    """Carol writes, alice reads, nobody else is mapped."""
    prefix = f"mapped-{uuid.uuid4().hex[:8]}"
    credentials = {
        "writers": {**account(prefix, ["s3:*"]), "users": ["carol"]},
        "readers": {**account(prefix, ["s3:GetObject"]), "users": ["alice"]},
    }
    return books(tmp_path, stack, BUCKET, prefix, auth="mapped", credentials=credentials)


def opens(stack: Places, loaded: Loaded, bucket: str, key: str) -> bool:
    keys = keys_of(loaded)[0]
    client = Minio(
        endpoint=keys.host,
        access_key=keys.key_id.reveal(),
        secret_key=keys.key.reveal(),
        session_token=keys.token.reveal() if keys.token else None,
        region=keys.region,
        secure=False,
    )
    try:
        return client.get_object(bucket, key).status == 200
    except S3Error as refused:
        assert refused.code == "AccessDenied"
        return False


def key_of(loaded: Loaded, bucket: str) -> str:
    return str(loaded.metadata_location).removeprefix(f"s3://{bucket}/")


def make_tables(catalog: Catalog) -> tuple[Loaded, Loaded]:
    catalog.create_namespace(NS, {})
    for ident in (T, U):
        catalog.create_table(NS, {"name": ident.name, "schema": SCHEMA})
    return catalog.load_table(T), catalog.load_table(U)


def refusal(act: Callable[[], object]) -> ErrorCode:
    with pytest.raises(SqeError) as refused:
        act()
    return refused.value.code


def test_mapped_credentials_open_one_table_and_are_narrower_than_their_account(
    mapped: Books, stack: Places, tmp_path: Path
) -> None:
    with mapped.open(Identity("carol"), tmp_path / "home") as carol:
        t, u = make_tables(carol)
        assert opens(stack, t, BUCKET, key_of(t, BUCKET))
        assert not opens(stack, t, BUCKET, key_of(u, BUCKET))
        [fresh] = carol.load_credentials(T)
        assert fresh["prefix"] == t.metadata["location"] and fresh["config"]["s3.session-token"]
    with mapped.open(Identity("alice"), tmp_path / "home") as alice:
        assert alice.load_table(T).metadata == t.metadata
        write = {"updates": [{"action": "set-properties", "updates": {"a": "b"}}]}
        assert refusal(lambda: alice.commit_table(T, write)) is ErrorCode.ACCESS_DENIED
        assert alice.load_table(T).metadata_location == t.metadata_location
    with mapped.open(Identity("bob"), tmp_path / "home") as bob:
        assert refusal(lambda: bob.load_table(T)) is ErrorCode.ACCESS_DENIED


def test_a_users_token_is_exchanged_for_keys_to_one_table(
    stack: Places, token: Callable[..., str], tmp_path: Path
) -> None:
    prefix = f"engineers/{uuid.uuid4().hex[:8]}"
    own = books(tmp_path, stack, LANDING, prefix, auth="user")

    def person(name: str) -> Identity:
        return Identity(name, passport=Passport(Token(Secret(token(name))), name))

    with own.open(person("bob"), tmp_path / "home") as bob:
        t, u = make_tables(bob)
        assert opens(stack, t, LANDING, key_of(t, LANDING))
        assert not opens(stack, t, LANDING, key_of(u, LANDING))
        with pytest.raises(SqeError, match="has none"):
            own_keys(own, Identity("bob"), tmp_path)
    with own.open(person("alice"), tmp_path / "home") as alice:
        assert refusal(lambda: alice.load_table(T)) is ErrorCode.ACCESS_DENIED


def own_keys(own: Books, identity: Identity, folder: Path) -> None:
    with own.open(identity, folder / "home") as catalog:
        catalog.load_table(T)


def test_keys_that_are_wrong_are_not_the_users_fault(
    mapped: Books, storage: Minio, tmp_path: Path
) -> None:
    writers = mapped.settings["storage"]["credentials"]["writers"]
    writers["key"] = "another secret"
    with mapped.open(Identity("carol"), tmp_path / "home") as carol:
        carol.create_namespace(NS, {})
        with pytest.raises(SqeError) as refused:
            carol.create_table(NS, {"name": "t", "schema": SCHEMA})
        assert carol.list_tables(NS) == []
    assert "another secret" not in f"{refused.value} {refused.value!r}"


@pytest.mark.spark
@pytest.mark.java
def test_both_engines_read_and_write_with_mapped_credentials(
    mapped: Books, another_sqe: AnotherSqe, tmp_path: Path
) -> None:
    """There are no rules of SQE's: what the store lets each of them do is all that counts."""
    with another_sqe(catalogs={"books": mapped.settings}) as serving:
        with serving.connected("carol") as carol:
            carol.execute("CREATE SCHEMA books.sales")
            carol.execute("CREATE TABLE books.sales.t AS SELECT id, id * 2 AS twice FROM range(9)")
            carol.execute("INSERT INTO books.sales.t VALUES (9, 18)")
            carol.execute("DELETE FROM books.sales.t WHERE id = 0")
        for engine in ("local", "spark"):
            with serving.connected("alice") as alice:
                alice.execute(f"SET SESSION sqe.engine = '{engine}'")
                rows = alice.execute("SELECT count(*), sum(twice) FROM books.sales.t").fetchall()
                assert rows == [(9, 90)]
        with serving.connected("alice") as alice, pytest.raises(sqe.client.Error) as refused:
            alice.execute("INSERT INTO books.sales.t VALUES (1, 1)")
        assert "books-" not in str(refused.value)
        with serving.connected("bob") as bob, pytest.raises(sqe.client.Error, match="mapped to"):
            bob.execute("SELECT * FROM books.sales.t").fetchall()
        log = serving.server.settings.home / "logs" / "audit.jsonl"
        lines = [json.loads(line) for line in log.read_text().splitlines()]
    used = {(line["user"], line["credential"]) for line in lines if "credential" in line}
    assert used == {("carol", "books.writers"), ("alice", "books.readers")}
    secrets = [one["key"] for one in mapped.settings["storage"]["credentials"].values()]
    assert not any(secret in log.read_text() for secret in secrets)
