"""DuckDB's plans as text for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from sqe.engines.local.scan import PlannedScan
from sqe.model.query import Profile

# Operators' details that say what was done, in DuckDB's words and ours.
_DETAILS = {
    "Table": "table",
    "Function": "",
    "Filters": "filter",
    "Expression": "where",
    "Conditions": "on",
    "Join Type": "join",
    "Groups": "by",
    "Aggregates": "",
    "Order By": "by",
    "Total Files Read": "files",
}


def explain_text(rows: Sequence[tuple[str, str]], scans: Sequence[PlannedScan]) -> str:
    """EXPLAIN: what will be read, then DuckDB's plan."""
    return "\n".join([*_reads(scans), *(plan.rstrip("\n") for _, plan in rows)])


def analyze_text(rows: Sequence[tuple[str, str]], scans: Sequence[PlannedScan]) -> str:
    """EXPLAIN ANALYZE: the operators with their real rows and times."""
    profile = json.loads(rows[0][1])
    operators = profile.get("children") or []
    while operators and operators[0].get("operator_type") in ("EXPLAIN_ANALYZE", None):
        operators = operators[0].get("children") or []
    returned = sum(int(operator.get("operator_cardinality", 0)) for operator in operators[:1])
    lines = [f"{returned:,} rows returned in {_ms(profile.get('latency', 0.0))}"]
    for operator in operators:
        lines += _lines(operator, 0)
    return "\n".join([*lines, *_reads(scans)])


def profile_of(rows: Sequence[tuple[str, str]], scans: Sequence[PlannedScan]) -> Profile:
    """Of EXPLAIN as JSON: what was planned, with the rows that DuckDB had expected."""
    operators = json.loads(rows[0][1])
    plan = [line for one in operators for line in _lines_of_plan(one, 0, details=True)]
    names = [line for one in operators for line in _lines_of_plan(one, 0, details=False)]
    return Profile("\n".join([*plan, *_reads(scans)]), "\n".join([*names, *_reads(scans)]))


def _lines_of_plan(node: dict[str, Any], depth: int, *, details: bool) -> Iterator[str]:
    expected = _text((node.get("extra_info") or {}).get("Estimated Cardinality"))
    told = [f"expected rows {int(expected):,}"] if expected.isdecimal() else []
    told += _details(node) if details else []
    name = str(node.get("name", "")).strip()
    yield f"{'  ' * depth}- {name}" + (f"  ({', '.join(told)})" if told else "")
    for child in node.get("children") or []:
        yield from _lines_of_plan(child, depth + 1, details=details)


def _lines(node: dict[str, Any], depth: int) -> Iterator[str]:
    name = str(node.get("operator_name") or node.get("operator_type") or "").strip()
    figures = [f"rows {int(node.get('operator_cardinality', 0)):,}"]
    figures.append(f"time {_ms(node.get('operator_timing', 0.0))}")
    yield f"{'  ' * depth}- {name}  ({', '.join([*figures, *_details(node)])})"
    for child in node.get("children") or []:
        yield from _lines(child, depth + 1)


def _details(node: dict[str, Any]) -> list[str]:
    return [
        f"{words} {value}".strip()
        for key, words in _DETAILS.items()
        if (value := _text((node.get("extra_info") or {}).get(key)))
    ]


def _reads(scans: Sequence[PlannedScan]) -> Iterator[str]:
    for scan in scans:
        deletes = f", {scan.delete_files:,} delete files" if scan.delete_files else ""
        yield (
            f"{scan.relation} is {scan.table}: {len(scan.files):,} files,"
            f" {scan.bytes:,} bytes{deletes}"
        )


def _text(value: object) -> str:
    if isinstance(value, list):
        return " and ".join(str(part) for part in value)
    return str(value) if value else ""


def _ms(seconds: float) -> str:
    return f"{float(seconds) * 1000:,.1f} ms"
