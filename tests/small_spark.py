"""The Spark of tests: many short statements, on two processors that it shares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqe.settings import SparkSettings

# Java's thorough compiler takes half of the processor time of such a run and never earns it back.
# Without it, Java also keeps less room for compiled code, and would throw away what it needs.
SERVER_CONF = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m"
}
_SMALL = {
    "master": "local[2]",
    "driver_memory": "1g",
    "class_data_sharing": False,  # a new home has no archive, and writing one takes its time
}


def small_spark(jars: Path | None, **settings: Any) -> SparkSettings:
    """``settings`` have the last word."""
    return SparkSettings.model_validate(
        {"jars": jars, **_SMALL, "server_conf": SERVER_CONF, **settings}
    )


def small_spark_config(file: Path, jars: Path) -> dict[str, str]:
    """For an SQE that is a process of its own: writes its settings, answers where it finds them."""
    # JSON's texts and booleans are TOML's.
    lines = [f"{k} = {json.dumps(v)}" for k, v in {"jars": str(jars), **_SMALL}.items()]
    lines += ["[spark.server_conf]", *(f'"{k}" = {json.dumps(v)}' for k, v in SERVER_CONF.items())]
    file.write_text("\n".join(["[spark]", *lines]))
    return {"SQE_CONFIG": str(file)}
