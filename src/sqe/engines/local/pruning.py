"""Which manifests and files a query cannot need: Iceberg's evaluators over what SQE was told."""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Callable, Sequence
from typing import Any

from pyiceberg.expressions import (
    AlwaysTrue,
    And,
    BooleanExpression,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNull,
    LessThan,
    LessThanOrEqual,
    NotEqualTo,
    NotNull,
    StartsWith,
)
from pyiceberg.expressions.visitors import (
    _InclusiveMetricsEvaluator,
    expression_evaluator,
    inclusive_projection,
    manifest_evaluator,
)
from pyiceberg.manifest import DataFile, ManifestFile
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema

from sqe.engines.local.plan import Comparison

_UNARY: dict[str, Any] = {"isnull": IsNull, "notnull": NotNull}
_BINARY: dict[str, Any] = {
    "=": EqualTo,
    "!=": NotEqualTo,
    "<": LessThan,
    "<=": LessThanOrEqual,
    ">": GreaterThan,
    ">=": GreaterThanOrEqual,
    "in": In,
    "startswith": StartsWith,
}


class Pruning:
    """Keeps too much rather than too little: what cannot be evaluated prunes nothing."""

    def __init__(
        self, schema: Schema, specs: dict[int, PartitionSpec], comparisons: Sequence[Comparison]
    ) -> None:
        self._schema = schema
        self._specs = specs
        self._filter = row_filter(schema, comparisons)
        self._partition_filter = row_filter(schema, [c for c in comparisons if not _early(c)])
        self._manifests: dict[int, Callable[[ManifestFile], bool]] = {}
        self._partitions: dict[int, Callable[[DataFile], bool]] = {}
        self._metrics = None
        if not isinstance(self._filter, AlwaysTrue):
            self._metrics = _InclusiveMetricsEvaluator(schema, self._filter, True, False)

    def manifest(self, manifest: ManifestFile) -> bool:
        if self._metrics is None:
            return True
        spec_id = manifest.partition_spec_id
        if spec_id not in self._manifests:
            self._manifests[spec_id] = self._or_everything(self._for_manifests, spec_id)
        return self._manifests[spec_id](manifest)

    def partition(self, file: DataFile) -> bool:
        """Of a data or delete file."""
        if self._metrics is None:
            return True
        if file.spec_id not in self._partitions:
            self._partitions[file.spec_id] = self._or_everything(self._for_files, file.spec_id)
        return self._partitions[file.spec_id](file)

    def metrics(self, file: DataFile) -> bool:
        """Of a data file: a delete file's metrics are about other columns."""
        return self._metrics is None or _unless_odd(self._metrics.eval, file)

    def _or_everything(self, build: Callable[[int], Any], spec_id: int) -> Callable[[Any], bool]:
        try:
            evaluate = build(spec_id)
        except (ValueError, KeyError, TypeError, ArithmeticError):
            # The source column was dropped; or the last day there is has no day after it.
            return lambda _: True
        return lambda subject: _unless_odd(evaluate, subject)

    def _project(self, spec_id: int) -> BooleanExpression:
        return inclusive_projection(self._schema, self._specs[spec_id])(self._partition_filter)

    def _for_manifests(self, spec_id: int) -> Callable[[ManifestFile], bool]:
        return manifest_evaluator(
            self._specs[spec_id], self._schema, self._project(spec_id), case_sensitive=True
        )

    def _for_files(self, spec_id: int) -> Callable[[DataFile], bool]:
        partition = Schema(*self._specs[spec_id].partition_type(self._schema).fields)
        evaluate = expression_evaluator(partition, self._project(spec_id), case_sensitive=True)
        return lambda file: evaluate(file.partition)


def _unless_odd(evaluate: Callable[[Any], Any], subject: Any) -> bool:
    """Bounds that cannot be understood say nothing: not UTF-8, of another length, of no type."""
    try:
        return bool(evaluate(subject))
    except (ValueError, KeyError, TypeError, IndexError, ArithmeticError, struct.error):
        return True


def _early(comparison: Comparison) -> bool:
    """Old writers put times before 1970 into the day, month or year after theirs. Iceberg's own
    projection looks there as well, PyIceberg's does not."""
    values = comparison.value if comparison.op == "in" else (comparison.value,)
    return isinstance(values, tuple | list | set | frozenset) and any(
        isinstance(value, dt.date) and value.year < 1970 for value in values
    )


def row_filter(schema: Schema, comparisons: Sequence[Comparison]) -> BooleanExpression:
    """All comparisons that fit the columns they are about; the others are left out."""
    combined: BooleanExpression = AlwaysTrue()
    for comparison in comparisons:
        try:
            expression = _expression(comparison)
            expression.bind(schema, case_sensitive=True)
        except (ValueError, TypeError, NotImplementedError, ArithmeticError):
            continue
        combined = And(combined, expression)
    return combined


def _expression(comparison: Comparison) -> Any:
    if comparison.op in _UNARY:
        return _UNARY[comparison.op](comparison.column)
    value = comparison.value
    if comparison.op == "in":
        if not isinstance(value, tuple | list | set | frozenset) or None in value:
            raise ValueError("not a list of values")
        return _BINARY[comparison.op](comparison.column, tuple(value))
    if value is None:
        raise ValueError("compared with NULL")
    return _BINARY[comparison.op](comparison.column, value)
