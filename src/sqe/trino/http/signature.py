"""Types as clients are told them: the text, and the tree that JDBC reads."""

from __future__ import annotations

from sqe.model.trino_types import TIME, TIME_TZ, TIMESTAMP, TIMESTAMP_TZ, TrinoType
from sqe.model.trino_words import print_name

PARAMETRIC_DATETIME = "PARAMETRIC_DATETIME"
DATETIMES = (TIMESTAMP, TIMESTAMP_TZ, TIME, TIME_TZ)
_UNBOUNDED = 2147483647


def wire_text(kind: TrinoType, parametric: bool) -> str:
    """The type of a result's column. Not what typeof() prints: ``decimal(3, 2)`` has a blank,
    intervals are in capitals, a row's fields are quoted where they must be. A client that does not
    know precisions of times is told of none."""
    if kind.base in DATETIMES and not parametric:
        return kind.base
    if kind.base.startswith("interval "):
        return kind.base.upper()
    if kind.base == "row":
        inside = [
            wire_text(field.type, parametric)
            if field.name is None
            else f"{print_name(field.name)} {wire_text(field.type, parametric)}"
            for field in kind.fields
        ]
        return f"row({', '.join(inside)})"
    if kind.types:
        return f"{kind.base}({', '.join(wire_text(inner, parametric) for inner in kind.types)})"
    if kind.base == "decimal":
        return f"decimal({kind.precision}, {kind.scale})"
    return str(kind)


def signature(kind: TrinoType, parametric: bool) -> dict[str, object]:
    """``typeSignature``."""
    return {"rawType": kind.base, "arguments": _arguments(kind, parametric)}


def _arguments(kind: TrinoType, parametric: bool) -> list[dict[str, object]]:
    if kind.base in DATETIMES and not parametric:
        return []
    if kind.base == "varchar" and kind.length is None:
        return [{"kind": "LONG", "value": _UNBOUNDED}]
    arguments: list[dict[str, object]] = [
        {"kind": "LONG", "value": number} for number in kind.numbers
    ]
    arguments += [{"kind": "TYPE", "value": signature(inner, parametric)} for inner in kind.types]
    for field in kind.fields:
        value: dict[str, object] = {} if field.name is None else {"fieldName": {"name": field.name}}
        value["typeSignature"] = signature(field.type, parametric)
        arguments.append({"kind": "NAMED_TYPE", "value": value})
    return arguments
