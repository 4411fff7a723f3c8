"""format(pattern, …): Java's Formatter, which Spark's format_string is too.

Values that Java prints in a way of their own are printed here and go through ``%s``. Patterns must
be constant; what a pattern can ask for beyond these conversions is refused.
"""

from __future__ import annotations

import re

from sqe.model.trino_types import INTEGERS, UNKNOWN, VARCHAR
from sqe.trino.dialect.calls import CallSite, special
from sqe.trino.dialect.casts import cast
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.typed import Typed, string

_PIECE = re.compile(r"%(?:(\d+)\$)?([-#+ 0,(<]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])|[^%]+|%", re.DOTALL)
_JAVA = {
    "varchar": "java.lang.String", "char": "java.lang.String", "json": "java.lang.String",
    "double": "java.lang.Double", "real": "java.lang.Float", "decimal": "java.math.BigDecimal",
    "boolean": "java.lang.Boolean", "date": "java.time.LocalDate",
    "timestamp": "java.time.LocalDateTime",
}  # fmt: skip
_PLAIN_SCALE = 6  # Java writes decimals of a larger scale with an exponent at times


@special("format")
def _format(site: CallSite) -> Typed:
    node = site.node
    if len(node.arguments) < 2:
        message = "The 'format' function must have at least two arguments"
        raise Refused("SYNTAX_ERROR", message, node.at)
    pattern, *values = (site.argument(i) for i in range(len(node.arguments)))
    if pattern.type.base != "varchar":
        message = (
            f"Type of first argument to format() must be VARCHAR (actual: {pattern.type.display})"
        )
        raise mismatch(message, node.arguments[0].at)
    if not isinstance(pattern.constant, str):
        raise not_supported("format: a pattern that is not constant", node.at)
    return Typed(VARCHAR, _Formatter(pattern.constant, values, node.at).write())


class _Formatter:
    """Turns one pattern into Spark's and the arguments it needs there."""

    def __init__(self, pattern: str, values: list[Typed], at: int) -> None:
        self._pattern, self._values, self._at = pattern, values, at
        self._next = 0
        self._arguments: list[str] = []

    def write(self) -> str:
        text = "".join(self._piece(match) for match in _PIECE.finditer(self._pattern))
        return f"format_string({', '.join([string(text), *self._arguments])})"

    def _piece(self, match: re.Match[str]) -> str:
        index, flags, width, precision, conversion = match.groups()
        if conversion is None:
            if match[0] == "%":
                raise self._invalid("UnknownFormatConversion: Conversion = '%'")
            return match[0]
        if match[0] == "%%":
            return "%%"
        if conversion == "n" and match[0] == "%n":
            return "\n"
        if conversion not in "sSdxXofeEb" or "<" in flags or "#" in flags:
            raise not_supported(f"format: {match[0]}", self._at)
        value = self._value(index, match[0])
        kind, sql = self._argument(value, conversion, flags, precision)
        self._arguments.append(sql)
        kept = f".{precision}" if precision is not None and kind in "sSfeE" else ""
        if kind == "s" and conversion in "fd":
            kept = ""
        return f"%{flags}{width or ''}{kept}{kind}"

    def _value(self, index: str | None, shown: str) -> Typed:
        place = self._next if index is None else int(index) - 1
        if index is None:
            self._next += 1
        if not 0 <= place < len(self._values):
            raise self._invalid(f"MissingFormatArgument: Format specifier '{shown}'")
        return self._values[place]

    def _argument(
        self, value: Typed, conversion: str, flags: str, precision: str | None
    ) -> tuple[str, str]:
        """The conversion that Spark shall use, and what it gets."""
        kind = value.type
        if kind == UNKNOWN:
            return ("s", "'false'") if conversion == "b" else ("s", "'null'")
        if conversion in "sSb":
            if set(flags) - {"-"}:
                raise self._invalid(f"FormatFlagsConversionMismatch: Conversion = {conversion}")
            return ("S" if conversion == "S" else "s"), self._text(value, conversion)
        if conversion in "dxXo" and kind in INTEGERS:
            if precision is not None:
                raise self._invalid(f"IllegalFormatPrecision: {precision}")
            return conversion, f"CAST({value.sql} AS BIGINT)"
        if conversion in "feE" and kind.base in ("double", "real"):
            return conversion, f"CAST({value.sql} AS DOUBLE)"
        if conversion == "f" and kind.base == "decimal":
            return "s", self._decimal(value, flags, precision)
        if kind.base == "decimal" and conversion in "eE":
            raise not_supported(f"format: %{conversion} of {kind}", self._at)
        java = _JAVA.get(kind.base, "java.lang.Long" if kind in INTEGERS else "")
        if not java:
            raise not_supported(f"format of {kind}", self._at)
        raise self._invalid(f"IllegalFormatConversion: {conversion} != {java}")

    def _decimal(self, value: Typed, flags: str, precision: str | None) -> str:
        places = int(precision) if precision is not None else 6
        whole = value.type.precision - value.type.scale
        if set(flags) - {"-"} or whole + 1 + places > 38:
            raise not_supported(f"format: %{flags}.{places}f of {value.type}", self._at)
        rounded = f"CAST({value.sql} AS DECIMAL({whole + 1 + places},{places}))"
        return f"coalesce(CAST({rounded} AS STRING), 'null')"

    def _text(self, value: Typed, conversion: str) -> str:
        kind = value.type
        if conversion == "b":
            if kind.base == "boolean":
                return f"coalesce(CAST({value.sql} AS STRING), 'false')"
            return f"IF({value.sql} IS NULL, 'false', 'true')"
        return f"coalesce({_print(value, self._at)}, 'null')"

    def _invalid(self, why: str) -> Refused:
        message = f"Invalid format string: {self._pattern} ({why})"
        return Refused("INVALID_FUNCTION_ARGUMENT", message)


def _print(value: Typed, at: int) -> str:
    """What Java's toString gives."""
    kind = value.type
    if kind.base in ("array", "map", "row", "varbinary"):
        message = f"Type not supported for formatting: {kind.display}"
        raise Refused("NOT_SUPPORTED", message, at)
    if kind in INTEGERS or kind.base in ("boolean", "date"):
        return f"CAST({value.sql} AS STRING)"
    if kind.base == "decimal" and kind.scale <= _PLAIN_SCALE:
        return f"CAST({value.sql} AS STRING)"
    if kind.base in ("varchar", "json", "uuid", "ipaddress"):
        return value.sql
    if kind.base == "char" or kind.base.startswith("interval"):
        return cast(value, VARCHAR, at).sql
    if kind.base == "timestamp":
        return _timestamp(value.sql)
    raise not_supported(f"format: %s of {kind}", at)


def _timestamp(sql: str) -> str:
    """Without the seconds if they are zero; with as many groups of three digits as it takes."""
    fraction = f"date_format({sql}, 'SSSSSS')"
    return (
        f"concat(date_format({sql}, 'yyyy-MM-dd\\'T\\'HH:mm'), CASE "
        f"WHEN date_format({sql}, 'ssSSSSSS') = '00000000' THEN '' "
        f"WHEN {fraction} = '000000' THEN date_format({sql}, ':ss') "
        f"WHEN {fraction} LIKE '%000' THEN date_format({sql}, ':ss.SSS') "
        f"ELSE date_format({sql}, ':ss.SSSSSS') END)"
    )


def _refuse_call(call: Bound) -> str:
    raise call.refuse("its calls are translated elsewhere")


declare("format", "(varchar, T, ...) -> varchar", _refuse_call, hidden=True)
