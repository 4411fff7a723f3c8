"""Columns with DEFAULT: Spark computes the value and runs the statement, SQE adds the default.

Iceberg on Spark reads and writes defaults but has no DDL for them, so Spark gets the statement
without them, and they join the schema in the same commit.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sqe.binding.bound import BoundAbsent, BoundTable
from sqe.broker.commits import CommitExtras
from sqe.catalog.protocol import Catalogs, Json
from sqe.catalog.schemas import current_schema, spark_type
from sqe.coordinator.alterations import commit_schema
from sqe.coordinator.default_values import default_json
from sqe.engines.protocol import Engine, Run
from sqe.errors import ErrorCode, InternalError, SqeError, UserError, error_of
from sqe.results.stream import ResultStream, result_of_rows
from sqe.rewrite.guarded import GuardedStatement, guard_constant, inner_statement
from sqe.sql.alter import ColumnsWithDefaults
from sqe.sql.alter_actions import AlterColumnDefault
from sqe.sql.parse import parse
from sqe.sql.statement import StatementKind

_NEEDS_V3 = "Defaults need format version 3."


@dataclass(frozen=True)
class _Value:
    path: tuple[str, ...]
    value: Any
    required: bool


def run_with_defaults(guarded: GuardedStatement, run: Run, spark: Engine) -> ResultStream:
    """CREATE TABLE or ALTER TABLE ADD COLUMN."""
    command = guarded.bound.statement.command
    inner = inner_statement(guarded)
    if not isinstance(command, ColumnsWithDefaults):
        raise InternalError(ErrorCode.INTERNAL_ERROR, "A statement without defaults.")
    target = inner.bound.references[0].target
    if not isinstance(target, BoundTable | BoundAbsent):
        raise InternalError(ErrorCode.INTERNAL_ERROR, "Defaults of something that is no table.")
    adding = command.kind is StatementKind.ALTER_TABLE
    if adding and isinstance(target, BoundTable):
        _need_version_3(target)
    values = [
        _Value(
            column.path,
            _evaluate(column.default or "", column.type, ".".join(column.path), run, spark),
            required=adding and column.not_null is not None,
        )
        for column in command.columns
    ]
    for column, value in zip(command.columns, values, strict=True):
        if value.value is None and column.not_null is not None:
            raise UserError(
                ErrorCode.CONSTRAINT_VIOLATION,
                f"The column {'.'.join(column.path)} is NOT NULL; NULL cannot be its default.",
            )
    extras = {target.name: CommitExtras(schema=_patch(values))}
    try:
        return spark.prepare(inner, run.session).run(replace(run, extras={**run.extras, **extras}))
    except SqeError as error:
        if "not supported until v3" not in error.message:
            raise
        raise _too_old() from error


def set_default(
    guarded: GuardedStatement, run: Run, spark: Engine, catalogs: Catalogs
) -> ResultStream:
    """ALTER COLUMN … SET or DROP DEFAULT: for rows to come; those that are there keep theirs."""
    command = guarded.bound.statement.command
    target = guarded.bound.references[0].target
    if not isinstance(command, AlterColumnDefault) or not isinstance(target, BoundTable):
        raise InternalError(ErrorCode.INTERNAL_ERROR, "SET DEFAULT of something else.")
    if target.loaded is None or target.suffix:
        raise UserError(ErrorCode.NOT_SUPPORTED, "Only a table's columns have defaults.")
    name = ".".join(command.path)
    schema = copy.deepcopy(current_schema(target.loaded.metadata))
    field = _field_at(schema, command.path)
    if field is None:
        raise UserError(ErrorCode.COLUMN_NOT_FOUND, f"{target.name} has no column {name}.")
    value = None
    if command.expression is not None:
        _need_version_3(target)
        value = _evaluate(command.expression, spark_type(field["type"]), name, run, spark)
        if value is None and field.get("required"):
            raise UserError(
                ErrorCode.CONSTRAINT_VIOLATION, f"{name} is NOT NULL; NULL cannot be its default."
            )
    field.pop("write-default", None)
    if value is not None:
        field["write-default"] = default_json(value, field["type"])
    commit_schema(catalogs.open(target.name.catalog, run.session.identity), target, schema)
    return result_of_rows((), [])


def _evaluate(expression: str, kind: str, column: str, run: Run, spark: Engine) -> Any:
    """The constant, as Spark computes it, once and for all rows."""
    text = f"SELECT CAST(({expression}\n) AS {kind}) AS value"
    try:
        statement = parse(text)
        if statement.kind is not StatementKind.QUERY or statement.references:
            raise UserError(ErrorCode.NOT_SUPPORTED, "A default is a constant, no query.")
        query = guard_constant(statement)
        with spark.prepare(query, run.session).run(run) as result:
            return result.read_all().column(0)[0].as_py()
    except SqeError as error:
        # Places in our own text would mislead.
        message = f"The default of {column}: {error.message}"
        raise error_of(error.code, message, hint=error.hint) from error


def _patch(values: list[_Value]) -> Callable[[Json], Json]:
    def patch(schema: Json) -> Json:
        patched = copy.deepcopy(schema)
        for value in values:
            field = _field_at(patched, value.path)
            if field is None:
                raise UserError(
                    ErrorCode.COLUMN_NOT_FOUND, f"There is no column {'.'.join(value.path)}."
                )
            if value.value is not None:
                stored = default_json(value.value, field["type"])
                field["initial-default"] = field["write-default"] = stored
            if value.required:
                field["required"] = True
        return patched

    return patch


def _field_at(schema: Json, path: tuple[str, ...]) -> Json | None:
    """The field a path names, through structs, ``element`` and ``value``."""
    node: Any = schema
    field: Json | None = None
    for part in path:
        if not isinstance(node, dict):
            return None
        if "fields" in node:
            wanted = part.lower()
            field = next((f for f in node["fields"] if f["name"].lower() == wanted), None)
            if field is None:
                return None
            node = field["type"]
        else:
            field, node = None, node.get(part.lower())
    return field


def _need_version_3(target: BoundTable) -> None:
    if int(target.metadata.get("format-version", 1)) < 3:
        raise _too_old()


def _too_old() -> UserError:
    return UserError(
        ErrorCode.NOT_SUPPORTED, _NEEDS_V3, hint="Set the table property 'format-version' = '3'."
    )
