"""Instances that live on: for whom, over which files, and what is left in them of earlier queries.
The rest of these tests share a session, so that what they try happens in used instances too."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from sqe.catalog.s3_place import S3Credentials
from sqe.engines.local.failures import LocalFailed
from sqe.engines.local.instance import Instance, InstanceKey, Need
from sqe.engines.local.lease import Lease
from sqe.engines.local.options import MB
from sqe.engines.local.plan import Comparison, Scan
from sqe.errors import ErrorCode, SqeError, UserError
from sqe.model.identity import Identity, Secret
from sqe.model.passport import Passport, Token
from sqe.results.cancellation import Cancellation
from sqe.sessions.session import Session
from tests.unit.engines.local.runtime.conftest import MakeWorld
from tests.unit.engines.local.runtime.delete_files import position_deletes, with_deletes
from tests.unit.engines.local.runtime.world import (
    ANN,
    World,
    loaded_of,
    new_run,
    new_session,
    scan_of,
)

NUMBER = pa.schema({"n": pa.int64()})
TEXT = pa.schema({"t": pa.string()})
# Each instance spills to a folder of its own, which tells it from all others.
WHERE = "SELECT current_setting('temp_directory') AS t"
_LONG_S = 60.0


def instance_of(world: World, *scans: Scan, session: Session | None = None) -> str:
    """In which instance a query over the scan runs."""
    sql = " ".join([WHERE, *(f"FROM {scan.relation} LIMIT 1" for scan in scans)])
    (where,) = world.query(sql, TEXT, *scans, run=new_run(session=session))["t"].to_pylist()
    return str(where)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _LONG_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@dataclass
class Taking:
    """Leases of one key, to look into the instances themselves."""

    world: World
    session: Session = field(default_factory=new_session)
    files: Sequence[str] = ()

    @property
    def key(self) -> InstanceKey:
        return InstanceKey(self.session, self.session.identity, None, None, tuple(self.files))

    def take(self, **changes: Any) -> Lease:
        need = Need(self.files, key=self.key)
        return self.world.engine.instances.take(replace(need, **changes), Cancellation())

    def next_instance(self, **changes: Any) -> Instance:
        """What the next query gets."""
        lease = self.take(**changes)
        lease.finish()
        lease.close()
        return lease.instance


@pytest.fixture
def taking(world: World) -> Taking:
    return Taking(world)


def test_the_next_query_of_a_session_over_the_same_files_has_the_instance(world: World) -> None:
    scan = scan_of(loaded_of(world.create("t", pa.table({"n": [1, 2]}))))
    first = instance_of(world, scan)
    assert instance_of(world, scan) == first
    narrow = scan_of(loaded_of(world.catalog.load_table("db.t")), "n", relation="scan_9")
    assert instance_of(world, narrow) == first
    assert world.engine.figures.reused == 2
    assert world.engine.figures.idle == 1
    assert world.engine.instances.memory_used == 0
    assert 4 * MB <= world.engine.figures.memory_idle < 5 * MB


def test_it_can_be_turned_off(make: MakeWorld) -> None:
    world = make(reuse_s=0)
    assert len({instance_of(world) for _ in range(3)}) == 3
    assert world.engine.figures.idle == 0


def test_two_users_and_two_sessions_of_a_user_share_none(world: World) -> None:
    scan = scan_of(loaded_of(world.create("t", pa.table({"n": [1]}))))
    people = [ANN, ANN, Identity("bob"), replace(ANN, groups=frozenset({"g"}))]
    sessions = [new_session(who) for who in people]
    rounds = [[instance_of(world, scan, session=one) for one in sessions] for _ in range(3)]
    assert len(set(rounds[0])) == len(people)
    assert rounds[1] == rounds[2] == rounds[0]


def test_another_identity_or_token_in_the_session_has_another(world: World) -> None:
    passport = Passport(Token(Secret("old"), 1e12), "login")
    session = new_session(replace(ANN, passport=passport))
    first = instance_of(world, session=session)
    assert instance_of(world, session=session) == first
    passport.renew(Token(Secret("new"), 2e12))
    second = instance_of(world, session=session)
    session.identity = replace(session.identity, roles=frozenset({"r"}))
    third = instance_of(world, session=session)
    session.identity = replace(session.identity, passport=None)
    assert len({first, second, third, instance_of(world, session=session)}) == 4


def test_another_decision_has_another(world: World) -> None:
    statement = world.statement(WHERE, TEXT, ())
    places = []
    for decided in ("all rows", "some rows", "all rows"):
        with replace(world.prepare(statement), decided=decided).run(new_run()) as result:
            places.append(result.read_all()["t"].to_pylist()[0])
    assert places[0] == places[2] != places[1]


def test_other_files_are_in_another_and_cannot_be_opened(world: World) -> None:
    table = world.create("t", pa.table({"n": [1, 2]}))
    old = scan_of(loaded_of(table))
    table.append(pa.table({"n": [11, 12]}))
    new, high = scan_of(loaded_of(table)), Comparison("n", ">", 10)
    part = scan_of(loaded_of(table), pruning=[high])
    other = scan_of(loaded_of(world.create("u", pa.table({"n": [5]}))))
    places = [instance_of(world, scan) for scan in (old, new, part, other)]
    assert len(set(places)) == 4
    assert [instance_of(world, scan) for scan in (old, new, part, other)] == places
    (added,) = world.planned(part).files
    for scan in (old, other):
        with pytest.raises(LocalFailed, match=r"not allowed|disabled|Cannot access"):
            world.query(f"SELECT n FROM read_parquet('{added}')", NUMBER, scan)


def test_a_file_of_the_same_name_that_is_another_one_is_in_another(taking: Taking) -> None:
    first = taking.next_instance()
    assert taking.next_instance() == first
    assert taking.next_instance(key=replace(taking.key, files=("other stamp",))) != first
    assert taking.next_instance(key=replace(taking.key, in_order=True)) != first


LEFT_BEHIND = [
    ("CREATE TEMP TABLE left_over AS SELECT 1 AS n", "FROM left_over"),
    ("CREATE TEMP VIEW left_over AS SELECT 1 AS n", "FROM left_over"),
    ("CREATE TEMP MACRO left_over() AS 1", "SELECT left_over()"),
    ("CREATE TEMP SEQUENCE left_over", "SELECT nextval('left_over')"),
    ("PREPARE left_over AS SELECT 1", "EXECUTE left_over"),
]


@pytest.mark.parametrize(("make_it", "use_it"), LEFT_BEHIND)
def test_nothing_of_a_query_is_there_for_the_next(
    taking: Taking, make_it: str, use_it: str
) -> None:
    lease = taking.take()
    lease.execute(make_it)
    assert lease.execute(use_it).fetchall() == [(1,)]
    lease.finish()
    lease.close()
    after = taking.take()
    assert after.instance is lease.instance
    with pytest.raises(duckdb.Error, match="not exist"):
        after.execute(use_it)
    after.close()


def test_variables_seeds_and_registered_tables_are_gone(taking: Taking) -> None:
    lease = taking.take()
    lease.execute("SET VARIABLE secret = 5")
    lease.connection.register("arriving", pa.table({"n": [1]}))
    lease.keep("kept", pa.table({"n": [1]}))
    lease.execute("SELECT setseed(0.5)").fetchall()
    seeded = [lease.execute("SELECT random()").fetchall() for _ in range(3)]
    lease.finish()
    lease.close()
    after = taking.take()
    assert after.instance is lease.instance
    assert after.execute("SELECT getvariable('secret')").fetchall() == [(None,)]
    assert [after.execute("SELECT random()").fetchall() for _ in range(3)] != seeded
    everything = "SELECT count(*) FROM duckdb_tables() UNION ALL"
    everything += " SELECT count(*) FROM duckdb_views() WHERE NOT internal"
    assert after.execute(everything).fetchall() == [(0,), (0,)]
    after.close()


def test_settings_are_the_same_for_every_query_and_locked(taking: Taking) -> None:
    wanted = "python_enable_replacements default_null_order preserve_insertion_order TimeZone"
    wanted += " parquet_metadata_cache lock_configuration enable_external_access"
    ask = "SELECT name, lower(value) FROM duckdb_settings() WHERE name IN ("
    ask += ", ".join(f"'{name}'" for name in wanted.split()) + ") ORDER BY name"
    seen = []
    for _ in range(2):
        lease = taking.take()
        for change in ("SET TimeZone = 'Asia/Tokyo'", "SET SESSION threads = 1", "RESET TimeZone"):
            with pytest.raises(duckdb.Error, match="locked"):
                lease.execute(change)
        seen.append(lease.execute(ask).fetchall())
        nobody = pa.table({"n": [1]})  # of Python's own variables
        with pytest.raises(duckdb.Error, match="not exist"):
            lease.execute("FROM nobody")
        assert nobody.num_rows
        lease.finish()
        lease.close()
    assert seen[0] == seen[1]
    assert dict(seen[0]) == {
        "default_null_order": "nulls_first_on_asc_last_on_desc",
        "enable_external_access": "false",
        "lock_configuration": "true",
        "parquet_metadata_cache": "true",
        "preserve_insertion_order": "false",
        "python_enable_replacements": "false",
        "TimeZone": "utc",
    }


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE left_over AS SELECT 1 AS n",
        "SELECT 1 AS n; CREATE TABLE left_over AS SELECT 1 AS n",
        "CREATE MACRO left_over() AS TABLE SELECT 1 AS n",
        "ATTACH ':memory:' AS left_over",
        "SET VARIABLE left_over = 1",
        "CALL pragma_version()",
    ],
)
def test_what_is_not_one_query_is_not_run(world: World, sql: str) -> None:
    with pytest.raises(LocalFailed, match="not a query"):
        world.query(sql, NUMBER)
    statement = world.statement(sql, NUMBER, ())
    for look in (world.prepare(statement).explain, world.prepare(statement).analyze):
        with pytest.raises(LocalFailed, match="not a query"):
            look(new_run())
    # Nor where all rows are computed before the first is sent.
    with pytest.raises(LocalFailed, match="not a query"):
        world.query(f"{sql} -- SQE:LOCAL:", NUMBER)


def test_rows_that_one_query_must_not_see_are_not_the_nexts(world: World) -> None:
    table = world.create("t", pa.table({"n": list(range(10))}))
    (path,) = table.inspect.files()["file_path"].to_pylist()
    one = with_deletes(table, [(position_deletes(table, [(path, 1)]), 2)])
    two = with_deletes(table, [(position_deletes(table, [(path, 2), (path, 3)]), 2)])
    for _ in range(2):
        assert len(world.rows(scan_of(loaded_of(table)), NUMBER)) == 10
        assert (1,) not in (rows := world.rows(scan_of(one), NUMBER)) and len(rows) == 9
        assert (2,) not in (rows := world.rows(scan_of(two), NUMBER)) and len(rows) == 8
    assert world.engine.figures.reused >= 3


def test_what_failed_is_not_used_again(world: World) -> None:
    first = instance_of(world)
    with pytest.raises(SqeError):
        world.query("SELECT error('SQE:DIVISION_BY_ZERO:x')::BIGINT AS n", NUMBER)
    assert instance_of(world) != first


def test_what_was_not_read_to_its_end_is_not_used_again(world: World) -> None:
    first = instance_of(world)
    with world.run(world.statement("SELECT range AS n FROM range(1000000)", NUMBER, ()), new_run()):
        pass
    assert instance_of(world) != first


def test_what_was_cancelled_is_not_used_again(world: World) -> None:
    first, cancellation = instance_of(world), Cancellation()
    statement = world.statement("SELECT range AS n FROM range(10000000)", NUMBER, ())
    with world.run(statement, new_run(cancellation)) as result:
        next(iter(result))
        cancellation.cancel()
        with pytest.raises(SqeError) as raised:
            result.read_all()
    assert raised.value.code is ErrorCode.CANCELLED
    assert instance_of(world) != first


def test_a_cancel_after_the_last_row_does_not_stop_the_next_query(world: World) -> None:
    for _ in range(20):
        cancellation = Cancellation()
        world.query("SELECT 1::BIGINT AS n", NUMBER, run=new_run(cancellation))
        cancellation.cancel()
        assert world.query("SELECT count(*) AS n FROM range(100000)", NUMBER).num_rows == 1
    assert world.engine.figures.reused > 20


def test_a_session_that_ends_takes_its_instances_with_it(world: World) -> None:
    ann, bob = new_session(), new_session(Identity("bob"))
    scan = scan_of(loaded_of(world.create("t", pa.table({"n": [1]}))))
    for session in (ann, bob):
        instance_of(world, session=session)
    instance_of(world, scan, session=ann)
    assert world.engine.figures.idle == 3
    statement = world.statement("SELECT 1::BIGINT AS n", NUMBER, ())
    with world.run(statement, new_run(session=ann)) as late:
        assert ann.end(lambda _: UserError(ErrorCode.SESSION_NOT_FOUND, "over"))
        world.engine.end_session(ann)
        assert world.engine.figures.idle == 1
        assert late.read_all().num_rows == 1
    assert world.engine.figures.idle == 1
    instance_of(world, session=bob)
    assert world.engine.figures.reused == 2  # one of them the query that ended late


def test_nobody_has_needed_it_for_a_while(make: MakeWorld) -> None:
    world = make(reuse_s=0.05)
    instance_of(world)
    until(lambda: world.engine.figures.idle == 0)
    assert world.engine.figures.memory_idle == 0


def test_it_ends_with_its_keys(taking: Taking) -> None:
    def key_until(end: float) -> InstanceKey:
        keys = S3Credentials("s3://b/", "r", "", False, Secret("id"), Secret("key"), None, end)
        return replace(taking.key, keys=frozenset({keys}))

    good, over = key_until(time.time() + 1e6), key_until(time.time() - 1)
    assert taking.next_instance(key=good) == taking.next_instance(key=good)
    assert taking.next_instance(key=over) != taking.next_instance(key=over)
    soon = key_until(time.time() + 1)
    first = taking.next_instance(key=soon)
    until(lambda: time.time() > soon.keys_end)
    assert taking.next_instance(key=soon) != first


def test_memory_that_is_needed_is_taken_from_who_waits_longest(make: MakeWorld) -> None:
    world = make(memory=96 * MB, memory_floor=44 * MB, memory_per_query=44 * MB, threads=1)
    sessions = [new_session() for _ in range(3)]
    places = [instance_of(world, session=one) for one in sessions]
    assert world.engine.figures.idle == 3  # 12 MB
    running = world.statement("SELECT range AS n FROM range(1000000000)", NUMBER, ())
    with world.run(running, new_run()) as one, world.run(running, new_run()) as two:
        assert next(iter(one)).num_rows and next(iter(two)).num_rows
        assert world.engine.figures.idle == 2  # 88 MB are in use
    assert instance_of(world, session=sessions[2]) == places[2]
    assert instance_of(world, session=sessions[0]) != places[0]


def test_only_so_many_wait(make: MakeWorld) -> None:
    world = make(memory=256 * MB)  # of which an eighth
    sessions = [new_session() for _ in range(20)]
    places = [instance_of(world, session=one) for one in sessions]
    assert world.engine.figures.memory_idle <= 32 * MB
    assert world.engine.figures.idle == 8
    again = [instance_of(world, session=one) for one in reversed(sessions[12:])]
    assert again == places[:11:-1]


def test_footers_that_are_kept_are_counted(world: World) -> None:
    wide = pa.table({f"c{number}": [1] for number in range(120)})
    table = world.create("wide", wide)
    for _ in range(7):
        table.append(wide)
    scan = scan_of(loaded_of(table))
    for _ in range(3):
        world.query("SELECT sum(c7)::BIGINT AS n FROM scan_1", NUMBER, scan)
    assert world.engine.figures.idle == 1
    assert world.engine.figures.memory_idle > 4.5 * MB
    assert world.engine.instances.memory_used == 0


def test_who_waits_for_memory_gets_that_of_a_query_that_ends(make: MakeWorld) -> None:
    world = make(memory=64 * MB, memory_floor=48 * MB, memory_per_query=48 * MB)
    statement = world.statement("SELECT range AS n FROM range(200000)", NUMBER, ())
    with world.run(statement, new_run()) as result:
        waiting = threading.Thread(target=instance_of, args=(world,))
        waiting.start()
        until(lambda: world.engine.figures.waiting == 1)
        result.read_all()
    waiting.join()
    assert world.engine.instances.memory_used == 0


def test_a_larger_question_gets_a_larger_instance(taking: Taking) -> None:
    small = taking.next_instance()
    large = taking.next_instance(memory=700 * MB)
    assert large != small
    assert (taking.next_instance(), taking.next_instance(memory=700 * MB)) == (small, large)


def test_who_works_at_once_works_apart(make: MakeWorld) -> None:
    world = make(threads=2)
    scan = scan_of(loaded_of(world.create("t", pa.table({"n": list(range(1000))}))))
    sql = f"{WHERE} FROM scan_1 WHERE n = 1"
    with world.run(world.statement(sql, TEXT, [scan]), new_run()) as one:
        other = instance_of(world, scan)
        assert one.read_all()["t"].to_pylist() != [other]
    wrong: list[object] = []

    def ask(number: int) -> None:
        for step in range(30):
            n = number * 100 + step
            found = world.query(f"SELECT n FROM scan_1 WHERE n = {n}", NUMBER, scan)
            if found.to_pydict() != {"n": [n]}:
                wrong.append((n, found.to_pydict()))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert world.engine.figures.reused > 50
    assert world.engine.instances.memory_used == 0


def test_a_file_that_maintenance_removed_is_missing_and_may_come_back(world: World) -> None:
    scan = scan_of(loaded_of(world.create("t", pa.table({"n": [7]}))))
    first = instance_of(world, scan)
    (path,) = map(Path, world.planned(scan).files)
    content = path.read_bytes()
    path.unlink()
    with pytest.raises(LocalFailed):
        world.query("SELECT n FROM scan_1", NUMBER, scan)
    path.write_bytes(content)
    assert world.rows(scan, NUMBER) == [(7,)]
    assert instance_of(world, scan) != first


def test_what_fails_in_a_used_instance_is_tried_in_a_new_one(world: World, taking: Taking) -> None:
    statement = world.statement("SELECT upper('a') AS t", TEXT, ())
    prepared = world.prepare(statement)
    lease = taking.take(key=prepared._key(prepared._reach(), taking.session))
    lease.execute("CREATE MACRO upper(x) AS error('it is damaged')")
    lease.finish()
    lease.close()
    for count in (1, 2):
        with prepared.run(new_run(session=taking.session)) as result:
            assert result.read_all().to_pydict() == {"t": ["A"]}
        assert world.engine.figures.reused == count
    assert world.engine.figures.idle == 1
