"""Arrow types that tables can hold, and what becomes of the others: the same values, or a refusal.

Iceberg on Spark has no unsigned or small integers, half floats, views or dictionaries (values of
these fit a wider type), and no TIME, durations, intervals or unions (these do not fit anything).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from sqe.errors import ErrorCode, UserError

_MOST_DIGITS = 38
_types = pa.types


class Conversion:
    """How the batches of one stream become rows of a table.

    ``known`` are types of the table's columns by name in lower case: a column that is nothing but
    NULL says no type of its own.
    """

    def __init__(self, schema: pa.Schema, known: Mapping[str, pa.DataType] | None = None) -> None:
        _check_names(schema.names)
        known = known or {}
        self._fields = [
            pa.field(
                field.name, type_to_store(field.type, field.name, known.get(field.name.lower()))
            )
            for field in schema
        ]
        self.schema = pa.schema(self._fields)

    def batch(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """What comes from a wire may point anywhere, so it is looked at before it is followed."""
        try:
            batch.validate(full=True)
        except pa.ArrowInvalid as error:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT, f"A batch of the rows sent is broken: {error}."
            ) from error
        columns = [
            _convert(column, field) for column, field in zip(batch, self._fields, strict=True)
        ]
        return pa.record_batch(columns, schema=self.schema)


def _check_names(names: list[str]) -> None:
    seen: set[str] = set()
    if not names:
        raise UserError(ErrorCode.INVALID_ARGUMENT, "The rows sent have no columns.")
    for name in names:
        if not name:
            raise UserError(ErrorCode.INVALID_ARGUMENT, "A column of the rows sent has no name.")
        if name.lower() in seen:
            raise UserError(
                ErrorCode.AMBIGUOUS_NAME,
                f"The rows sent have two columns {name}.",
                hint="Names that differ only in case are the same name.",
            )
        seen.add(name.lower())


def _convert(column: pa.Array, field: pa.Field) -> pa.Array:
    if _types.is_run_end_encoded(column.type):
        column = pc.run_end_decode(column)
    if column.type == field.type:
        return column
    try:
        return column.cast(field.type, safe=True)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise UserError(
            ErrorCode.INVALID_CAST,
            f"Column {field.name} has a value that does not fit {field.type}: {error}.",
            hint="Nothing was loaded. Timestamps are kept in whole microseconds.",
        ) from error


def type_to_store(kind: pa.DataType, name: str, known: pa.DataType | None = None) -> pa.DataType:
    """The type that takes every value of ``kind``; a UserError that names the column if none."""
    for fits, become in _SIMPLE:
        if fits(kind):
            return become(kind)
    if _types.is_null(kind):
        return _null(name, known)
    if _types.is_decimal(kind):
        return _decimal(kind, name)
    if _types.is_dictionary(kind) or _types.is_run_end_encoded(kind):
        return type_to_store(kind.value_type, name)
    return _type_of_nested(kind, name)


def _type_of_nested(kind: pa.DataType, name: str) -> pa.DataType:
    if _types.is_map(kind):
        key = type_to_store(kind.key_type, f"{name}.key")
        return pa.map_(key, type_to_store(kind.item_type, f"{name}.value"))
    if any(fits(kind) for fits in _LISTS):
        return pa.list_(type_to_store(kind.value_type, f"{name}.element"))
    if _types.is_struct(kind) and kind.num_fields:
        inner = [kind.field(index) for index in range(kind.num_fields)]
        _check_names([field.name for field in inner])
        return pa.struct(
            [pa.field(f.name, type_to_store(f.type, f"{name}.{f.name}")) for f in inner]
        )
    raise _refusal(kind, name)


def _decimal(kind: pa.DataType, name: str) -> pa.DataType:
    """With the same scale; more digits than 38 are fine as long as the values need no more."""
    precision, scale = kind.precision, kind.scale
    if scale < 0:
        precision, scale = precision - scale, 0
    if scale > _MOST_DIGITS or scale > precision:
        raise _refusal(kind, name)
    return pa.decimal128(min(precision, _MOST_DIGITS), scale)


def _null(name: str, known: pa.DataType | None) -> pa.DataType:
    if known is not None:
        return known
    raise UserError(
        ErrorCode.NOT_SUPPORTED,
        f"Column {name} has no type: all that was sent of it is NULL.",
        hint="Give it a type, or leave it out.",
    )


def _refusal(kind: pa.DataType, name: str) -> UserError:
    hints = (
        (_types.is_time, "Send it as text, or as a number of microseconds."),
        (_types.is_duration, "Send it as a number."),
        (_types.is_interval, "Send it as numbers of months, days and microseconds."),
        (_is_extension, "Send it as text."),
    )
    hint = next((hint for fits, hint in hints if fits(kind)), "Leave it out, or send it as text.")
    return UserError(
        ErrorCode.NOT_SUPPORTED,
        f"Column {name} is of type {kind}, which tables do not have.",
        hint=hint,
    )


def _is_extension(kind: pa.DataType) -> bool:
    return isinstance(kind, pa.BaseExtensionType)


def _is_json(kind: pa.DataType) -> bool:
    return isinstance(kind, pa.JsonType)


def _keep_type(kind: pa.DataType) -> pa.DataType:
    return kind


def _to(kind: pa.DataType) -> Callable[[pa.DataType], pa.DataType]:
    return lambda _: kind


def _timestamp(kind: pa.DataType) -> pa.DataType:
    """A moment is a moment in whatever zone it is shown."""
    return pa.timestamp("us", "UTC" if kind.tz else None)


_LISTS = (
    _types.is_list,
    _types.is_large_list,
    _types.is_fixed_size_list,
    _types.is_list_view,
    _types.is_large_list_view,
)
_Fits = Callable[[pa.DataType], bool]
_SIMPLE: tuple[tuple[_Fits, Callable[[pa.DataType], pa.DataType]], ...] = (
    (_is_json, _to(pa.string())),
    (_types.is_boolean, _keep_type),
    (_types.is_int32, _keep_type),
    (_types.is_int64, _keep_type),
    (_types.is_int8, _to(pa.int32())),
    (_types.is_int16, _to(pa.int32())),
    (_types.is_uint8, _to(pa.int32())),
    (_types.is_uint16, _to(pa.int32())),
    (_types.is_uint32, _to(pa.int64())),
    (_types.is_uint64, _to(pa.decimal128(20, 0))),
    (_types.is_float16, _to(pa.float32())),
    (_types.is_float32, _keep_type),
    (_types.is_float64, _keep_type),
    (_types.is_string, _keep_type),
    (_types.is_large_string, _keep_type),
    (_types.is_string_view, _to(pa.large_string())),
    (_types.is_binary, _keep_type),
    (_types.is_large_binary, _keep_type),
    (_types.is_fixed_size_binary, _to(pa.binary())),
    (_types.is_binary_view, _to(pa.large_binary())),
    (_types.is_date32, _keep_type),
    (_types.is_date64, _to(pa.date32())),
    (_types.is_timestamp, _timestamp),
)
