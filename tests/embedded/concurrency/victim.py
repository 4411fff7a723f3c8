"""A process that is going to be killed: ``python -m tests.embedded.concurrency.victim …``.

Runs the operations of a seed on one table, one after the other, and says on stdout what it has
begun and what was acknowledged.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from pydantic import SecretStr

from sqe.errors import SqeError
from sqe.server.build import build
from sqe.settings import Settings, SparkSettings
from tests.embedded.concurrency.operations import operation
from tests.embedded.pipe.lake import Lake
from tests.small_spark import small_spark


def main(home: str, spark: str, table: str, seed: int, first: int) -> None:
    """``spark`` is the address of one that runs, or the folder of jars for one of its own."""
    server = build(Settings(home=Path(home), spark=spark_settings(spark)))
    lake = Lake.open(server)
    lake.run("SELECT 1")
    say("ready", server.spark.pid if server.spark else 0)
    for number in itertools.count(first):
        say("begun", number)
        try:
            lake.run(operation(seed, number).on(table))
        except SqeError as error:
            say("failed", number, error.code.name, str(error))
            return
        say("done", number)


def spark_settings(spark: str) -> SparkSettings:
    conf = {"spark.sql.shuffle.partitions": "2"}
    if spark.startswith("sc://"):
        return SparkSettings(remote=SecretStr(spark), session_conf=conf)
    return small_spark(Path(spark), session_conf=conf)


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:4], *map(int, sys.argv[4:]))  # type: ignore[arg-type]
