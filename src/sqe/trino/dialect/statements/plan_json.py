"""Plans as JSON of Trino's shape and as graphs, from what the translation knows of a statement.

They hold names of tables and the columns of the answer: how an engine would go about it, with the
filters and masks that policies add, is not part of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from sqe.model.trino_types import BIGINT
from sqe.trino.dialect.statements.names import Target
from sqe.trino.dialect.translated import OutputColumn

_ROWS = (OutputColumn("rows", BIGINT),)  # what a change answers
_ENGINE = "The plan of the engine is told by EXPLAIN (FORMAT TEXT)"


def _unknown_estimates(memory: str) -> dict[str, str]:
    """Rows, bytes and costs are not estimated; Trino says so in the same way."""
    names = ("outputRowCount", "outputSizeInBytes", "cpuCost", memory, "networkCost")
    return dict.fromkeys(names, "NaN")


def io_plan(tables: Sequence[Target], written: Target | None) -> str:
    estimate = _unknown_estimates("maxMemory")
    constraint = {"none": False, "columnConstraints": []}
    document: dict[str, Any] = {
        "inputTableColumnInfos": [
            {"table": _table(table), "constraint": constraint, "estimate": estimate}
            for table in tables
        ]
    }
    if written is not None:
        document["outputTable"] = _table(written)
    return _json({**document, "estimate": estimate})


def logical_plan(
    tables: Sequence[Target], written: Target | None, columns: Sequence[OutputColumn]
) -> str:
    return _json(_root(tables, written, columns))


def plan_of_fragment(
    tables: Sequence[Target], written: Target | None, columns: Sequence[OutputColumn]
) -> str:
    """One fragment: how an engine spreads its work is its own affair."""
    return _json({"0": _root(tables, written, columns)})


def graph(
    kind: str, tables: Sequence[Target], written: Target | None, columns: Sequence[OutputColumn]
) -> str:
    """The same plan in the words of Graphviz, as Trino draws one."""
    boxes, arrows = [], []
    waiting = [_root(tables, written, columns)]
    while waiting:
        node = waiting.pop(0)
        number = f"plannode_{int(node['id']) + 1}"
        told = ", ".join(node["descriptor"].values()).strip("[]")
        label = re.sub(r'[{}|<>"\\\\]', lambda found: f"\\{found[0]}", f"{node['name']}[{told}]")
        boxes.append(f'{number}[label="{{{label}}}", style="rounded, filled", shape=record];')
        for below in node["children"]:
            arrows.append(f"{number} -> plannode_{int(below['id']) + 1};")
            waiting.append(below)
    name = "logical_plan" if kind == "LOGICAL" else "distributed_plan"
    cluster = ["subgraph cluster_0 {", 'label = "SINGLE"', *boxes, "}"]
    return "\n".join([f"digraph {name} {{", *cluster, *arrows, "}", ""])


def _root(
    tables: Sequence[Target], written: Target | None, columns: Sequence[OutputColumn]
) -> dict[str, Any]:
    """Output, what is written if anything is, the engine, and the tables that it scans."""
    shown = columns if written is None else _ROWS
    names = ", ".join(column.name for column in shown)
    above = [("Output", {"columnNames": f"[{names}]"})]
    if written is not None:
        above.append(("TableCommit", {"target": _handle(written)}))
    first = len(above) + 1
    scans = [
        _node(first + i, "TableScan", {"table": _handle(table)}) for i, table in enumerate(tables)
    ]
    node = _node(len(above), "Engine", {}, () if written else shown, [_ENGINE], scans)
    for number, (name, descriptor) in reversed(list(enumerate(above))):
        node = _node(number, name, descriptor, shown, (), [node])
    return node


def _node(  # noqa: PLR0913  they are the fields of Trino's document
    number: int,
    name: str,
    descriptor: dict[str, str],
    outputs: Sequence[OutputColumn] = (),
    details: Sequence[str] = (),
    below: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    return {
        "id": str(number),
        "name": name,
        "descriptor": descriptor,
        "outputs": [{"type": str(output.type), "name": output.name} for output in outputs],
        "details": list(details),
        "estimates": [_unknown_estimates("memoryCost")],
        "children": list(below),
    }


def _handle(target: Target) -> str:
    return f"{target.catalog}:{target.schema}.{target.name}"


def _table(target: Target) -> dict[str, Any]:
    schema_table = {"schema": target.schema, "table": target.name}
    return {"catalog": target.catalog, "schemaTable": schema_table}


def _json(value: dict[str, Any]) -> str:
    """With blanks on both sides of colons, as Trino's."""
    return json.dumps(value, indent=2, separators=(",", " : "), ensure_ascii=False)
