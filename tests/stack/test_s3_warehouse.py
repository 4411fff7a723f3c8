"""The embedded catalog with its warehouse in S3: a commit, or no trace of it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from minio import Minio

from dev.stack.minio import BUCKET, ROOT_PASSWORD, ROOT_USER
from dev.stack.places import Places
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident, Json
from sqe.catalog.storage.bucket import Bucket
from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Secret
from sqe.testing import S3Keys, S3Storage
from tests.unit.catalog.tables import SCHEMA

NS = ("sales",)
ORDERS = Ident(NS, "orders")
KEYS = S3Keys(ROOT_USER, Secret(ROOT_PASSWORD))


@pytest.fixture
def prefix(storage: Minio) -> Iterator[str]:
    made = f"embedded-{uuid.uuid4().hex[:8]}"
    yield made
    for entry in storage.list_objects(BUCKET, f"{made}/", recursive=True):
        storage.remove_object(BUCKET, str(entry.object_name))


@pytest.fixture
def disk(stack: Places, prefix: str) -> Bucket:
    return S3Storage(f"s3://{BUCKET}/{prefix}", KEYS, stack.minio).disk()


@pytest.fixture
def catalog(disk: Bucket, tmp_path: Path) -> Iterator[EmbeddedCatalog]:
    made = EmbeddedCatalog(tmp_path / "catalog.db", disk)
    made.create_namespace(NS, {})
    made.create_table(NS, {"name": "orders", "schema": SCHEMA})
    yield made
    made.close()


def files(storage: Minio, prefix: str) -> set[str]:
    """What is there; pyarrow leaves empty objects that stand for folders."""
    found = storage.list_objects(BUCKET, f"{prefix}/", recursive=True)
    return {str(one.object_name) for one in found if not str(one.object_name).endswith("/")}


def change(number: int, **requirement: object) -> Json:
    updates = [{"action": "set-properties", "updates": {f"p{number}": "x"}}]
    return {"requirements": [requirement] if requirement else [], "updates": updates}


def test_each_commit_is_one_new_file(catalog: EmbeddedCatalog, storage: Minio, prefix: str) -> None:
    before = files(storage, prefix)
    loaded = catalog.commit_table(ORDERS, change(1))
    (new,) = files(storage, prefix) - before
    assert loaded.metadata_location == f"s3://{BUCKET}/{new}"
    assert catalog.load_table(ORDERS).metadata["properties"]["p1"] == "x"


def test_what_is_not_committed_leaves_no_file(
    catalog: EmbeddedCatalog, storage: Minio, prefix: str
) -> None:
    before = files(storage, prefix)
    wrong = {"type": "assert-table-uuid", "uuid": str(uuid.uuid4())}
    with pytest.raises(SqeError) as refused:
        catalog.commit_table(ORDERS, change(1, **wrong))
    assert refused.value.code is ErrorCode.COMMIT_CONFLICT
    good = {"identifier": {"namespace": list(NS), "name": "orders"}, **change(1)}
    absent = {"identifier": {"namespace": list(NS), "name": "none"}, **change(1)}
    with pytest.raises(SqeError):
        catalog.commit_transaction({"table-changes": [good, absent]})
    catalog.create_table(NS, {"name": "staged", "schema": SCHEMA, "stage-create": True})
    assert files(storage, prefix) == before


def test_commits_at_once_all_happen_and_leave_no_other_files(
    catalog: EmbeddedCatalog, storage: Minio, prefix: str
) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: catalog.commit_table(ORDERS, change(number)), range(16)))
    metadata = catalog.load_table(ORDERS).metadata
    assert {f"p{number}" for number in range(16)} <= set(metadata["properties"])
    assert len([name for name in files(storage, prefix) if "metadata.json" in name]) == 17


def test_a_purged_table_leaves_nothing(
    catalog: EmbeddedCatalog, storage: Minio, prefix: str
) -> None:
    catalog.commit_table(ORDERS, change(1))
    catalog.drop_table(ORDERS, purge=True)
    assert files(storage, prefix) == set()


def test_what_is_staged_and_forgotten_goes(
    catalog: EmbeddedCatalog, disk: Bucket, storage: Minio, prefix: str
) -> None:
    before = files(storage, prefix)
    request = {"name": "staged", "schema": SCHEMA, "stage-create": True}
    location = catalog.create_table(NS, request).metadata["location"]
    disk.write(f"{location}/data/x", b"x")
    assert files(storage, prefix) > before
    catalog.forget_staged(location)
    assert files(storage, prefix) == before


def test_tables_stay_inside_the_warehouse(catalog: EmbeddedCatalog, prefix: str) -> None:
    for location in (f"s3://{BUCKET}/other/t", f"s3://{BUCKET}/{prefix}/../other", "/tmp/t"):
        with pytest.raises(SqeError) as refused:
            catalog.create_table(NS, {"name": "t", "schema": SCHEMA, "location": location})
        assert refused.value.code is ErrorCode.INVALID_ARGUMENT


def test_a_missing_file_is_not_a_storage_that_is_down(
    catalog: EmbeddedCatalog, storage: Minio, tmp_path: Path, prefix: str
) -> None:
    where = str(catalog.load_table(ORDERS).metadata_location)
    nowhere = S3Storage(f"s3://{BUCKET}/{prefix}", KEYS, "http://127.0.0.1:9").disk()
    down = EmbeddedCatalog(tmp_path / "catalog.db", nowhere)
    with pytest.raises(SqeError) as refused:
        down.load_table(ORDERS)
    assert refused.value.code is ErrorCode.STORAGE_UNAVAILABLE
    down.close()
    storage.remove_object(BUCKET, where.removeprefix(f"s3://{BUCKET}/"))
    with pytest.raises(SqeError) as refused:
        catalog.load_table(ORDERS)
    assert refused.value.code is ErrorCode.CORRUPT_DATA


def test_the_environment_is_not_asked_for_keys(
    monkeypatch: pytest.MonkeyPatch, disk: Bucket, tmp_path: Path
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "poison")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    catalog = EmbeddedCatalog(tmp_path / "catalog.db", disk)
    catalog.create_namespace(NS, {})
    made = catalog.create_table(NS, {"name": "orders", "schema": SCHEMA})
    assert catalog.load_table(ORDERS).metadata_location == made.metadata_location
    catalog.close()
