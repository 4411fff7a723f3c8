"""What a translated statement answers: Trino's columns over the carriers that the engine gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

from sqe.errors import ErrorCode, InternalError
from sqe.model.query import Column, Outcome, RowsAffected
from sqe.results.stream import ResultStream, result_of_rows
from sqe.trino.dialect.translated import OutputColumn, Translated

ZONE = b"sqe.zone"  # of a field: the zone its moments are shown in


def trino_result(
    translated: Translated, first: Callable[[], ResultStream], then: Callable[[str], ResultStream]
) -> ResultStream:
    """``first`` runs the statement's text, ``then`` each that follows it."""
    outcome = Outcome(translated.update_type, translated.changes)
    if translated.columns and not translated.counts:
        for text in translated.then:
            _read_to_end(then(text))
        return _shape_result(first(), translated.columns, outcome)
    affected = _read_to_end(first()) if translated.text else None
    for text in translated.then:
        _read_to_end(then(text))
    return _count_result(affected, outcome) if translated.counts else empty_result(outcome)


def _count_result(affected: RowsAffected | None, outcome: Outcome) -> ResultStream:
    """One row: how many were changed."""
    known = affected or RowsAffected(inserted=0)
    result = result_of_rows([Column("rows", "bigint")], [(known.total,)])
    return ResultStream(
        result.columns, result.schema, result, affected=lambda: known, outcome=outcome
    )


def _read_to_end(result: ResultStream) -> RowsAffected | None:
    with result:
        for _ in result:
            pass
        return result.rows_affected


def empty_result(outcome: Outcome) -> ResultStream:
    """An answer without columns."""
    return ResultStream((), pa.schema([]), [], outcome=outcome)


def _shape_result(
    result: ResultStream, columns: tuple[OutputColumn, ...], outcome: Outcome
) -> ResultStream:
    if len(columns) != len(result.schema):
        result.close()
        raise InternalError(
            ErrorCode.INTERNAL_ERROR, "The answer has other columns than were translated."
        )
    schema = pa.schema(
        [
            pa.field(column.name, field.type, metadata={ZONE: column.type.zone.encode()})
            if column.type.zone
            else pa.field(column.name, field.type)
            for column, field in zip(columns, result.schema, strict=True)
        ]
    )

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in result:
            yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)

    shown = [Column(column.name, str(column.type)) for column in columns]
    return ResultStream(
        shown, schema, batches(), result.close, lambda: result.rows_affected, outcome=outcome
    )
