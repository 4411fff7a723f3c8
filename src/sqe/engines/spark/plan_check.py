"""Lock 5: the analysed plan must scan exactly this query's handles, or the query does not run."""

from __future__ import annotations

import re
from collections.abc import Collection

from sqe.broker.handles import CATALOG
from sqe.errors import ErrorCode, InternalError

_SECTION = "== Analyzed Logical Plan =="
_NEXT_SECTION = re.compile(r"^== .* ==$", re.MULTILINE)
# A node stands behind the tree's branches: "   :  +- Project [a#1]".
_NODE = re.compile(r"^[ :|]*(?:[+:]- )?(?P<name>[A-Za-z]\w*)")
_HANDLE = re.compile(rf"\b{CATALOG}\.(?P<namespace>q_[0-9a-f]{{32}}_\d+)\b")

# Leaves and commands that read or write outside of the query's handles. The plan's text may hold
# these words in literals too: that refuses a query now and then, and never lets one through.
_FORBIDDEN = frozenset(
    {
        "ScriptTransformation",
        "HiveTableRelation",
        "UnresolvedRelation",
        "UnresolvedCatalogRelation",
        "StreamingRelation",
        "StreamingRelationV2",
        "InMemoryRelation",
        "LogicalRDD",
        "ExternalRDD",
        "AddJarsCommand",
        "AddFilesCommand",
        "SetCommand",
        "ResetCommand",
        "CacheTableAsSelect",
        "CreateViewCommand",
        "CreateDataSourceTableCommand",
        "InsertIntoDir",
        "InsertIntoHadoopFsRelationCommand",
        "LoadDataCommand",
        "RunnableCommand",
    }
)


def check_plan(explained: str, granted: Collection[str], *, must_scan: Collection[str]) -> None:
    """``granted`` are the handles this query has, ``must_scan`` those it certainly reads."""
    plan = analysed(explained)
    scanned = {match.group("namespace") for match in _HANDLE.finditer(plan)}
    foreign = scanned - set(granted)
    if foreign:
        raise _refused("it names a handle that was not granted to this query")
    missing = set(must_scan) - scanned
    if missing:
        raise _refused("it does not read a table that the statement names")
    for line in plan.splitlines():
        node = _NODE.match(line)
        if node is None:
            continue
        name = node.group("name")
        if name in _FORBIDDEN:
            raise _refused(f"it contains {name}")
        if name in ("RelationV2", "DataSourceV2Relation") and not _HANDLE.search(line):
            raise _refused("it reads a relation that is not a handle")
        if name in ("Relation", "LogicalRelation"):
            raise _refused("it reads files directly")


def analysed(explained: str) -> str:
    """The analysed plan out of Spark's extended explanation."""
    start = explained.find(_SECTION)
    if start < 0:
        raise _refused("Spark did not show its analysed plan")
    rest = explained[start + len(_SECTION) :]
    end = _NEXT_SECTION.search(rest)
    return rest[: end.start()] if end else rest


def _refused(why: str) -> InternalError:
    return InternalError(
        ErrorCode.PLAN_REFUSED,
        f"The query was refused before it ran: its plan is not what was authorised ({why}).",
        hint="Please report the statement.",
    )
