"""An object store that refuses, fails, hangs, is slow or dies: the reader is told in time, and no
key shows anywhere. Spark steps in only where the store cannot be reached from here."""

from __future__ import annotations

import socket
import struct
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sqe.catalog.protocol import Loaded
from sqe.engines.local.failures import LocalFailed
from sqe.errors import ErrorCode, SqeError
from sqe.results.cancellation import Cancellation
from tests.unit.engines.local.runtime.conftest import MakeWorld
from tests.unit.engines.local.runtime.object_store import ObjectStore
from tests.unit.engines.local.runtime.world import World, new_run, scan_of

NUMBER = pa.schema({"n": pa.int64()})
ALL = "SELECT n FROM scan_1"
ROWS = 60_000
KEY = "AKIDSECRET"


def written(
    catalog: SqlCatalog, store: ObjectStore, name: str, *, files: int = 1, key: str = KEY
) -> Loaded:
    """Keys for the table's own folder only, sent as some catalogs do: for everything in S3."""
    table = catalog.create_table(f"db.{name}", NUMBER, location=f"s3://lake/w/{name}")
    for place in range(files):
        table.append(pa.table({"n": list(range(place * ROWS, (place + 1) * ROWS))}))
    metadata = (store.folder / table.metadata_location.removeprefix("s3://")).read_bytes()
    store.keys[f"lake/w/{name}/"] = key
    credential = {"prefix": "s3", "config": store.config(key)}
    return Loaded(metadata, table.metadata_location, {}, (credential,))


def refuse(request: BaseHTTPRequestHandler, name: str) -> bool:
    """As S3 does it: with everything it was shown in the answer."""
    shown = "".join(f"{key}: {value}" for key, value in request.headers.items())
    body = (
        f"<?xml version='1.0'?><Error><Code>InvalidAccessKeyId</Code><Message>The key {KEY} is not"
        f" known: {shown}</Message><AWSAccessKeyId>{KEY}</AWSAccessKeyId></Error>"
    ).encode()
    request.send_response(403)
    request.send_header("Content-Type", "application/xml")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    if request.command != "HEAD":
        request.wfile.write(body)
    return True


def fail(request: BaseHTTPRequestHandler, name: str) -> bool:
    request.send_response(500)
    request.send_header("Content-Length", "0")
    request.end_headers()
    return True


def hang(request: BaseHTTPRequestHandler, name: str) -> bool:
    time.sleep(4)
    return False


def die(request: BaseHTTPRequestHandler, name: str) -> bool:
    """The connection breaks in the middle of the answer."""
    request.send_response(200 if request.headers.get("Range") is None else 206)
    request.send_header("Content-Length", "1000000")
    request.send_header("Content-Range", "bytes 0-999999/1000000")
    request.end_headers()
    if request.command != "HEAD":
        request.wfile.write(b"PAR1" + b"\x00" * 1000)
    linger = struct.pack("ii", 1, 0)
    request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    request.close_connection = True
    return True


def nothing_shows(error: BaseException | None) -> None:
    """Neither in the message nor in what a log would print with it."""
    assert error is not None
    told = "".join(traceback.format_exception(error)) + repr(error)
    assert KEY not in told
    assert "token of" not in told and "secret of" not in told
    assert "Signature=" not in told


FAULTS = [fail, hang, die]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("planned", [False, True])
def test_before_the_first_row_the_reader_is_told(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog, fault: object, planned: bool
) -> None:
    world = make(remote_timeout_s=1.0)
    scan = scan_of(written(catalog, store, "t"))
    if planned:
        assert world.query(ALL, NUMBER, scan).num_rows == ROWS
    store.fault = fault  # type: ignore[assignment]
    with pytest.raises(SqeError) as raised:
        world.query(ALL, NUMBER, scan)
    assert raised.value.code is ErrorCode.STORAGE_UNAVAILABLE
    nothing_shows(raised.value)
    store.fault = None
    assert world.query(ALL, NUMBER, scan).num_rows == ROWS
    assert world.engine.instances.memory_used == 0


@pytest.mark.parametrize("planned", [False, True])
def test_a_store_that_cannot_be_reached_from_here_is_left_to_spark(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog, planned: bool
) -> None:
    """It may run where the store can be."""
    world = make(remote_timeout_s=1.0)
    scan = scan_of(written(catalog, store, "t"))
    if planned:
        assert world.query(ALL, NUMBER, scan).num_rows == ROWS
    store.close()
    with pytest.raises(LocalFailed) as raised:
        world.query(ALL, NUMBER, scan)
    assert raised.value.code is ErrorCode.STORAGE_UNAVAILABLE
    nothing_shows(raised.value)


@pytest.mark.parametrize("planned", [False, True])
def test_who_is_refused_is_told_so(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog, planned: bool
) -> None:
    world = make(remote_timeout_s=1.0)
    scan = scan_of(written(catalog, store, "t"))
    if planned:
        assert world.query(ALL, NUMBER, scan).num_rows == ROWS
    store.fault = refuse
    with pytest.raises(SqeError) as raised:
        world.query(ALL, NUMBER, scan)
    assert raised.value.code is ErrorCode.STORAGE_UNAVAILABLE
    nothing_shows(raised.value)
    assert world.engine.instances.memory_used == 0


@pytest.mark.parametrize("fault", [refuse, *FAULTS])
def test_after_the_first_row_the_reader_is_told(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog, fault: object
) -> None:
    world = make(remote_timeout_s=1.0, threads=1, batch_rows=10_000)
    scan = scan_of(written(catalog, store, "t", files=12))
    assert world.query("SELECT count(n) FROM scan_1", NUMBER, scan).num_rows == 1
    statement = world.statement(ALL, NUMBER, [scan])
    with world.run(statement, new_run()) as result:
        assert next(iter(result)).num_rows
        store.fault = fault  # type: ignore[assignment]
        with pytest.raises(SqeError) as raised:
            result.read_all()
    assert raised.value.code is ErrorCode.STORAGE_UNAVAILABLE
    nothing_shows(raised.value)
    assert world.engine.instances.memory_used == 0


def test_a_slow_store_is_waited_for(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog
) -> None:
    world = make(remote_timeout_s=5.0)
    store.hang_s = 0.1
    scan = scan_of(written(catalog, store, "t", files=2))
    assert world.query(ALL, NUMBER, scan).num_rows == 2 * ROWS


def test_a_query_that_hangs_in_the_store_can_be_cancelled(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog
) -> None:
    world = make(remote_timeout_s=2.0)
    scan = scan_of(written(catalog, store, "t"))
    assert world.query(ALL, NUMBER, scan).num_rows == ROWS
    store.fault = hang
    cancellation = Cancellation()
    threading.Timer(0.2, cancellation.cancel).start()
    statement = world.statement(ALL, NUMBER, [scan])
    with pytest.raises(SqeError) as raised:
        world.run(statement, new_run(cancellation)).read_all()
    assert raised.value.code is ErrorCode.CANCELLED
    assert world.engine.instances.running_count == 0
    assert world.engine.instances.memory_used == 0


def test_each_table_is_read_with_its_own_keys(
    world: World, store: ObjectStore, catalog: SqlCatalog
) -> None:
    """Both were sent for all of S3, and one table's name begins with the other's."""
    left = scan_of(written(catalog, store, "t", key="KEYONE"))
    right = scan_of(written(catalog, store, "t2", key="KEYTWO"), relation="scan_2")
    sql = "SELECT count(*) FROM scan_1 JOIN scan_2 USING (n)"
    for scans in ((left, right), (right, left)):
        assert world.query(sql, NUMBER, *scans).to_pydict() == {"n": [ROWS]}
    assert store.refused == 0


def test_one_tables_key_does_not_read_another(
    world: World, store: ObjectStore, catalog: SqlCatalog
) -> None:
    own = written(catalog, store, "own", key="KEYONE")
    other = written(catalog, store, "other", key="KEYTWO")
    assert world.query(ALL, NUMBER, scan_of(own)).num_rows == ROWS
    stolen = Loaded(other.metadata_json, other.metadata_location, {}, own.storage_credentials)
    with pytest.raises(SqeError, match="refuses"):
        world.query(ALL, NUMBER, scan_of(stolen))
    assert store.refused > 0
    scan = scan_of(own)
    path = world.planned(scan_of(other)).files[0]
    with pytest.raises(LocalFailed):
        world.query(f"SELECT n FROM read_parquet('{path}')", NUMBER, scan)


def test_explanations_show_no_keys(world: World, store: ObjectStore, catalog: SqlCatalog) -> None:
    scan = scan_of(written(catalog, store, "t"))
    statement = world.statement(ALL, NUMBER, [scan])
    shown = [
        repr(world.prepare(statement).explain(new_run())),
        repr(world.prepare(statement).analyze(new_run())),
        repr(world.prepare(statement)),
        repr(world.planned(scan)),
    ]
    for text in shown:
        assert KEY not in text and "secret of" not in text and "token of" not in text


@pytest.mark.parametrize("folder", ["a b", "a+b", "a%41b", "a=ü'é", "a&b#c"])
def test_names_that_urls_spell_otherwise(
    world: World, store: ObjectStore, catalog: SqlCatalog, folder: str
) -> None:
    scan = scan_of(written(catalog, store, folder))
    assert world.query("SELECT count(*) FROM scan_1", NUMBER, scan).to_pydict() == {"n": [ROWS]}
