"""Trino's JDBC driver."""

from __future__ import annotations

from sqe.engines.spark.jars import Jar

DRIVER = Jar(
    "io.trino",
    "trino-jdbc",
    "476",
    "a3736d21609a5a317d2ce88b3835e312e9b6f41393c1d4b09f2ad6e7aeb3bb90",
)
CLASS = "io.trino.jdbc.TrinoDriver"
