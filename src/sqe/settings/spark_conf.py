"""Spark settings that decide what a query means. The local engine is proven for these values."""

from __future__ import annotations

from collections.abc import Iterable

# Said to every Spark session, because a remote server may have other defaults.
MEANING = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.geospatial.enabled": "true",  # geometry and geography; off in Spark 4.1 itself
    "spark.sql.groupByAliases": "true",
    "spark.sql.groupByOrdinal": "true",
    # Spark hands count(DISTINCT 7) down to Iceberg as count(*), and so counts the rows.
    "spark.sql.iceberg.aggregate-push-down.enabled": "false",
    "spark.sql.orderByOrdinal": "true",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
}
# Settings under spark.sql that change how a query is run and never what it answers.
_HARMLESS = (
    "spark.sql.adaptive.",
    "spark.sql.autobroadcastjointhreshold",
    "spark.sql.broadcasttimeout",
    # Cost-based plans use what ANALYZE wrote. They are not the default: Iceberg gives Spark neither
    # nulls nor bounds with its counts of distinct values, so that Spark takes a comparison of a
    # number for one that finds no rows, and a join for a product of its tables.
    "spark.sql.cbo.",
    "spark.sql.codegen.",
    "spark.sql.execution.arrow.",
    "spark.sql.files.",
    "spark.sql.iceberg.report-column-stats",
    "spark.sql.maxplanstringlength",
    "spark.sql.shuffle.",
    "spark.sql.timetype.enabled",  # without it TIME is an error; the local engine has no TIME
    "spark.sql.ui.",
)


def find_meaning_change(keys: Iterable[str]) -> str:
    """The first setting that may make Spark answer differently, or nothing."""
    for key in keys:
        lower = key.lower()
        if lower.startswith("spark.sql.") and not lower.startswith(_HARMLESS):
            return key
    return ""
