"""The Spark of tests: many short statements, on two processors that it shares."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

from sqe.engines.spark.archive import ClassArchive, archive_for
from sqe.engines.spark.jars import ensure_artifacts, spark_jars
from sqe.engines.spark.java import find_java
from sqe.settings import SparkSettings
from sqe.settings.settings import default_home
from tests.flight_clients.cache import CACHE

# Where the jars are kept between runs. They are pinned and checked, and hundreds of megabytes, so
# tests share those of the developer's own SQE. Read before the environment is taken away.
JARS = Path(os.environ.get("SQE_JARS") or default_home() / "jars")
ARCHIVES = CACHE / "class_archives"
# Java's thorough compiler takes half of the processor time of such a run and never earns it back.
# Without it, Java also keeps less room for compiled code, and would throw away what it needs. The
# heap is small: one thread collects its garbage with less work than several do.
JAVA = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=256m", "-XX:+UseSerialGC")
_SMALL = {
    "master": "local[2]",
    "driver_memory": "1g",
    "class_data_sharing": False,  # a new home has no archive: tests share one
}


def shared_archive(jars: Path) -> ClassArchive | None:
    """Spark's classes, loaded and verified: ``tests.class_archive`` writes it if it is missing."""
    java = find_java()
    return archive_for(ARCHIVES, java, (*spark_jars(), *ensure_artifacts(jars, java, {})))


def server_conf(jars: Path | None) -> dict[str, str]:
    """With the classes of these jars from the shared archive, if it has been written."""
    archive = shared_archive(jars) if jars is not None else None
    shared = archive.flags() if archive is not None and archive.ready else ()
    return {"spark.driver.extraJavaOptions": shlex.join((*JAVA, *shared))}


def small_spark(jars: Path | None, **settings: Any) -> SparkSettings:
    """``settings`` have the last word."""
    return SparkSettings.model_validate(
        {"jars": jars, **_SMALL, "server_conf": server_conf(jars), **settings}
    )


def small_spark_config(file: Path, jars: Path) -> dict[str, str]:
    """For an SQE that is a process of its own: writes its settings, answers where it finds them."""
    # JSON's texts and booleans are TOML's.
    lines = [f"{k} = {json.dumps(v)}" for k, v in {"jars": str(jars), **_SMALL}.items()]
    conf = server_conf(jars).items()
    lines += ["[spark.server_conf]", *(f'"{k}" = {json.dumps(v)}' for k, v in conf)]
    file.write_text("\n".join(["[spark]", *lines]))
    return {"SQE_CONFIG": str(file)}
