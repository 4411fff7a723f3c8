"""USE, SET SESSION, RESET SESSION, SHOW SESSION."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode
from tests.unit.coordinator.lake import Lake


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("USE sales", "lake.sales"),
        ("USE SALES", "lake.sales"),
        ("USE lake.sales", "lake.sales"),
        ("USE hr.old", "lake.hr.old"),
        ("USE attic", "attic.default"),
        ("USE attic.default", "attic.default"),
        ("USE CATALOG attic", "attic.default"),
        ("SET CATALOG lake", "lake"),
        ("USE SCHEMA sales", "lake.sales"),
        ("USE information_schema", "lake.information_schema"),
    ],
)
def test_use(lake: Lake, text: str, schema: str) -> None:
    result = lake.run(text)
    assert result.columns == ()
    assert result.read_all().num_rows == 0
    assert str(lake.session.schema) == schema


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("USE sale", ErrorCode.SCHEMA_NOT_FOUND, "sales"),
        ("USE atti", ErrorCode.SCHEMA_NOT_FOUND, "attic"),
        ("USE SCHEMA attic", ErrorCode.SCHEMA_NOT_FOUND, "is a catalog"),
        ("USE CATALOG lak", ErrorCode.CATALOG_NOT_FOUND, "lake"),
        ("USE CATALOG lake.hr", ErrorCode.INVALID_ARGUMENT, ""),
    ],
)
def test_use_of_something_unknown_changes_nothing(
    lake: Lake, text: str, code: ErrorCode, hint: str
) -> None:
    error = lake.refusal(text)
    assert error.code is code
    assert hint in error.hint
    assert str(lake.session.schema) == "lake.hr"


def test_in_a_catalog_without_a_schema_nothing_is_listed(lake: Lake) -> None:
    lake.run("USE CATALOG lake")
    assert lake.rows("SHOW TABLES") == []
    assert lake.rows("SHOW VIEWS") == []


def test_set_and_reset(lake: Lake) -> None:
    lake.run("SET SESSION sqe.engine = SPARK")
    assert lake.session.property("sqe.engine") == "spark"
    lake.run("RESET SESSION sqe.engine")
    assert lake.session.property("sqe.engine") == "auto"


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("SET TIME ZONE 'Europe/Vienna'", "Europe/Vienna"),
        ("SET TIME ZONE '+05:30'", "+05:30"),
        ("SET TIME ZONE INTERVAL '-08:00' HOUR TO MINUTE", "-08:00"),
        ("SET SESSION sqe.time_zone = UTC", "UTC"),
        ("SET TIME ZONE LOCAL", "UTC"),
    ],
)
def test_time_zones(lake: Lake, text: str, zone: str) -> None:
    lake.run(text)
    assert lake.session.property("sqe.time_zone") == zone


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("SET SESSION sqe.engin = spark", "sqe.engine"),
        ("RESET SESSION foo", "SHOW SESSION"),
        ("SET SESSION sqe.engine = duckdb", "auto, local, spark"),
        ("SET TIME ZONE 'Europe/Wienna'", "Europe/Vienna"),
        ("SET TIME ZONE '+19:00'", ""),
        ("SET TIME ZONE '../etc/passwd'", ""),
    ],
)
def test_a_bad_property_or_value_is_refused(lake: Lake, text: str, hint: str) -> None:
    error = lake.refusal(text)
    assert error.code is ErrorCode.INVALID_SESSION_PROPERTY
    assert hint in error.hint


def test_settings_of_spark_are_set_shown_and_reset(lake: Lake) -> None:
    name = "spark.sql.shuffle.partitions"
    assert lake.names("SET spark.sql.Shuffle.partitions = 7") == ["key", "value"]
    assert lake.rows("SET spark.sql.Shuffle.partitions = 7") == [
        ("spark.sql.Shuffle.partitions", "7")
    ]
    assert lake.session.spark_settings == {name: "7"}
    assert lake.rows(f"SET {name}") == [(name, "7")]
    assert name in lake.column("SHOW SESSION LIKE 'spark.*'")
    lake.run(f"RESET {name}")
    assert lake.rows(f"SET {name}") == [(name, "<undefined>")]


def test_sparks_names_of_sqe_s_own_properties_mean_those(lake: Lake) -> None:
    lake.run("SET spark.sql.session.timeZone = Europe/Vienna")
    assert lake.session.property("sqe.time_zone") == "Europe/Vienna"
    assert lake.rows("SET spark.sql.session.timeZone") == [
        ("spark.sql.session.timeZone", "Europe/Vienna")
    ]


def test_settings_that_may_change_answers_are_marked(lake: Lake) -> None:
    lake.run("SET spark.sql.adaptive.enabled = false")
    assert not lake.session.changed_answers
    lake.run("SET spark.sql.groupByOrdinal = false")
    [setting] = lake.session.changed_answers
    assert setting.may_change("SELECT a FROM t GROUP BY 1") and not setting.may_change("SELECT 1")


@pytest.mark.parametrize("name", [
    "spark.sql.ansi.enabled", "spark.sql.caseSensitive", "spark.sql.catalog.sqe.uri",
    "spark.sql.defaultCatalog", "spark.sql.legacy.ctePrecedencePolicy", "spark.driver.memory",
    "spark.sql.optimizer.excludedRules", "spark.sql.redaction.string.regex",
    "spark.sql.runSQLOnFiles", "spark.sql.variable.substitute", "spark.scheduler.pool",
    "spark.sql.files.ignoreCorruptFiles",
])  # fmt: skip
@pytest.mark.parametrize("text", ["SET {} = true", "SET {}", "RESET {}"])
def test_other_settings_of_spark_are_refused_with_a_reason(
    lake: Lake, text: str, name: str
) -> None:
    error = lake.refusal(text.format(name))
    assert error.code is ErrorCode.NOT_SUPPORTED
    assert f"{name} cannot be set: " in error.message
    assert lake.session.spark_settings == {}


def test_what_is_no_setting_at_all_is_refused_like_one_that_may_not_be_set(lake: Lake) -> None:
    for text in ("SET x.y = 5", "SET x", "SET session.var1 = 5"):
        assert lake.refusal(text).code is ErrorCode.NOT_SUPPORTED


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.sql.shuffle.partitions", "0"),
        ("spark.sql.shuffle.partitions", "1000000"),
        ("spark.sql.adaptive.enabled", "maybe"),
        ("spark.sql.autoBroadcastJoinThreshold", "10g"),
        ("spark.sql.files.maxPartitionBytes", "-1"),
        ("spark.sql.mapKeyDedupPolicy", "FIRST_WIN"),
    ],
)
def test_a_setting_of_spark_takes_its_values_only(lake: Lake, name: str, value: str) -> None:
    error = lake.refusal(f"SET {name} = {value}")
    assert error.code is ErrorCode.INVALID_SESSION_PROPERTY
    assert "It takes " in error.hint


def test_show_session(lake: Lake) -> None:
    lake.run("SET SESSION sqe.engine = local")
    assert lake.names("SHOW SESSION") == ["name", "value", "default", "description"]
    assert [row[:3] for row in lake.rows("SHOW SESSION")] == [
        ("sqe.engine", "local", "auto"),
        ("sqe.partition_overwrite", "static", "static"),
        ("sqe.result_cache", "on", "on"),
        ("sqe.time_zone", "UTC", "UTC"),
        ("sqe.wap_branch", "", ""),
        ("sqe.wap_id", "", ""),
    ]
    assert lake.column("SHOW SESSION LIKE '%zone'") == ["sqe.time_zone"]


@pytest.mark.parametrize("word", ["SCHEMA", "DATABASE", "NAMESPACE"])
def test_where_a_session_stands(lake: Lake, word: str) -> None:
    assert lake.names(f"SHOW CURRENT {word}") == ["catalog", "namespace"]
    lake.run("USE hr.old")
    assert lake.rows(f"SHOW CURRENT {word}") == [("lake", "hr.old")]
