"""Lock 5: the analysed plan must be of the expected kind and scan exactly this query's handles.

Spark shows its plan as text. Literals in it can hold anything, even lines that look like a plan:
every test here is such that added text can only refuse a query, never let one through.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sqe.broker.handles import CATALOG
from sqe.errors import ErrorCode, InternalError
from sqe.sql.functions import DENIED

_BEGIN = "== Analyzed Logical Plan =="
_END = "\n== Optimized Logical Plan =="
# A node stands behind the tree's branches: "   :  +- Project [a#1]".
_NODE = re.compile(r"^[ :|]*(?:[+:]- )?(?P<name>[A-Za-z]\w*)")
_HANDLE = re.compile(rf"\b{CATALOG}\.(?P<namespace>q_[0-9a-f]{{32}}_\d+)\b")
# IDENTIFIER() is gone from an analysed plan; what it named is seen as a relation.
_NAMES = "|".join(sorted(DENIED.keys() - {"identifier"}))
_FUNCTION = re.compile(rf"\b(?P<name>{_NAMES})\(", re.IGNORECASE)

# Leaves and operators that reach outside of the query's handles, whatever the statement.
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
        "InsertIntoDir",
        "CacheTable",
        "CacheTableAsSelect",
    }
)
_RELATIONS = ("RelationV2", "DataSourceV2Relation")
_ALIAS = re.compile(r"SubqueryAlias (?P<name>\w+)\s*\Z")
# Leaves that are files by their path.
_FILES = ("Relation", "LogicalRelation")
# What changes something. Only a statement that is meant to may have one of these.
_CHANGING = frozenset(
    {
        "AppendData",
        "OverwriteByExpression",
        "OverwritePartitionsDynamic",
        "ReplaceData",
        "WriteDelta",
        "MergeIntoTable",
        "UpdateTable",
        "DeleteFromTable",
        "CreateTable",
        "CreateTableAsSelect",
        "ReplaceTable",
        "ReplaceTableAsSelect",
        "TruncateTable",
        "DropTable",
        "InsertIntoStatement",
        "CreateOrReplaceBranch",
        "CreateOrReplaceTag",
        "DropBranch",
        "DropTag",
        "CommandResult",
    }
)


@dataclass(frozen=True, slots=True)
class Only:
    """What no other statement may: call a procedure, read a view of files; this one by name.
    ``below``: for each handle that is read in part only, the guards that it may stand below."""

    procedure: str = ""
    files: str = ""
    below: Mapping[str, Collection[str]] = field(default_factory=dict)


def check_plan(
    explained: str,
    granted: Collection[str],
    *,
    must_scan: Collection[str],
    changes: bool,
    only: Only | None = None,
) -> None:
    """``granted`` are the handles this query has, ``must_scan`` those its plan has to name.

    ``changes`` says whether the statement may change anything.
    """
    only = only or Only()
    plan = extract_analysed_plan(explained)
    named = {match.group("namespace") for match in _HANDLE.finditer(plan)}
    if named - set(granted):
        raise _refusal("it names a handle that was not granted to this query")
    if set(must_scan) - named:
        raise _refusal("it does not read a table that the statement names")
    function = _FUNCTION.search(plan)
    if function:
        raise _refusal(f"it calls {function.group('name').lower()}")
    for line in plan.splitlines():
        node = _NODE.match(line)
        if node is not None:
            _check_node(node.group("name"), line, changes, bool(only.files))
            if node.group("name") == "Call" and not _calls(line, only.procedure):
                raise _refusal("it calls another procedure")
    if only.files and not _reads_only(plan, only.files):
        raise _refusal("it reads other files")
    _check_guards(plan, only.below)


def _check_guards(plan: str, guarded: Mapping[str, Collection[str]]) -> None:
    """A literal can fake lines, but not the name of a guard; and a line that is none of the plan's
    can only end what seems to be below a guard."""
    above: list[tuple[int, str]] = []  # how far in a node stands, and the guard it is
    for line in plan.splitlines():
        node = _NODE.match(line)
        if node is None:
            continue
        depth = node.start("name")
        while above and above[-1][0] >= depth:
            above.pop()
        for handle in _HANDLE.finditer(line):
            allowed = guarded.get(handle.group("namespace"))
            if allowed is None or node.group("name") not in _RELATIONS:
                continue
            if not any(name in allowed for _, name in above):
                raise _refusal("it reads a table in full that may be read in part only")
        alias = _ALIAS.match(line[depth:])
        above.append((depth, alias.group("name") if alias is not None else ""))


def _check_node(name: str, line: str, changes: bool, files: bool) -> None:
    if name in _FORBIDDEN or name.endswith("Command"):
        raise _refusal(f"it contains {name}")
    if name in _CHANGING and not changes:
        raise _refusal(f"a query may not contain {name}")
    if name in _RELATIONS and not _HANDLE.search(line):
        raise _refusal("it reads a relation that is not a handle")
    if name in _FILES and not files:
        raise _refusal("it reads files directly")


def _reads_only(plan: str, view: str) -> bool:
    """One relation of files, and it is the one that SQE has given this name."""
    names = [node.group("name") for node in map(_NODE.match, plan.splitlines()) if node is not None]
    return sum(name in _FILES for name in names) == 1 and f"SubqueryAlias {view}\n" in plan


def _calls(line: str, procedure: str) -> bool:
    return bool(procedure) and f"Call {CATALOG}.system.{procedure}(" in line


def extract_analysed_plan(explained: str) -> str:
    """The analysed plan out of Spark's extended explanation: from the first of the possible
    beginnings to the last of the possible ends, so that a faked heading hides nothing."""
    begin = explained.find(_BEGIN)
    end = explained.rfind(_END)
    if begin < 0 or end < begin:
        raise _refusal("Spark did not show its analysed plan")
    return explained[begin + len(_BEGIN) : end]


def _refusal(why: str) -> InternalError:
    return InternalError(
        ErrorCode.PLAN_REFUSED,
        f"The query was refused before it ran: its plan is not what was authorised ({why}).",
        hint="Please report the statement.",
    )
