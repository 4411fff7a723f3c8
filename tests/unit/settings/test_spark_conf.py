"""Which Spark settings are known to leave answers alone."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from sqe.settings import SparkSettings
from sqe.settings.spark_conf import MEANING, find_meaning_change


@pytest.mark.parametrize(
    "key",
    [
        "spark.executor.memory",
        "spark.sql.shuffle.partitions",
        "spark.sql.adaptive.enabled",
        "spark.sql.cbo.joinReorder.enabled",
    ],
)
def test_how_a_query_is_run_does_not_change_its_answer(key: str) -> None:
    assert find_meaning_change([key]) == ""


@pytest.mark.parametrize(
    "key", [*MEANING, "spark.sql.legacy.anything", "spark.SQL.Ansi.Enabled", "spark.sql.newThing"]
)
def test_everything_else_under_sql_may(key: str) -> None:
    assert find_meaning_change(["spark.executor.memory", key]) == key


@pytest.mark.parametrize("place", ["server_conf", "session_conf"])
@pytest.mark.parametrize(
    "conf",
    [
        {"spark.sql.extensions": "mine.Extensions"},
        {"Spark.SQL.Catalog.lake": "org.apache.iceberg.spark.SparkCatalog"},
        {"spark.driver.extraJavaOptions": "-Xss8m -Dspark.sql.extensions=mine.Extensions"},
        {"spark.executor.extraJavaOptions": "-Dspark.authenticate=false"},
    ],
)
def test_what_sqe_depends_on_cannot_be_set(place: str, conf: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match=next(iter(conf))):
        SparkSettings.model_validate({place: conf})


def test_java_may_be_told_how_to_run() -> None:
    conf = {"spark.driver.extraJavaOptions": "-XX:+UseParallelGC"}
    assert SparkSettings(server_conf=conf).server_conf == conf


@pytest.mark.parametrize("place", ["server_conf", "session_conf"])
@pytest.mark.parametrize(
    "key", ["spark.sql.session.timeZone", "spark.sql.sources.partitionOverwriteMode"]
)
def test_what_sessions_set_themselves_is_refused(place: str, key: str) -> None:
    with pytest.raises(ValidationError, match=r"would not hold: sessions set sqe\."):
        SparkSettings.model_validate({place: {key: "UTC"}})


@pytest.mark.parametrize("key", MEANING)
def test_what_every_session_is_told_cannot_be_the_servers_alone(key: str) -> None:
    with pytest.raises(ValidationError, match="set it in session_conf"):
        SparkSettings.model_validate({"server_conf": {key.upper(): "false"}})
    assert SparkSettings(session_conf={key: "false"}).session_conf == {key: "false"}
