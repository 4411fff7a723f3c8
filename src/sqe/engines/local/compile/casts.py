"""CAST: only where every value is known to come out as Spark's, or to fail as it does there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from sqe.engines.local.compile import decimal_digits, from_text
from sqe.engines.local.compile.arithmetic import fail, give_up
from sqe.engines.local.compile.compiling import Compiling, in_utc
from sqe.engines.local.compile.literals import (
    date_literal,
    decimal_literal,
    double_literal,
    float_literal,
    is_typed_literal,
    iso_date,
    midnight,
    moment_literal,
)
from sqe.engines.local.compile.value import Value, format_name, make_value, opaque
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.scan_types import identifier
from sqe.engines.local.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VOID,
    SparkType,
    array_of,
    common_type,
    decimal_of,
    map_of,
    struct_of,
)
from sqe.model.names import quote_text
from sqe.sql.dialect import CALL

_TYPES = {
    exp.DataType.Type.TINYINT: TINYINT,
    exp.DataType.Type.SMALLINT: SMALLINT,
    exp.DataType.Type.INT: INT,
    exp.DataType.Type.BIGINT: BIGINT,
    exp.DataType.Type.FLOAT: FLOAT,
    exp.DataType.Type.DOUBLE: DOUBLE,
    exp.DataType.Type.TEXT: STRING,
    exp.DataType.Type.BINARY: BINARY,
    exp.DataType.Type.DATE: DATE,
    exp.DataType.Type.BOOLEAN: BOOLEAN,
    exp.DataType.Type.TIMESTAMPTZ: TIMESTAMP,
    exp.DataType.Type.TIMESTAMPNTZ: TIMESTAMP_NTZ,
}
_LOOSE = (exp.Predicate, exp.Binary, exp.Unary)  # what :: does not reach over in Spark
_BITS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}


_FAR = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}  # as Spark and DuckDB write them
_FLOAT_EXACT = 2**24
_LONG_DIGITS = 18  # what Spark keeps in a long


@dataclass(frozen=True)
class Cast:
    """A kind of cast. ``safe``: no value fails, so that try_cast is the same."""

    source: str
    target: str
    write: Callable[[Value, SparkType], str]
    safe: bool = True
    utc: bool = False  # only where the session's time zone is UTC


def _cast_plain(value: Value, wanted: SparkType) -> str:
    return f"CAST({value.sql} AS {wanted.duckdb})"


def _exact_float(value: Value, wanted: SparkType) -> str:
    """Where such a float becomes a double, Spark's optimizer leaves the float out, and its digits
    are not lost after all."""
    plain = _cast_plain(value, wanted)
    if value.type not in (INT, BIGINT):
        return plain
    number = value.known_value
    if isinstance(number, int) and abs(number) <= _FLOAT_EXACT:
        return plain
    other = give_up("a whole number that a float does not hold", wanted)
    exact = f"{value.sql} BETWEEN -{_FLOAT_EXACT} AND {_FLOAT_EXACT}"
    return f"CASE WHEN {value.sql} IS NULL OR {exact} THEN {plain} ELSE {other} END"


def _bytes(value: Value, wanted: SparkType) -> str:
    return f"encode({value.sql})"


def _narrow(value: Value, wanted: SparkType) -> str:
    """DuckDB raises where a number is too large for a float; Spark's is infinite."""
    far = give_up("a double beyond all floats", wanted)
    large = f"abs({value.sql}) > 3.4e38 AND NOT isinf({value.sql}) AND NOT isnan({value.sql})"
    return f"CASE WHEN {large} THEN {far} ELSE {_cast_plain(value, wanted)} END"


def _double_text(value: Value, wanted: SparkType) -> str:
    """Plain numbers of so many digits that Java finds the shortest."""
    text = f"CAST({value.sql} AS VARCHAR)"
    digits = f"length(ltrim(replace({text}, '.', ''), '-0')) <= 15"
    plain = f"abs({value.sql}) >= 1e-3 AND abs({value.sql}) < 1e7 AND {digits}"
    other = give_up("a double with many digits as text", STRING)
    return (
        f"CASE WHEN isnan({value.sql}) THEN 'NaN' WHEN {value.sql} = 0 OR ({plain}) THEN {text} "
        f"WHEN isinf({value.sql}) THEN CASE WHEN {value.sql} > 0 THEN 'Infinity' "
        f"ELSE '-Infinity' END WHEN {value.sql} IS NOT NULL THEN {other} END"
    )


def _cast_truncating(value: Value, wanted: SparkType) -> str:
    if value.type.precision > _LONG_DIGITS and value.type.scale and wanted != BIGINT:
        # Spark takes the nearest double of a decimal so long, so 0.99999999999999999999 is 1.
        return f"CAST(trunc({value.cast(DOUBLE)}) AS {wanted.duckdb})"
    return f"CAST(trunc({value.sql}) AS {wanted.duckdb})"


def _cast_to_integer(value: Value, wanted: SparkType) -> str:
    """Towards zero; what does not fit fails. Spark takes 2^63 itself for the largest bigint."""
    bits = _BITS[wanted.name]
    number = f"trunc({value.cast(DOUBLE)})"
    high, low = f"{float(2**bits):.1f}::DOUBLE", f"{float(-(2**bits)):.1f}::DOUBLE"
    error = fail("NUMERIC_OUT_OF_RANGE", f"The value is out of range for {wanted}.", wanted)
    edge = f"WHEN {number} = {high} THEN {2**63 - 1} " if wanted == BIGINT else ""
    return (
        f"CASE WHEN {value.sql} IS NULL THEN NULL {edge}"
        f"WHEN isnan({value.sql}) OR {number} >= {high} OR {number} < {low} THEN {error} "
        f"ELSE CAST({number} AS {wanted.duckdb}) END"
    )


def _not_zero(value: Value, wanted: SparkType) -> str:
    return f"({value.sql} <> 0)"


def _date_text(value: Value, wanted: SparkType) -> str:
    """Beyond four digits the engines write years differently."""
    odd = f"{value.sql} < DATE '0001-01-01' OR {value.sql} > DATE '9999-12-31'"
    return (
        f"CASE WHEN {odd} THEN {give_up('a date far away as text', STRING)} "
        f"ELSE CAST({value.sql} AS VARCHAR) END"
    )


def _decimal_text(value: Value, wanted: SparkType) -> str:
    """DuckDB leaves out a zero before the point where the type has no place for one."""
    text = f"CAST({value.sql} AS VARCHAR)"
    if value.type.precision > value.type.scale:
        return text
    return f"regexp_replace({text}, '^(-?)\\.', '\\1' || '0.')"


def _nearest(value: Value, wanted: SparkType) -> str:
    return value.cast(wanted)


def _moment_text(value: Value, wanted: SparkType) -> str:
    plain = f"CAST({value.sql} AS TIMESTAMP)"
    odd = f"{plain} < TIMESTAMP '0001-01-01' OR {plain} >= TIMESTAMP '10000-01-01'"
    return (
        f"CASE WHEN {odd} THEN {give_up('a moment far away as text', STRING)} "
        f"ELSE CAST({plain} AS VARCHAR) END"
    )


def _day(value: Value, wanted: SparkType) -> str:
    return f"CAST(CAST({value.sql} AS TIMESTAMP) AS DATE)"


def _midnight(value: Value, wanted: SparkType) -> str:
    return midnight(value.sql, wanted)


# What is cast to what. The names are kinds: integer, decimal, or a type's own name.
CASTS: tuple[Cast, ...] = (
    Cast("integer", "integer", _cast_plain, safe=False),
    Cast("integer", "decimal", _cast_plain, safe=False),
    Cast("integer", "float", _exact_float),
    Cast("integer", "double", _cast_plain),
    Cast("integer", "string", _cast_plain),
    Cast("integer", "boolean", _not_zero),
    Cast("decimal", "decimal", _cast_plain, safe=False),
    Cast("decimal", "integer", _cast_truncating, safe=False),
    Cast("decimal", "double", _nearest),
    Cast("decimal", "float", _nearest),
    Cast("decimal", "string", _decimal_text),
    Cast("decimal", "boolean", _not_zero),
    Cast("float", "double", _cast_plain),
    Cast("float", "integer", _cast_to_integer, safe=False),
    Cast("double", "float", _narrow),
    Cast("double", "string", _double_text),
    Cast("double", "integer", _cast_to_integer, safe=False),
    Cast("double", "boolean", _not_zero),
    Cast("boolean", "string", _cast_plain),
    Cast("boolean", "integer", _cast_plain),
    Cast("date", "string", _date_text),
    Cast("date", "timestamp", _midnight, utc=True),
    Cast("date", "timestamp_ntz", _midnight),
    Cast("timestamp", "date", _day, utc=True),
    Cast("timestamp", "timestamp_ntz", _cast_plain, utc=True),
    Cast("timestamp_ntz", "date", _day),
    Cast("timestamp_ntz", "timestamp", _cast_plain, utc=True),
    Cast("timestamp", "string", _moment_text, utc=True),
    Cast("timestamp_ntz", "string", _moment_text),
    Cast("string", "binary", _bytes),
    Cast("string", "integer", from_text.cast_to_integer),
    Cast("string", "decimal", from_text.fraction),
    Cast("string", "double", from_text.double),
    Cast("string", "float", from_text.double),
    Cast("string", "boolean", from_text.boolean),
    Cast("string", "date", from_text.date),
    Cast("string", "timestamp", from_text.moment, utc=True),
    Cast("string", "timestamp_ntz", from_text.moment),
)
_BY_KINDS = {(cast.source, cast.target): cast for cast in CASTS}


def _kind(kind: SparkType) -> str:
    return "integer" if kind.is_integral else kind.name


def cast(here: Compiling, node: exp.Cast) -> Value:
    wanted = type_of_cast(node.args["to"])
    if node.args.get("format"):
        raise NotLocal("a cast with a format is Spark's")
    if is_typed_literal(here, node):
        return compile_typed_literal(here, node.this, wanted)
    if CALL not in node.meta and isinstance(node.this, _LOOSE) and not _is_closed(node.this):
        raise NotLocal(":: behind anything but a value is Spark's")
    return _without_text(here, node, wanted) or _cast(here, node, wanted)


def _cast(here: Compiling, node: exp.Cast, wanted: SparkType) -> Value:
    tried = bool(node.args.get("safe"))
    value = here.value(node.this)
    if isinstance(node.this, exp.Anonymous) and node.this.name.lower() == "raise_error":
        # It is never a text to be read: it fails before there is one.
        return make_value(f"CAST({value.sql} AS {wanted.duckdb})", wanted, "", value, nullable=True)
    if (
        value.type == STRING
        and wanted not in (STRING, BINARY)
        and node.this.find(exp.Column) is None
    ):
        _check_constant(here, value, wanted)
    sql = cast_sql(here, value, wanted, tried=tried)
    word = "TRY_CAST" if tried else "CAST"
    name = format_name(f"{word}({{}} AS {str(wanted).upper()})", value)
    if isinstance(node.this, exp.Literal) and _is_function(here, node):
        name = ""  # int('1') and its like
    if wanted.parts:  # these casts Spark does not show
        name = value.name
    literal: object = None
    if wanted.is_integral and value.type.is_integral and isinstance(value.literal, int):
        limit = 2 ** _BITS[wanted.name]
        literal = value.literal if -limit <= value.literal < limit else None
    if wanted == DATE:
        literal = iso_date(value.literal)
    nullable = value.nullable or tried or _may_fail(value.type, wanted)
    result = make_value(sql, wanted, name, value, nullable=nullable)
    if wanted.is_float and value.type.is_float:  # compared with it, Spark compares the column
        result = replace(result, origins=value.origins)
    return result if literal is None or tried else replace(result, literal=literal)


def _without_text(here: Compiling, node: exp.Cast, wanted: SparkType) -> Value | None:
    """Casts of texts that stand for numbers, as what they mean."""
    if node.args.get("safe"):
        return None
    if wanted.is_decimal:
        return decimal_digits.compile_cast(here, node.this, wanted)
    if wanted.is_float and isinstance(node.this, exp.Literal) and node.this.is_string:
        number, kind = _FAR.get(str(node.this.this)), wanted.duckdb
        name = "" if _is_function(here, node) else f"CAST({node.this.this} AS {kind})"
        return Value(f"'{number}'::{kind}", wanted, name, True, float(number)) if number else None
    return None


def _is_closed(node: exp.Expr) -> bool:
    return isinstance(node, exp.Paren) or CALL in node.meta


def _check_constant(here: Compiling, value: Value, wanted: SparkType) -> None:
    """Spark reads constants before it reads rows: a bad one fails even if there are none."""
    text = value.known_value
    if not isinstance(text, str):
        raise NotLocal("a cast of a computed constant is Spark's")
    if wanted in (TIMESTAMP, TIMESTAMP_NTZ):
        moment_literal(here, text, wanted)
    elif wanted == DATE and iso_date(text) is None:
        raise NotLocal("this text as a date is Spark's")
    elif wanted.is_numeric and not re.fullmatch(r"[+-]?[0-9]{1,2}(\.[0-9]{1,2})?", text):
        raise NotLocal(f"this text as {wanted} is Spark's")


def _may_fail(given: SparkType, wanted: SparkType) -> bool:
    """Where Spark calls the result nullable, though it raises instead."""
    if given == STRING:
        return wanted not in (STRING, BINARY)
    if wanted.is_integral:
        return given.is_decimal or given.is_float
    if wanted.is_decimal and given.is_numeric and not given.is_float:
        given = decimal_of(given)
        whole = given.precision - given.scale
        return wanted.precision - wanted.scale < whole or wanted.scale < given.scale
    return wanted.is_decimal


def _is_function(here: Compiling, node: exp.Cast) -> bool:
    """int(x) instead of CAST(x AS INT): Spark folds it over a literal before it names it."""
    start = node.meta.get(CALL)
    return start is not None and "cast" not in here.text[start : start + 8].lower()


def compile_typed_literal(here: Compiling, node: exp.Literal, wanted: SparkType) -> Value:
    text = str(node.this)
    day = iso_date(text)
    if wanted == DATE and day is not None:
        return date_literal(day)
    if wanted in (TIMESTAMP, TIMESTAMP_NTZ):
        return moment_literal(here, text, wanted)
    if node.is_string and "end" in node.meta:  # INT '1'; only 1BD has no place in the text
        raise NotLocal(f"the literal {text!r} of type {wanted} is Spark's")
    if wanted == DOUBLE:
        return double_literal(text)
    if wanted == FLOAT:
        return float_literal(text)
    if wanted.is_decimal and "e" not in text.lower():
        return decimal_literal(text)
    if wanted.is_integral and text.isdigit() and int(text) <= 2 ** _BITS[wanted.name]:
        number = int(text)  # the largest but one only behind a minus
        sql = f"CAST({number} AS {wanted.duckdb})"
        return Value(sql, wanted, text, False, number, bare=wanted != TINYINT)
    raise NotLocal(f"the literal {text!r} of type {wanted} is Spark's")


def type_of_cast(node: exp.DataType) -> SparkType:
    if node.this == exp.DataType.Type.DECIMAL:
        sizes = [int(str(size.this)) for size in node.expressions] or [10, 0]
        return SparkType("decimal", sizes[0], sizes[1] if len(sizes) > 1 else 0)
    if node.this == exp.DataType.Type.ARRAY and len(node.expressions) == 1:
        return array_of(type_of_cast(node.expressions[0]))
    if node.this == exp.DataType.Type.STRUCT and all(map(_is_field, node.expressions)):
        names = [part.this.name for part in node.expressions]
        return struct_of(names, [type_of_cast(part.args["kind"]) for part in node.expressions])
    if node.this == exp.DataType.Type.MAP and len(node.expressions) == 2:
        return map_of(*map(type_of_cast, node.expressions))
    kind = _TYPES.get(node.this)
    if kind is None or node.expressions:
        raise NotLocal(f"a cast to {node.sql(dialect='spark')} is Spark's")
    return kind


def _is_field(node: exp.Expr) -> bool:
    return isinstance(node, exp.ColumnDef) and not node.args.get("constraints")


def _cast_inside(here: Compiling, value: Value, wanted: SparkType, depth: int = 0) -> str:
    """Each part by itself: an array's elements, a struct's fields in their order."""
    given = value.type
    if not wanted.parts or not given.parts:
        return cast_sql(here, value, wanted)
    if given.holds(lambda kind: kind == VOID) and common_type(given, wanted) == wanted:
        return value.cast(wanted)
    if (given.name, wanted.name) == ("array", "array"):
        item = Value(f"item_{depth}", given.element, "")
        inner = _cast_inside(here, item, wanted.element, depth + 1)
        inner = f"CAST({inner} AS {wanted.element.duckdb})"
        return f"list_transform({value.sql}, lambda {item.sql}: {inner})"
    if (given.name, wanted.name) != ("struct", "struct") or len(given.parts) != len(wanted.parts):
        raise NotLocal(f"a cast from {given} to {wanted} is Spark's")
    fields = []
    for own, kind, name, new in zip(
        given.names, given.parts, wanted.names, wanted.parts, strict=True
    ):
        part = Value(f"struct_extract({value.sql}, {quote_text(own)})", kind, "")
        inner = _cast_inside(here, part, new, depth)
        fields.append(f"{identifier(name)} := CAST({inner} AS {new.duckdb})")
    packed = f"struct_pack({', '.join(fields)})"
    return f"CASE WHEN {value.sql} IS NULL THEN NULL ELSE {packed} END"


def cast_sql(here: Compiling, value: Value, wanted: SparkType, *, tried: bool = False) -> str:
    if value.type in (wanted, VOID):
        return _cast_plain(value, wanted)
    if value.type.parts and wanted.parts and not tried:
        return _cast_inside(here, value, wanted)
    cast_kind = _BY_KINDS.get((_kind(value.type), _kind(wanted)))
    if cast_kind is None:
        raise NotLocal(f"a cast from {value.type} to {wanted} is Spark's")
    if cast_kind.utc:
        in_utc(here, f"a cast from {value.type} to {wanted}")
    sql = cast_kind.write(value, wanted)
    if tried and value.type == STRING and (wanted.is_integral or wanted.is_decimal):
        return from_text.null_without_digits(value, sql)
    if cast_kind.safe or _widens(value.type, wanted):
        return sql
    if not tried:
        return opaque(sql)
    if cast_kind.write not in (_cast_plain, _cast_truncating):
        raise NotLocal(f"try_cast from {value.type} to {wanted} is Spark's")
    return opaque(f"TRY_{sql}")


def _widens(given: SparkType, wanted: SparkType) -> bool:
    both = given.is_integral and wanted.is_integral
    return both and _BITS[given.name] <= _BITS[wanted.name]
