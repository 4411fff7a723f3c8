"""Variants as JSON text: Spark sends their bytes, which no client can read."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from sqe.engines.spark.types import type_of
from sqe.model.types import Array, Map, Plain, Struct, Type

_VARIANT = Plain("variant")


class Variants:
    """Of the columns of one result, also those inside of other values."""

    def __init__(self, struct: Any, time_zone: str) -> None:
        types = [type_of(field.dataType) for field in struct.fields]
        self._types = {i: kind for i, kind in enumerate(types) if _has_variant(kind)}
        self._zone = time_zone

    def __bool__(self) -> bool:
        return bool(self._types)

    def as_text(self, batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
        """``schema`` is the result's, which has text for them."""
        for index, kind in self._types.items():
            values = [self._text(kind, value) for value in batch.column(index).to_pylist()]
            array = pa.array(values, type=schema.field(index).type)
            batch = batch.set_column(index, schema.field(index), array)
        return batch

    def _text(self, kind: Type, value: Any) -> Any:
        from pyspark.sql.variant_utils import VariantUtils

        if value is None or isinstance(kind, Plain):
            if value is None or kind != _VARIANT:
                return value
            return VariantUtils.to_json(value["value"], value["metadata"], self._zone)
        if isinstance(kind, Array):
            return [self._text(kind.element, element) for element in value]
        if isinstance(kind, Map):
            return [(self._text(kind.key, k), self._text(kind.value, v)) for k, v in value]
        return {m.name: self._text(m.type, value[m.name]) for m in kind.members}


def _has_variant(kind: Type) -> bool:
    if isinstance(kind, Array):
        return _has_variant(kind.element)
    if isinstance(kind, Map):
        return _has_variant(kind.key) or _has_variant(kind.value)
    if isinstance(kind, Struct):
        return any(_has_variant(member.type) for member in kind.members)
    return kind == _VARIANT
