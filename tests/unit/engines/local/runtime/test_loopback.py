"""What DuckDB cannot sign itself it reads through SQE: this query's files, and no others."""

from __future__ import annotations

import datetime as dt
import urllib.error
import urllib.request
from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sqe.catalog.protocol import Json, Loaded, Signed
from sqe.catalog.s3_place import S3Credentials
from sqe.engines.local.loopback import Loopback
from sqe.engines.local.objects import Objects
from sqe.engines.local.signing import CatalogSigner
from sqe.engines.local.storage import TableSource, storage_of
from sqe.errors import AccessError, ErrorCode, SqeError
from sqe.model.identity import Identity, Secret
from tests.unit.engines.local.runtime.conftest import MakeWorld
from tests.unit.engines.local.runtime.object_store import ObjectStore
from tests.unit.engines.local.runtime.vending import Vending, made, vended
from tests.unit.engines.local.runtime.world import new_run, scan_of

NUMBER = pa.schema({"n": pa.int64()})
ALL = "SELECT n FROM scan_1"
KEY = "ONLY THE CATALOG HAS IT"
FILES, ROWS = 6, 60_000


def keys(store: ObjectStore) -> S3Credentials:
    token = Secret(f"token of {KEY}")
    return S3Credentials(
        "s3://", "eu-south-2", store.endpoint, True, Secret(KEY), Secret("s"), token
    )


def signing(store: ObjectStore, *, reusable: bool = False) -> Vending:
    """A catalog that signs whatever it is shown, with a key that nobody else has."""

    def sign(request: Json) -> Signed:
        now = dt.datetime.now(dt.UTC)
        headers = keys(store).sign(request["method"], request["uri"], now=now)
        return Signed(request["uri"], headers, reusable)

    return Vending(signed=sign)


def table(catalog: SqlCatalog, store: ObjectStore, name: str = "t", files: int = FILES) -> Loaded:
    parts = [pa.table({"n": list(range(i * ROWS, (i + 1) * ROWS))}) for i in range(files)]
    store.keys[f"lake/w/{name}/"] = KEY
    loaded = vended(made(catalog, name, NUMBER, *parts), store)
    place = {name: value for name, value in store.config("").items() if "key" not in name}
    place.pop("s3.session-token")
    config = {**place, "s3.remote-signing-enabled": "true", "s3.signer.endpoint": "v1/sign"}
    return Loaded(loaded.metadata_json, loaded.metadata_location, config)


def test_a_table_whose_catalog_signs_is_read(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog
) -> None:
    vending = signing(store)
    world = make(catalogs=vending)
    scan = scan_of(table(catalog, store))
    found = world.query(ALL, NUMBER, scan)["n"].to_pylist()
    assert sorted(found) == list(range(FILES * ROWS))
    assert store.refused == 0 and vending.asked == []
    assert {request["method"] for request in vending.requests} <= {"GET", "HEAD"}


def test_signatures_come_before_keys_where_a_catalog_offers_both(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog
) -> None:
    """As Iceberg's own readers do it; Nessie's keys for readers are of no use."""
    loaded = table(catalog, store, files=1)
    both = Loaded(
        loaded.metadata_json,
        loaded.metadata_location,
        {**loaded.config, **store.config("USELESS")},
    )
    world = make(catalogs=signing(store))
    assert world.query(ALL, NUMBER, scan_of(both)).num_rows == ROWS
    assert store.refused == 0


def test_a_signature_is_used_again_only_if_the_catalog_allows_it(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog
) -> None:
    once, kept = signing(store), signing(store, reusable=True)
    scan = scan_of(table(catalog, store))
    for vending in (once, kept):
        assert make(catalogs=vending).query(ALL, NUMBER, scan).num_rows == FILES * ROWS
    wanted = {(request["method"], request["uri"]) for request in kept.requests}
    assert len(kept.requests) == len(wanted) < len(once.requests)


@pytest.mark.parametrize("planned", [False, True])
def test_what_the_catalog_does_not_sign_is_not_read(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog, planned: bool
) -> None:
    vending = signing(store)
    world = make(catalogs=vending)
    scan = scan_of(table(catalog, store))
    if planned:
        assert world.query(ALL, NUMBER, scan).num_rows == FILES * ROWS

    def refuse(request: Json) -> Signed:
        raise AccessError(ErrorCode.ACCESS_DENIED, "ann may not read t.")

    vending.signed = refuse
    with pytest.raises(SqeError, match="ann may not read t") as raised:
        world.query(ALL, NUMBER, scan)
    assert raised.value.code is ErrorCode.ACCESS_DENIED


def test_a_right_that_is_lost_in_the_middle_ends_the_query(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog
) -> None:
    vending = signing(store)
    world = make(catalogs=vending, threads=1, batch_rows=10_000)
    statement = world.statement(ALL, NUMBER, [scan_of(table(catalog, store, files=12))])

    def refuse(request: Json) -> Signed:
        raise AccessError(ErrorCode.ACCESS_DENIED, "ann may not read t.")

    with world.run(statement, new_run()) as result:
        assert next(iter(result)).num_rows
        vending.signed = refuse
        with pytest.raises(SqeError) as raised:
            result.read_all()
    assert raised.value.code is ErrorCode.ACCESS_DENIED


def test_a_signature_for_another_address_is_not_followed(store: ObjectStore) -> None:
    place = keys(store)

    def elsewhere(request: Json) -> Signed:
        return Signed("http://127.0.0.1:1/lake/other", {"authorization": "x"})

    with pytest.raises(SqeError, match="signed another request"):
        CatalogSigner(place, elsewhere).sign("GET", "s3://lake/w/t/a")


@pytest.fixture
def loopback(store: ObjectStore) -> Iterator[Loopback]:
    objects = Objects(2.0)
    loopback = Loopback(objects)
    yield loopback
    loopback.close()
    objects.close()


def asked(port: int, path: str, key_id: str, method: str = "GET", part: str = "") -> int:
    """The status of a request to the loopback."""
    headers = {"Authorization": f"AWS4-HMAC-SHA256 Credential={key_id}/20260101/x/s3/aws4_request"}
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", method=method, headers=headers
    )
    if part:
        request.add_header("Range", part)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as answer:
            answer.read()
            status: int = answer.status
            return status
    except urllib.error.HTTPError as error:
        return error.code


def test_a_querys_key_opens_its_files_for_reading_until_it_ends(
    store: ObjectStore, catalog: SqlCatalog, loopback: Loopback
) -> None:
    loaded, other = table(catalog, store, files=1), table(catalog, store, "u", files=1)
    mine, theirs = (_file(store, name) for name in ("t", "u"))
    objects = Objects(2.0)
    source = TableSource(signing(store).open("lake", Identity("ann")), scan_of(other).table.ident)
    doors = [storage_of(one, objects, source).door for one in (loaded, other)]
    signers = [door.signer for door in doors if door is not None]
    reading = loopback.admit({f"s3:/{mine}": signers[0]})
    another = loopback.admit({f"s3:/{theirs}": signers[1]})
    port, key = reading.port, reading.key_id
    assert asked(port, mine, key) == 200
    assert asked(port, mine, key, "HEAD") == 200
    assert asked(port, mine, key, part="bytes=0-3") == 206
    refusals = {
        "another table": asked(port, theirs, key),
        "another query's key": asked(port, mine, another.key_id),
        "no query's key": asked(port, mine, "guessed"),
        "a way around": asked(port, f"/lake/w/t/../../..{mine}", key),
        "a list": asked(port, "/lake?list-type=2", key),
        "a version": asked(port, f"{mine}?versionId=1", key),
        "an odd range": asked(port, mine, key, part="bytes=0-3,5-9"),
    }
    assert set(refusals.values()) == {403}, refusals
    assert {asked(port, mine, key, method) for method in ("PUT", "DELETE", "POST")} == {501}
    loopback.withdraw(reading)
    assert asked(port, mine, key) == 403
    objects.close()


def _file(store: ObjectStore, name: str) -> str:
    [found] = (store.folder / "lake/w" / name).rglob("*.parquet")
    return "/" + str(found.relative_to(store.folder))


def test_keys_of_a_reading_do_not_show(store: ObjectStore, loopback: Loopback) -> None:
    reading = loopback.admit({})
    assert reading.key_id not in repr(reading) and reading.key_id not in repr(reading.keys())
