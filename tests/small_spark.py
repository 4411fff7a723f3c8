"""The Spark of tests: many short statements, on two processors that it shares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqe.settings import SparkSettings

# Java's thorough compiler takes half of the processor time of such a run and never earns it back.
# Without it, Java also keeps less room for compiled code, and would throw away what it needs.
SERVER_CONF = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m"
}


def small_spark(jars: Path | None, **settings: Any) -> SparkSettings:
    """``settings`` have the last word."""
    small: dict[str, Any] = {
        "jars": jars,
        "master": "local[2]",
        "driver_memory": "1g",
        "class_data_sharing": False,  # a new home has no archive, and writing one takes its time
        "server_conf": SERVER_CONF,
    }
    return SparkSettings.model_validate(small | settings)
