"""What the JSON of Trino's protocol says about a result's columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqe.errors import ErrorCode, InternalError
from sqe.model.query import Column
from sqe.model.trino_types import TrinoType, parse_type
from sqe.trino.http.signature import PARAMETRIC_DATETIME, signature, wire_text


def columns_json(
    columns: Sequence[Column], capabilities: Collection[str]
) -> list[dict[str, object]]:
    """``columns`` of QueryResults, for a client that can do ``capabilities``."""
    parametric = PARAMETRIC_DATETIME in capabilities
    told: list[dict[str, object]] = []
    for column in columns:
        kind = column_type(column)
        told.append(
            {
                "name": column.name,
                "type": wire_text(kind, parametric),
                "typeSignature": signature(kind, parametric),
            }
        )
    return told


def column_type(column: Column) -> TrinoType:
    """The Trino type of a column of a result of Trino SQL."""
    try:
        return parse_type(column.type)
    except ValueError as error:
        raise InternalError(
            ErrorCode.INTERNAL_ERROR, f"Column {column.name} has no Trino type: {column.type}"
        ) from error
