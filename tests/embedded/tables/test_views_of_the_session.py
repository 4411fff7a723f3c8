"""Views made in Trino's SQL that ask for the time, the zone or the user: it is their reader's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from sqe.errors import ErrorCode
from tests.embedded.tables.desk import Desk
from tests.trino.asking import Answer, Client

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]
# Over t (ts timestamp(6), tz timestamp(6) with time zone, d date, s varchar).
EXPRESSIONS = [
    "current_date",
    "current_timestamp",
    "current_timestamp(0)",
    "current_timestamp(5)",
    "current_timestamp(6)",
    "now()",
    "localtimestamp",
    "localtimestamp(1)",
    "localtimestamp(6)",
    "localtime",
    "current_timezone()",
    "current_user",
    "current_catalog",
    "current_schema",
    "current_date - INTERVAL '7' DAY",
    "date_add('month', -1, current_date)",
    "date_trunc('day', now())",
    "date_trunc('month', current_timestamp) AT TIME ZONE 'Asia/Tokyo'",
    "now() + INTERVAL '1' MONTH",
    "now() - INTERVAL '3' HOUR",
    "date(now())",
    "hour(now())",
    "timezone_hour(now())",
    "timezone(now())",
    "CAST(now() AS varchar)",
    "CAST(now() AS timestamp)",
    "CAST(now() AS time)",
    "CAST(TIME '10:11:12' AS timestamp)",
    "CAST(TIME '10:11:12' AS timestamp with time zone)",
    "CAST(ts AS timestamp with time zone)",
    "CAST(d AS timestamp with time zone)",
    "CAST('2024-03-31 02:30:00' AS timestamp(3) with time zone)",
    "CAST('2024-01-01 10:00:00 UTC' AS timestamp(3) with time zone)",
    "TIMESTAMP '2024-01-01 10:00:00 Asia/Tokyo'",
    "with_timezone(ts, 'America/New_York')",
    "ts < tz",
    "ts < now()",
    "d < now()",
    "date_diff('hour', ts, tz)",
    "date_diff('day', ts, now())",
    "now() - ts < INTERVAL '1' DAY",
    "from_unixtime(1700000000)",
    "ARRAY[now(), CAST(ts AS timestamp(3) with time zone)]",
    "ROW(1, now())",
    "max(now()) OVER ()",
    "coalesce(CAST(NULL AS timestamp(3) with time zone), now())",
    "(SELECT max(now()) FROM t)",
    "'current_date()'",
]
# Long texts for Spark, which takes its time with each.
OF_TEXTS = [
    "CAST(s AS timestamp with time zone)",
    "from_iso8601_timestamp(replace(s, ' ', 'T'))",
    "parse_datetime(s, 'yyyy-MM-dd HH:mm:ss')",
    "year(parse_datetime('3/5/71', 'M/d/yy'))",
    "format_datetime(now(), 'yyyy-MM-dd HH:mm ZZ ZZZ')",
    "to_iso8601(now())",
]
# Of values in UTC, which tables have, and of the session's zone: only if that is UTC.
MIXED = ["coalesce(tz, now())", "hour(coalesce(tz, now()))", "greatest(tz, current_timestamp)"]


@pytest.fixture
def trino(desk: Desk, trino_address: str) -> Iterator[Client]:
    desk.run(
        "CREATE TABLE t (ts TIMESTAMP_NTZ, tz TIMESTAMP, d DATE, s STRING)",
        "INSERT INTO t VALUES (TIMESTAMP_NTZ'2024-10-27 02:30:00.123456', TIMESTAMP'2024-10-27"
        " 00:45:00Z', DATE'2024-03-31', '2024-07-01 12:00:00'), (NULL, NULL, NULL, NULL)",
    )
    with closing(Client(trino_address, "lake", desk.schema)) as client:
        yield client


def asked(client: Client, sql: str) -> Answer:
    answer = client.ask(sql)
    assert not answer.error, answer.message
    return answer


def compare(client: Client, view: str, expressions: list[str]) -> None:
    """In one statement: what the view answers, and the same expressions beside it."""
    listed = ", ".join(f"{one} AS e{i}" for i, one in enumerate(expressions))
    beside = f"SELECT coalesce(s, '') AS k, {listed} FROM t"
    answer = asked(client, f"SELECT v.*, b.* FROM {view} v JOIN ({beside}) b ON v.k = b.k")
    width = len(expressions) + 1
    types = [one["type"] for one in answer.columns]
    assert types[:width] == types[width:]
    for row in answer.data:
        for expression, told, expected in zip(expressions, row[1:], row[width + 1 :], strict=False):
            assert told == expected, expression


def create(client: Client, view: str, expressions: list[str]) -> None:
    listed = ", ".join(f"{one} AS c{i}" for i, one in enumerate(expressions))
    asked(client, f"CREATE VIEW {view} AS SELECT coalesce(s, '') AS k, {listed} FROM t")


def test_it_is_what_the_reader_would_have_written(trino: Client) -> None:
    create(trino, "v", EXPRESSIONS)
    asked(trino, "CREATE VIEW w AS SELECT * FROM v")
    for zone, view in (("UTC", "v"), ("Europe/Berlin", "w"), ("+05:30", "v")):
        asked(trino, f"SET TIME ZONE '{zone}'")
        compare(trino, view, EXPRESSIONS)


def test_so_is_what_reads_and_writes_texts(trino: Client) -> None:
    create(trino, "v", OF_TEXTS)
    asked(trino, "SET TIME ZONE 'Europe/Berlin'")
    compare(trino, "v", OF_TEXTS)


def test_values_of_utc_and_of_the_session_are_of_one_zone_only_in_utc(trino: Client) -> None:
    create(trino, "v", MIXED)
    compare(trino, "v", MIXED)
    asked(trino, "SET TIME ZONE 'Europe/Berlin'")
    for column in ("c0", "c1"):
        refused = trino.ask(f"SELECT {column} FROM v")
        assert (refused.error, "different time zones" in refused.message) == ("NOT_SUPPORTED", True)
    assert len(asked(trino, "SELECT k, c0 < now() FROM v").data) == 2


def test_time_goes_on_between_two_readings(trino: Client) -> None:
    asked(trino, "CREATE VIEW v AS SELECT current_timestamp(6) AS x")
    first, second = (asked(trino, "SELECT x, x = current_timestamp(6) FROM v") for _ in range(2))
    assert first.data[0][1] is second.data[0][1] is True
    assert first.data[0][0] < second.data[0][0]


def test_sparks_dialect_reads_it_too(desk: Desk, trino: Client) -> None:
    asked(
        trino,
        "CREATE VIEW v AS SELECT current_date = date(now()) AS today, hour(ts) AS h,"
        " ts AT TIME ZONE 'Asia/Tokyo' < now() AS past, current_user AS reader FROM t",
    )
    user = desk.spark.rows("SELECT current_user()")[0][0]
    query = "SELECT today, h, past, reader FROM v WHERE today"
    assert desk.rows(query) == [(True, 2, True, user), (True, None, None, user)]
    asked(trino, "CREATE VIEW w AS SELECT hour(now()) - hour(now()) AS none, current_date AS d")
    assert desk.both("SELECT none, d <= current_date() FROM w") == [(0, True)]


def test_sparks_dialect_reads_clocks_in_utc_only(desk: Desk, trino: Client) -> None:
    asked(trino, "CREATE VIEW v AS SELECT hour(CAST(ts AS timestamp with time zone)) AS h FROM t")
    asked(trino, "CREATE VIEW w AS SELECT current_date AS d")
    desk.run("SET TIME ZONE 'Europe/Vienna'")
    error = desk.spark.fails("SELECT h FROM v")
    assert (error.code, "UTC only" in error.message) == (ErrorCode.NOT_SUPPORTED, True)
    assert desk.rows("SELECT d = current_date() FROM w") == [(True,)]


def test_writes_take_from_it(trino: Client) -> None:
    asked(trino, "SET TIME ZONE 'America/New_York'")
    asked(trino, "CREATE VIEW v AS SELECT current_timestamp AS at, current_date AS d")
    asked(trino, "CREATE TABLE made AS SELECT at, d, at = now() AS same FROM v")
    asked(trino, "INSERT INTO made SELECT at, d, at = now() FROM v")
    asked(
        trino,
        "MERGE INTO made USING v ON made.d = v.d WHEN MATCHED THEN UPDATE SET same = v.at = now()",
    )
    assert asked(trino, "SELECT same, at < now(), d = date(at AT TIME ZONE 'America/New_York')"
                 " FROM made").data == [[True, True, True]] * 2  # fmt: skip


def test_the_reader_is_who_reads_not_the_owner(desk: Desk, trino: Client) -> None:
    bob = desk.spark.another_session("bob")
    for security in ("DEFINER", "INVOKER"):
        asked(trino, f"CREATE OR REPLACE VIEW v SECURITY {security} AS SELECT current_user AS u")
        assert bob.rows(f"SELECT u FROM {desk.schema}.v") == [("bob",)]
    bob.close()


def test_a_materialized_view_has_no_reader(trino: Client) -> None:
    asked(trino, "CREATE VIEW v AS SELECT current_date AS d")
    for query in ("SELECT current_date AS d", "SELECT current_user AS u", "SELECT d FROM v"):
        refused = trino.ask(f"CREATE MATERIALIZED VIEW m AS {query}")
        assert (refused.error, "materialized view" in refused.message) == ("NOT_SUPPORTED", True)
