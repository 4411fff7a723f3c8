"""Interval literals: months, or milliseconds."""

from __future__ import annotations

import re

from sqe.trino.dialect import nodes
from sqe.trino.dialect.errors import Refused

_MILLISECONDS = {"day": 86_400_000, "hour": 3_600_000, "minute": 60_000, "second": 1_000}
_LARGEST = 2**31 - 1  # of each number
_UNITS = ("day", "hour", "minute", "second")


def interval_value(node: nodes.IntervalLiteral) -> int:
    months = node.start in ("year", "month")
    value = _months(node) if months else _milliseconds(node)
    return -value if node.negative else value


def _months(node: nodes.IntervalLiteral) -> int:
    if node.start == "year" and node.end == "month":
        match = re.fullmatch(r"([+-]?)(\d*)(?:-(\d+))?", node.value, re.ASCII)
        if match:
            value = _number(match[2], node) * 12 + _number(match[3], node)
            return _in_range(-value if match[1] == "-" else value, node)
    elif node.end in (None, node.start):
        match = re.fullmatch(r"([+-]?)(\d*)", node.value, re.ASCII)
        if match:
            value = _number(match[2], node) * (12 if node.start == "year" else 1)
            return _in_range(-value if match[1] == "-" else value, node)
    raise _invalid(node)


def _number(digits: str | None, node: nodes.IntervalLiteral) -> int:
    return _in_range(int(digits or 0), node)


def _in_range(value: int, node: nodes.IntervalLiteral) -> int:
    if abs(value) > _LARGEST:
        raise _invalid(node)
    return value


def _milliseconds(node: nodes.IntervalLiteral) -> int:
    start, end = _UNITS.index(node.start), _UNITS.index(node.end or node.start)
    separators = {1: " ", 2: ":", 3: ":"}
    pattern = r"([+-]?)(\d*)"
    for unit in range(start + 1, end + 1):
        pattern += rf"(?:{separators[unit]}(\d+)"
    if end == 3:
        pattern += r"(?:\.(\d*))?"
    pattern += ")?" * (end - start)
    match = re.fullmatch(pattern, node.value, re.ASCII)
    if match is None or start > end:
        raise _invalid(node)
    groups = match.groups()[1:]
    total = sum(
        _number(groups[i], node) * _MILLISECONDS[_UNITS[start + i]] for i in range(end - start + 1)
    )
    if end == 3 and groups[-1]:
        total += int(groups[-1][:3].ljust(3, "0"))
    return -total if match[1] == "-" else total


def _invalid(node: nodes.IntervalLiteral) -> Refused:
    unit = node.start.upper() + (f" TO {node.end.upper()}" if node.end else "")
    return Refused("INVALID_LITERAL", f"Invalid INTERVAL {unit} value: {node.value}", node.at)
