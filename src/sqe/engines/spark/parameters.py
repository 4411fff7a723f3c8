"""Values of markers, for Spark: arguments beside the text, a literal for each marker in it.

Markers are named, because Spark 4.1 mixes up more than four positional ones. It writes a literal's
SQL in the place of its marker and reads the result: so a marker gets blanks around it (of ``a -?``
and -1 Spark would make a comment), and what that spelling of a literal does not keep is said by the
text around the marker, as in ``CAST(:sqe_1 AS DECIMAL(10,2))``.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqe.model.literals import ddl_of
from sqe.model.query import Parameter
from sqe.model.types import Array, Map, Plain, Struct, Type, parse_type
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.splice import Edit

_EPOCH = datetime.datetime(1970, 1, 1)
_MICROSECOND = datetime.timedelta(microseconds=1)
_UTC = ("UTC", "Etc/UTC")


def marker_edits(
    guarded: GuardedStatement, time_zone: str, edits: Iterable[Edit] = ()
) -> tuple[list[Edit], dict[str, Any]]:
    """What is written for each marker, and the arguments for the names in it. A marker inside one
    of ``edits``, which replace a part of the statement, is gone with it."""
    gone = [edit.span for edit in edits]
    writer = _Writer(time_zone)
    edits_there: list[Edit] = []
    # Of many rows of values none is written into the text.
    markers = guarded.bound.statement.markers if guarded.rows is None else ()
    for span, parameter in zip(markers, guarded.parameters, strict=True):
        if not any(marker.start <= span.start < marker.end for marker in gone):
            edits_there.append(Edit(span, f" {writer.parameter(parameter).strip()} "))
    return edits_there, writer.arguments


class _Writer:
    """Values as text with named markers, and the arguments for them."""

    def __init__(self, time_zone: str) -> None:
        self._zone = time_zone
        self.arguments: dict[str, Any] = {}

    def parameter(self, parameter: Parameter) -> str:
        kind = parse_type(parameter.type)
        text = self._value(kind, parameter.value)
        if isinstance(kind, Plain) and parameter.value is not None:
            return text
        return text if kind == Plain("void") else f"CAST({text} AS {ddl_of(kind)})"

    def _value(self, kind: Type, value: Any) -> str:
        if value is None:
            return "NULL"
        if isinstance(kind, Array):
            return f"array({self._write_list([(kind.element, element) for element in value])})"
        if isinstance(kind, Map):
            parts = [part for k, v in value for part in ((kind.key, k), (kind.value, v))]
            return f"map({self._write_list(parts)})"
        if isinstance(kind, Struct):
            types = [member.type for member in kind.members]
            return f"struct({self._write_list(list(zip(types, value, strict=True)))})"
        return self._write_plain(kind, value)

    def _write_list(self, values: Sequence[tuple[Type, Any]]) -> str:
        return ", ".join(self._value(kind, value) for kind, value in values)

    def _write_plain(self, kind: Plain, value: Any) -> str:
        if kind.name == "decimal":
            digits = {"value": f"{value:f}", "precision": kind.precision, "scale": kind.scale}
            return f"CAST({self._marker(decimal=digits)} AS {ddl_of(kind)})"
        if kind.name == "timestamp" and self._zone not in _UTC:
            # As text in a zone whose clocks are set back, a moment may be one of two.
            return f"timestamp_micros({self._marker(long=_micros(value))})"
        field, convert = _LITERALS[kind.name]
        return self._marker(**{field: convert(value)})

    def _marker(self, **value: Any) -> str:
        from pyspark.sql.connect.proto import Expression

        name = f"sqe_{len(self.arguments) + 1}"
        self.arguments[name] = Expression.Literal(**value)
        return f" :{name} "


def _micros(moment: datetime.datetime) -> int:
    return (moment.replace(tzinfo=None) - _EPOCH) // _MICROSECOND


def _keep_value(value: Any) -> Any:
    return value


_LITERALS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "boolean": ("boolean", _keep_value),
    "tinyint": ("byte", _keep_value),
    "smallint": ("short", _keep_value),
    "int": ("integer", _keep_value),
    "bigint": ("long", _keep_value),
    "float": ("float", _keep_value),
    "double": ("double", _keep_value),
    "string": ("string", _keep_value),
    "binary": ("binary", _keep_value),
    "date": ("date", lambda day: (day - _EPOCH.date()).days),
    "timestamp": ("timestamp", _micros),
    "timestamp_ntz": ("timestamp_ntz", _micros),
    "interval day to second": ("day_time_interval", lambda span: span // _MICROSECOND),
}
