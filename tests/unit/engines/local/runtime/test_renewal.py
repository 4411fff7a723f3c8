"""Keys that end or are revoked: renewed by the catalog, as the user, or a clean error."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sqe.catalog.protocol import Json, Loaded
from sqe.engines.local.options import MB
from sqe.errors import ErrorCode, SqeError
from sqe.model.passport import login_expired
from tests.unit.engines.local.runtime.conftest import MakeWorld
from tests.unit.engines.local.runtime.object_store import ObjectStore
from tests.unit.engines.local.runtime.vending import Vending, credential, made, vended
from tests.unit.engines.local.runtime.world import new_run, scan_of

NUMBER = pa.schema({"n": pa.int64()})
ALL = "SELECT n FROM scan_1"
FILES, ROWS = 12, 60_000


def table(catalog: SqlCatalog, store: ObjectStore, *credentials: Json, files: int = 1) -> Loaded:
    parts = [pa.table({"n": list(range(i * ROWS, (i + 1) * ROWS))}) for i in range(files)]
    store.keys["lake/w/t/"] = "OLD"
    return vended(made(catalog, "t", NUMBER, *parts), store, *credentials)


def test_keys_about_to_end_are_renewed_before_they_are_used(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog
) -> None:
    vending = Vending(lambda: (credential(store, "t", "NEW"),))
    world = make(catalogs=vending)
    scan = scan_of(table(catalog, store, credential(store, "t", "OLD", ends_in=30)))
    store.keys["lake/w/t/"] = "NEW"
    assert world.query(ALL, NUMBER, scan).num_rows == ROWS
    assert store.refused == 0 and vending.asked == ["ann"]


def test_keys_that_last_are_not_asked_for_again(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog
) -> None:
    vending = Vending(lambda: (credential(store, "t", "NEW"),))
    world = make(catalogs=vending)
    scan = scan_of(table(catalog, store, credential(store, "t", "OLD")))
    for _ in range(3):
        assert world.query(ALL, NUMBER, scan).num_rows == ROWS
    assert vending.asked == []


@pytest.mark.parametrize("planned", [False, True])
def test_revoked_keys_are_renewed_once(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog, planned: bool
) -> None:
    """While manifests are read, or when DuckDB has begun."""
    vending = Vending(lambda: (credential(store, "t", "NEW"),))
    world = make(catalogs=vending)
    scan = scan_of(table(catalog, store, credential(store, "t", "OLD")))
    if planned:
        assert world.query(ALL, NUMBER, scan).num_rows == ROWS
    store.keys["lake/w/t/"] = "NEW"
    assert world.query(ALL, NUMBER, scan).num_rows == ROWS
    assert vending.asked == ["ann"]


@pytest.mark.parametrize("planned", [False, True])
def test_keys_that_are_refused_again_are_an_error(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog, planned: bool
) -> None:
    vending = Vending(lambda: (credential(store, "t", "ALSO REVOKED"),))
    world = make(catalogs=vending)
    scan = scan_of(table(catalog, store, credential(store, "t", "OLD")))
    if planned:
        assert world.query(ALL, NUMBER, scan).num_rows == ROWS
    store.keys.clear()
    with pytest.raises(SqeError) as raised:
        world.query(ALL, NUMBER, scan)
    assert raised.value.code is ErrorCode.STORAGE_UNAVAILABLE
    assert vending.asked == ["ann"]


@pytest.mark.parametrize("planned", [False, True])
def test_who_has_lost_his_login_is_told_so(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog, planned: bool
) -> None:
    def refuse() -> tuple[Json, ...]:
        raise login_expired()

    world = make(catalogs=Vending(refuse))
    scan = scan_of(table(catalog, store, credential(store, "t", "OLD")))
    if planned:
        assert world.query(ALL, NUMBER, scan).num_rows == ROWS
    store.keys.clear()
    with pytest.raises(SqeError) as raised:
        world.query(ALL, NUMBER, scan)
    assert raised.value.code is ErrorCode.TOKEN_EXPIRED
    assert world.engine.instances.memory_used == 0


def test_a_scan_outlives_its_keys(make: MakeWorld, store: ObjectStore, catalog: SqlCatalog) -> None:
    """They end soon, so DuckDB is not left alone with them."""
    keys = ["SECOND"]
    vending = Vending(lambda: (credential(store, "t", keys[-1], ends_in=300),))
    world = make(catalogs=vending, threads=1, batch_rows=10_000)
    loaded = table(catalog, store, credential(store, "t", "OLD", ends_in=300), files=FILES)
    numbers: list[int] = []
    with world.run(world.statement(ALL, NUMBER, [scan_of(loaded)]), new_run()) as result:
        batches = iter(result)
        numbers += next(batches)["n"].to_pylist()
        store.keys["lake/w/t/"] = "SECOND"
        for batch in batches:
            numbers += batch["n"].to_pylist()
    assert sorted(numbers) == list(range(FILES * ROWS))
    assert store.refused > 0 and vending.asked == ["ann"]


@pytest.mark.parametrize("ends_in", [300, 36_000])
@pytest.mark.parametrize("login", ["over", "good"])
def test_keys_that_cannot_be_renewed_end_a_scan_with_an_error(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog, ends_in: int, login: str
) -> None:
    """Never fewer rows; and the error says why."""

    def give() -> tuple[Json, ...]:
        if login == "over":
            raise login_expired()
        return ()

    world = make(catalogs=Vending(give), threads=1, batch_rows=10_000)
    loaded = table(catalog, store, credential(store, "t", "OLD", ends_in=ends_in), files=FILES)
    with world.run(world.statement(ALL, NUMBER, [scan_of(loaded)]), new_run()) as result:
        assert next(iter(result)).num_rows
        store.keys.clear()
        with pytest.raises(SqeError) as raised:
            result.read_all()
    wanted = ErrorCode.TOKEN_EXPIRED if login == "over" else ErrorCode.STORAGE_UNAVAILABLE
    assert raised.value.code is wanted
    assert world.engine.instances.memory_used == 0


def test_plans_that_are_kept_have_no_keys(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog
) -> None:
    """What one query was given is not there for the next, of whoever it is."""
    world = make()
    loaded = table(catalog, store, credential(store, "t", "OLD"))
    assert world.query(ALL, NUMBER, scan_of(loaded)).num_rows == ROWS
    bad = vended_again(loaded, credential(store, "t", "WRONG"))
    with pytest.raises(SqeError) as raised:
        world.query(ALL, NUMBER, scan_of(bad))
    assert raised.value.code is ErrorCode.STORAGE_UNAVAILABLE


def vended_again(loaded: Loaded, *credentials: Json) -> Loaded:
    return Loaded(loaded.metadata_json, loaded.metadata_location, {}, credentials)


def test_other_keys_are_in_another_instance(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog
) -> None:
    """And those that a query has for itself, through SQE's own reading, are in none that lasts."""
    world = make()
    loaded = table(catalog, store, credential(store, "t", "OLD"))
    for expected in (0, 1):
        assert world.query(ALL, NUMBER, scan_of(loaded)).num_rows == ROWS
        assert (world.engine.figures.reused, world.engine.figures.idle) == (expected, 1)
    store.keys["lake/w/t/"] = "NEW"
    fresh = vended_again(loaded, credential(store, "t", "NEW"))
    assert world.query(ALL, NUMBER, scan_of(fresh)).num_rows == ROWS
    assert (world.engine.figures.reused, world.engine.figures.idle) == (1, 2)
    short = vended_again(loaded, credential(store, "t", "NEW", ends_in=300))
    for _ in range(2):
        assert world.query(ALL, NUMBER, scan_of(short)).num_rows == ROWS
    assert (world.engine.figures.reused, world.engine.figures.idle) == (1, 2)


def test_an_instance_that_has_read_much_does_not_wait(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog
) -> None:
    """What it has in memory would push out all the others."""
    world = make(memory=160 * MB)  # of which 20 may be in idle ones
    large = pa.table({"n": list(np.random.default_rng(1).integers(0, 2**62, 1_500_000))})
    store.keys["lake/w/"] = "KEY"
    scans = [
        scan_of(vended(made(catalog, name, NUMBER, rows), store, credential(store, name, "KEY")))
        for name, rows in (("large", large), ("small", large.slice(0, 1000)))
    ]
    for scan in (scans[1], scans[0], scans[1]):
        assert world.query("SELECT sum(n % 2)::BIGINT AS n FROM scan_1", NUMBER, scan).num_rows
        assert world.engine.figures.idle == 1
    assert world.engine.figures.reused == 1
    assert world.engine.instances.memory_used == 0


def test_a_used_instance_gives_nothing_that_the_store_refuses(
    make: MakeWorld, store: ObjectStore, catalog: SqlCatalog
) -> None:
    """What it has of the files in memory is only for keys that are still good."""
    world = make(catalogs=Vending())
    scan = scan_of(table(catalog, store, credential(store, "t", "OLD")))
    for _ in range(3):
        assert world.query(ALL, NUMBER, scan).num_rows == ROWS
    assert world.engine.figures.reused == 2
    store.keys.clear()
    with pytest.raises(SqeError) as raised:
        world.query(ALL, NUMBER, scan)
    assert raised.value.code is ErrorCode.STORAGE_UNAVAILABLE
