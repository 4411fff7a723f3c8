"""AWS Glue, by a stand-in that compares versions and signatures; its tables' files are in MinIO."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dev.stack.minio import BUCKET
from dev.stack.places import Places
from sqe.catalog.protocol import Catalog, Ident, Json
from sqe.errors import ErrorCode, SqeError
from tests.contract.catalog_adapters import CatalogAdapter, glue
from tests.contract.catalog_suite import CatalogSuite, make
from tests.stack.glue import Glue, Refused, serve_glue

T = Ident(("s",), "t")


@pytest.fixture
def settings(stack: Places, account: Callable[[str, list[str]], dict[str, str]]) -> dict[str, Any]:
    prefix = f"glue-{uuid.uuid4().hex[:8]}"
    credentials = {"writers": {**account(prefix, ["s3:*"]), "users": ["ann"]}}
    storage = {"auth": "mapped", "endpoint": stack.minio, "path_style": True}
    return {
        "region": "eu-central-1",
        "warehouse": f"s3://{BUCKET}/{prefix}",
        "storage": {**storage, "credentials": credentials},
    }


@pytest.fixture
def server(settings: dict[str, Any]) -> Iterator[Glue]:
    [credential] = settings["storage"]["credentials"].values()
    with serve_glue({credential["key_id"]: credential["key"]}) as served:
        yield served


@pytest.fixture
def adapter(settings: dict[str, Any], server: Glue) -> CatalogAdapter:
    return glue("s", **settings, endpoint=server.url)


@pytest.fixture
def catalog(adapter: CatalogAdapter, tmp_path: Path) -> Iterator[Catalog]:
    with adapter.open(tmp_path, str) as catalog:
        yield catalog


class TestGlue(CatalogSuite):
    """As every catalog."""


@pytest.fixture
def lake(catalog: Catalog) -> Catalog:
    catalog.create_namespace(("s",), {})
    make(catalog, T)
    return catalog


def set_property(key: str) -> Json:
    return {"updates": [{"action": "set-properties", "updates": {key: "1"}}]}


def test_commits_at_the_same_moment_are_all_there(lake: Catalog, server: Glue) -> None:
    with ThreadPoolExecutor(3) as pool:
        ends = [pool.submit(lake.commit_table, T, set_property(f"p{n}")) for n in range(9)]
    lost = [end.exception() for end in ends if end.exception()]
    assert all(getattr(e, "code", None) is ErrorCode.COMMIT_CONFLICT for e in lost), lost
    properties = lake.load_table(T).metadata["properties"]
    assert len([key for key in properties if key.startswith("p")]) == 9 - len(lost)
    assert len(lost) < 5
    assert all(body["SkipArchive"] for action, body in server.calls if action == "UpdateTable")


@pytest.mark.parametrize("fault", [Refused("ThrottlingException"), Refused("", 503)])
def test_who_is_throttled_waits(lake: Catalog, server: Glue, fault: Refused) -> None:
    server.faults = [fault, fault]
    assert lake.list_tables(("s",)) == ["t"]


def test_a_commit_that_is_not_answered_is_looked_for(lake: Catalog, server: Glue) -> None:
    server.silent = ["UpdateTable"]
    lake.commit_table(T, set_property("a"))
    assert lake.load_table(T).metadata["properties"]["a"] == "1"


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        ("AccessDeniedException", 400, ErrorCode.ACCESS_DENIED),
        ("ExpiredTokenException", 403, ErrorCode.CATALOG_UNAVAILABLE),
        ("InternalServiceException", 500, ErrorCode.CATALOG_UNAVAILABLE),
        ("ResourceNumberLimitExceededException", 400, ErrorCode.INVALID_ARGUMENT),
    ],
)
def test_what_glue_refuses_leaves_the_table_as_it_was(
    lake: Catalog, server: Glue, kind: str, status: int, code: ErrorCode
) -> None:
    before = lake.load_table(T)
    server.faults = [Refused(kind, status)]
    with pytest.raises(SqeError) as refused:
        lake.load_table(T)
    assert refused.value.code is code
    assert lake.load_table(T).metadata_json == before.metadata_json


def test_another_key_is_not_believed(
    settings: dict[str, Any], server: Glue, tmp_path: Path
) -> None:
    server.keys = dict.fromkeys(server.keys, "another")
    with glue("s", **settings, endpoint=server.url).open(tmp_path, str) as catalog:
        with pytest.raises(SqeError, match="InvalidSignatureException") as refused:
            catalog.list_namespaces()
        assert refused.value.code is ErrorCode.CATALOG_UNAVAILABLE


def test_what_is_not_icebergs_keeps_its_name(lake: Catalog, server: Glue) -> None:
    server.tables["s"]["plain"] = {"Name": "plain", "Parameters": {}, "VersionId": "0"}
    assert lake.list_tables(("s",)) == ["t"]
    with pytest.raises(SqeError) as taken:
        make(lake, Ident(("s",), "plain"))
    assert taken.value.code is ErrorCode.TABLE_ALREADY_EXISTS


@pytest.mark.parametrize("place", ["s3://warehouse/elsewhere/t", "file:///etc", "/etc"])
def test_what_leads_out_of_the_warehouse_is_refused(
    lake: Catalog, server: Glue, place: str
) -> None:
    server.tables["s"]["t"]["Parameters"]["metadata_location"] = f"{place}/00000-a.metadata.json"
    with pytest.raises(SqeError, match="outside of the warehouse") as refused:
        lake.load_table(T)
    assert refused.value.code is ErrorCode.ACCESS_DENIED
