"""Spark's settings that a session may change with SET, and why the others are refused.

What is not listed is refused: a setting can reach files and catalogs, change how a text is read, or
take a guard apart. Every listed one has the values it takes, so that none can hurt other users.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_SIZE = re.compile(r"(\d{1,12})\s*([kmgb]?)b?\Z", re.IGNORECASE)
_FACTOR = {"": 1, "b": 1, "k": 1024, "m": 1024**2, "g": 1024**3}


@dataclass(frozen=True, slots=True)
class Values:
    """``accepts`` says whether a value is one of them; ``label`` names them for people."""

    label: str
    accepts: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class SparkSetting:
    """``changes``: a pattern for the texts whose answers may depend on it, if there are any. Then
    the local engine, which is proven for the default, is left out, and so are rules of a policy and
    such texts of views, which were written for the default."""

    name: str
    values: Values
    about: str
    changes: str | None = None

    def may_change(self, text: str) -> bool:
        return self.changes is not None and re.search(self.changes, text, re.I) is not None


def _is_boolean(value: str) -> bool:
    return value.lower() in ("true", "false")


def _number(least: int, most: int) -> Values:
    def accepts(value: str) -> bool:
        return re.fullmatch(r"-?\d{1,10}", value) is not None and least <= int(value) <= most

    return Values(f"{least} to {most}", accepts)


def _size(most: str, *, or_off: bool = False) -> Values:
    limit = _bytes(most) or 0

    def accepts(value: str) -> bool:
        count = _bytes(value)
        return (or_off and value == "-1") or (count is not None and 1 <= count <= limit)

    return Values(f"1 to {most}{', or -1' if or_off else ''}", accepts)


def _bytes(value: str) -> int | None:
    size = _SIZE.match(value)
    return int(size[1]) * _FACTOR[size[2].lower()] if size else None


def _one_of(*words: str) -> Values:
    return Values(", ".join(words), lambda value: value.upper() in words)


_BOOLEAN = Values("true, false", _is_boolean)
_BROADCAST = _size("512m", or_off=True)
_PART = _size("1g")
_ANY_TEXT = ""
_GROUPS = r"\bgroup\b"
_SORTS = r"\b(order|sort)\b"
_ADAPTIVE = "spark.sql.adaptive."

_ALL = (
    SparkSetting(_ADAPTIVE + "enabled", _BOOLEAN, "plans again while a query runs"),
    SparkSetting(_ADAPTIVE + "advisoryPartitionSizeInBytes", _PART, "size of shuffled parts"),
    SparkSetting(_ADAPTIVE + "autoBroadcastJoinThreshold", _BROADCAST, "size of what is broadcast"),
    SparkSetting(_ADAPTIVE + "coalescePartitions.enabled", _BOOLEAN, "puts small parts together"),
    SparkSetting(
        _ADAPTIVE + "coalescePartitions.initialPartitionNum", _number(1, 10_000), "parts at first"
    ),
    SparkSetting(_ADAPTIVE + "coalescePartitions.minPartitionSize", _PART, "size of small parts"),
    SparkSetting(
        _ADAPTIVE + "coalescePartitions.parallelismFirst", _BOOLEAN, "rather many than large parts"
    ),
    SparkSetting(_ADAPTIVE + "localShuffleReader.enabled", _BOOLEAN, "reads shuffled parts nearby"),
    SparkSetting(_ADAPTIVE + "skewJoin.enabled", _BOOLEAN, "splits large parts of joins"),
    SparkSetting(
        _ADAPTIVE + "skewJoin.skewedPartitionThresholdInBytes", _PART, "size of large parts"
    ),
    SparkSetting("spark.sql.autoBroadcastJoinThreshold", _BROADCAST, "size of what is broadcast"),
    SparkSetting("spark.sql.broadcastTimeout", _number(1, 36_000), "seconds a broadcast may take"),
    SparkSetting("spark.sql.cbo.enabled", _BOOLEAN, "plans by statistics"),
    SparkSetting("spark.sql.cbo.joinReorder.enabled", _BOOLEAN, "reorders joins by statistics"),
    SparkSetting("spark.sql.codegen.wholeStage", _BOOLEAN, "compiles plans to Java"),
    SparkSetting("spark.sql.crossJoin.enabled", _BOOLEAN, "joins without a condition are allowed"),
    SparkSetting("spark.sql.debug.maxToStringFields", _number(1, 10_000), "columns in plans"),
    SparkSetting("spark.sql.execution.reuseSubquery", _BOOLEAN, "runs equal subqueries once"),
    SparkSetting("spark.sql.files.maxPartitionBytes", _PART, "size of what a task reads"),
    SparkSetting("spark.sql.join.preferSortMergeJoin", _BOOLEAN, "rather sorts than hashes"),
    SparkSetting("spark.sql.maxMetadataStringLength", _number(4, 10_000), "length in plans"),
    SparkSetting("spark.sql.maxPlanStringLength", _number(0, 1_000_000), "length of plans"),
    SparkSetting("spark.sql.shuffle.partitions", _number(1, 10_000), "parts of a shuffle"),
    # From here on: what may change answers.
    SparkSetting(
        "spark.sql.decimalOperations.allowPrecisionLoss", _BOOLEAN, "types of decimals", _ANY_TEXT
    ),
    SparkSetting(
        "spark.sql.function.eltOutputAsString", _BOOLEAN, "elt of binary values is text", r"\belt\b"
    ),
    SparkSetting("spark.sql.groupByAliases", _BOOLEAN, "GROUP BY takes aliases", _GROUPS),
    SparkSetting("spark.sql.groupByOrdinal", _BOOLEAN, "GROUP BY 1 is a column", _GROUPS),
    SparkSetting(
        "spark.sql.mapKeyDedupPolicy",
        _one_of("EXCEPTION", "LAST_WIN"),
        "maps with a key twice",
        _ANY_TEXT,
    ),
    SparkSetting("spark.sql.orderByOrdinal", _BOOLEAN, "ORDER BY 1 is a column", _SORTS),
    SparkSetting(
        "spark.sql.prioritizeOrdinalResolutionInSort.enabled",
        _BOOLEAN,
        "ORDER BY 1 is a column, whatever else it could be",
        _SORTS,
    ),
)
SPARK_SETTINGS = {setting.name.lower(): setting for setting in _ALL}

# Spark's names of what SQE has properties of its own for.
OWN_PROPERTIES = {
    "spark.sql.session.timezone": "sqe.time_zone",
    "spark.sql.sources.partitionoverwritemode": "sqe.partition_overwrite",
    "spark.wap.branch": "sqe.wap_branch",
    "spark.wap.id": "sqe.wap_id",
}
# By how they begin; the first that fits is told.
REFUSED: tuple[tuple[str, str], ...] = (
    ("spark.sql.ansi.", "policies, views and tables are proven for ANSI SQL as Spark has it"),
    ("spark.sql.casesensitive", "names of tables and columns are found without regard to case"),
    ("spark.sql.catalog", "a session reaches what SQE gives it"),
    ("spark.sql.defaultcatalog", "a session reaches what SQE gives it"),
    ("spark.sql.extensions", "it loads code"),
    ("spark.sql.legacy.", "it changes how Spark reads a text, or what a function means"),
    ("spark.sql.optimizer.", "guards of policies are proven for all rules of the optimizer"),
    ("spark.sql.redaction.", "it would show keys"),
    ("spark.sql.runsqlonfiles", "files are not read by path"),
    ("spark.sql.timestamptype", "it changes the types of columns"),
    ("spark.sql.variable.", "it would change a text behind the parser's back"),
    ("spark.sql.", "it is not among those that are known to change performance or formats only"),
    ("spark.", "it is the server's, not a session's"),
    ("", "it is not a setting of Spark's"),
)


def why_refused(name: str) -> str:
    return next(reason for start, reason in REFUSED if name.lower().startswith(start))
