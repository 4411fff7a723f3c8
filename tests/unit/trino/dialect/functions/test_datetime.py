"""Zones, the session and what is kept: what is decided about dates and times before anything runs.

What they answer is in ``tests/trino/edges/datetime.jsonl``."""

from __future__ import annotations

import dataclasses
import json

import pytest

from sqe.model.query import ClientState
from sqe.model.trino_types import timestamp_tz
from sqe.sql.zone_names import zone_named
from sqe.trino.dialect.context import Context, Known, KnownColumn
from sqe.trino.dialect.translate import translate
from sqe.trino.dialect.translated import Translated
from tests.unit.trino.dialect.catalog import NOW, Lake, refusal, translated

TOKYO, UTC = "TIMESTAMP '2024-01-01 00:00:00 Asia/Tokyo'", "TIMESTAMP '2024-01-01 00:00:00 UTC'"


def _context(sql: str, zone: str = "UTC", **properties: str) -> Context:
    client = ClientState("lake", "s", time_zone=zone, properties=properties)
    return Context(sql, client, "me", Lake(), NOW)


def _zone(translated: Translated) -> str:
    return translated.columns[0].type.zone


@pytest.mark.parametrize(
    "expression",
    [
        TOKYO,
        f"{TOKYO} + INTERVAL '1' MONTH",
        f"ARRAY[{TOKYO}, {TOKYO}]",
        f"ROW(1, {TOKYO})",
        f"MAP(ARRAY['a'], ARRAY[{TOKYO}])",
        f"coalesce(NULL, {TOKYO})",
        f"max({TOKYO})",
        f"{UTC} AT TIME ZONE 'Asia/Tokyo'",
        "with_timezone(ts, 'Asia/Tokyo') FROM t",
        "CAST('2024-01-01 00:00:00 Asia/Tokyo' AS timestamp(6) with time zone)",
        f"transform(ARRAY[{TOKYO}], x -> date_trunc('day', x))",
    ],
)
def test_the_zone_of_a_column_is_kept(expression: str) -> None:
    assert _zone(translated(f"SELECT {expression}")) == "Asia/Tokyo"


@pytest.mark.parametrize(
    "expression",
    [
        f"coalesce({TOKYO}, {UTC})",
        f"CASE WHEN true THEN {TOKYO} ELSE {UTC} END",
        f"ARRAY[{TOKYO}, {UTC}]",
        f"ROW({TOKYO}, {UTC})",
        f"ARRAY[{TOKYO}] || {UTC}",
        f"IF(true, {TOKYO}, TIMESTAMP '2024-01-01 00:00:00')",
        f"x FROM (VALUES {TOKYO}, {UTC}) v(x)",
        f"{TOKYO} UNION ALL SELECT {UTC}",
        f"hour(coalesce({TOKYO}, {UTC}))",
        f"CAST(coalesce({TOKYO}, {UTC}) AS varchar)",
        "at_timezone(now(), name) FROM t",
    ],
)
def test_no_answer_shows_a_clock_of_several_zones(expression: str) -> None:
    assert refusal(f"SELECT {expression}")[0] == "NOT_SUPPORTED"


@pytest.mark.parametrize(
    "expression",
    [f"{TOKYO} < {UTC}", f"to_unixtime(coalesce({TOKYO}, {UTC}))", f"{TOKYO} - {UTC}"],
)
def test_instants_of_several_zones_can_be_compared(expression: str) -> None:
    assert translated(f"SELECT {expression}").text


def test_a_timestamp_becomes_one_of_the_sessions_zone() -> None:
    sql = "SELECT CAST(ts AS timestamp with time zone) FROM t"
    assert _zone(translate(_context(sql, "Europe/Paris"))) == "Europe/Paris"
    assert _zone(translate(_context(sql, "UTC", time_zone_id="Asia/Tokyo"))) == "Asia/Tokyo"


def test_the_session_is_in_the_text() -> None:
    sql = "SELECT current_date, localtimestamp, current_timezone()"
    text = translate(_context(sql, "Pacific/Kiritimati")).text
    assert "DATE'2026-01-11'" in text
    assert "TIMESTAMP_NTZ'2026-01-11 02:00:00'" in text
    assert "'Pacific/Kiritimati'" in text


@pytest.mark.parametrize(
    "expression",
    [
        "current_date",
        "now()",
        "localtime",
        "current_timezone()",
        "current_user",
        "current_schema",
        "CAST(ts AS timestamp with time zone) FROM t",
    ],
)
def test_a_materialized_view_has_no_session(expression: str) -> None:
    name, message = refusal(f"CREATE MATERIALIZED VIEW n AS SELECT {expression}")
    assert (name, "in a materialized view" in message) == ("NOT_SUPPORTED", True)


@pytest.mark.parametrize(
    ("expression", "zone"),
    [
        ("now()", "session"),
        ("CAST(ts AS timestamp with time zone)", "session"),
        ("ARRAY[now()]", "session"),
        ("now() AT TIME ZONE 'Asia/Tokyo'", "Asia/Tokyo"),
        (f"coalesce({UTC}, now())", "session if UTC"),
        ("date_trunc('day', now())", "session"),
    ],
)
def test_a_view_keeps_the_zones_of_its_columns(expression: str, zone: str) -> None:
    text = translated(f"CREATE VIEW n AS SELECT 1 AS a, {expression} AS b FROM t").text
    assert f"'trino.zones' = '{json.dumps(['', zone])}'" in text


def test_a_column_of_a_view_is_in_the_zone_of_its_reader() -> None:
    column = KnownColumn("x", timestamp_tz(3, "session"))
    lake = Lake()
    lake.relations = {"v": Known("v", (column,), "VIEW")}
    context = dataclasses.replace(_context("SELECT x FROM v", "Asia/Tokyo"), lookup=lake)
    assert _zone(translate(context)) == "Asia/Tokyo"


@pytest.mark.parametrize(
    "expression", [f"coalesce({TOKYO}, now())", "current_path", "current_time"]
)
def test_what_a_view_cannot_have_is_refused(expression: str) -> None:
    assert refusal(f"CREATE VIEW n AS SELECT {expression} AS x")[0] == "NOT_SUPPORTED"


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("Europe/Paris", "Europe/Paris"),
        ("europe/paris", None),
        ("Etc/GMT+5", "-05:00"),
        ("UTC+5", "+05:00"),
        ("+0530", "+05:30"),
        ("-00:00", "UTC"),
        ("+14:01", None),
        ("+5:30", None),
        ("GMT", "UTC"),
        ("Etc/Zulu", None),
        ("EST", None),
    ],
)
def test_zones_are_named_as_trino_names_them(name: str, zone: str | None) -> None:
    assert zone_named(name) == zone


def test_a_time_that_the_clock_skips_is_no_literal() -> None:
    sql = "SELECT TIMESTAMP '2024-03-10 02:30:00 America/New_York'"
    assert refusal(sql)[0] == "INVALID_LITERAL"
