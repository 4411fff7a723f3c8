"""What may stand behind ALTER TABLE's name: each form is read to its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from sqe.errors import ErrorCode
from sqe.sql.branches import read_branch_clause
from sqe.sql.column_definitions import (
    ColumnDefinition,
    read_columns,
    read_expression,
    read_place,
    read_type,
)
from sqe.sql.cursor import TokenCursor
from sqe.sql.statement import Command, Span
from sqe.sql.table_properties import (
    check_properties,
    check_property_name,
    read_properties,
    read_property_name,
)
from sqe.sql.traits import change_with_engine

_NAMES = "identity bucket truncate year years month months day days date hour hours date_hour"
_TRANSFORMS = frozenset(_NAMES.split())


@dataclass(frozen=True)
class AlterColumnDefault(Command):
    """ALTER COLUMN … SET or DROP DEFAULT. The table is the statement's only reference."""

    traits = change_with_engine()

    path: tuple[str, ...]
    expression: str | None  # None: DROP DEFAULT

    @property
    def label(self) -> str:
        return "alter table"


class Role(Enum):
    """What ALTER TABLE does with a column it names."""

    ADDED = "added"
    ADDED_REQUIRED = "added as NOT NULL, without a default"
    CHANGED = "changed"
    DROPPED = "dropped"
    DROPPED_IF_THERE = "dropped, if it is there"
    SOURCE = "used to partition or sort by"


@dataclass(frozen=True, slots=True)
class ColumnUse:
    path: tuple[str, ...]
    span: Span
    role: Role


class Reading:
    """The statement from behind the table's name, and what was found in it."""

    def __init__(self, text: str, cursor: TokenCursor) -> None:
        self.text = text
        self.cursor = cursor
        self.uses: list[ColumnUse] = []
        self.columns: list[ColumnDefinition] = []
        self.set_default: AlterColumnDefault | None = None

    def use(self, role: Role, what: str = "a column name") -> tuple[str, ...]:
        path, span = self.cursor.take_dotted_name(what)
        self.uses.append(ColumnUse(path, span, role))
        return path


def read_action(reading: Reading) -> None:
    cursor = reading.cursor
    if read_branch_clause(cursor):
        return
    for words, read in _ACTIONS:
        if cursor.accept(*words):
            read(reading)
            return
    if cursor.at_end():
        cursor.fail("ALTER TABLE needs to know what to change")
    _refuse_known(cursor)
    cursor.fail(f"ALTER TABLE takes one of {', '.join(' '.join(words) for words, _ in _ACTIONS)}")


_REFUSED: tuple[tuple[tuple[str, ...], str], ...] = (
    (("SET", "LOCATION"), "The catalog chooses where a table lives."),
    (("SET", "SERDE"), "Iceberg tables have no SerDe."),
    (("SET", "SERDEPROPERTIES"), "Iceberg tables have no SerDe."),
    (("SET", "FILEFORMAT"), "Set the property write.format.default."),
    (("RECOVER", "PARTITIONS"), "Iceberg knows its partitions."),
    (("ADD", "PARTITION"), "Iceberg makes partitions when rows are inserted."),
    (("ADD", "IF"), "Iceberg makes partitions when rows are inserted."),
    (("DROP", "PARTITION"), "Use DELETE."),
    (("DROP", "IF"), "Use DELETE."),
    (("PARTITION",), "Partitions have no properties of their own."),
    (("CLUSTER", "BY"), "Use WRITE ORDERED BY, or bucket in ADD PARTITION FIELD."),
    (("ADD", "CONSTRAINT"), "Iceberg has none but NOT NULL."),
    (("ADD", "CHECK"), "Iceberg has none but NOT NULL."),
    (("ADD", "PRIMARY"), "Use SET IDENTIFIER FIELDS."),
    (("ADD", "UNIQUE"), "Iceberg has none but NOT NULL."),
    (("ADD", "FOREIGN"), "Iceberg has none but NOT NULL."),
    (("DROP", "CONSTRAINT"), "Iceberg has none but NOT NULL."),
    (("DROP", "PRIMARY"), "Use DROP IDENTIFIER FIELDS."),
    (("DEFAULT", "COLLATION"), "Iceberg keeps no collation; write it in the query."),
    (("SET", "DEFAULT"), "Iceberg keeps no collation; write it in the query."),
    (("EXECUTE",), "Use CALL."),
)  # fmt: skip


def _refuse_known(cursor: TokenCursor) -> None:
    for words, hint in _REFUSED:
        if cursor.looking_at(*words):
            cursor.refuse(f"ALTER TABLE … {' '.join(words)}", hint)


def _add_columns(reading: Reading) -> None:
    cursor = reading.cursor
    if cursor.looking_at("IF", "NOT", "EXISTS"):
        cursor.refuse("ADD COLUMN IF NOT EXISTS", "DESCRIBE shows the table's columns.")
    bracketed = cursor.accept("(")
    reading.columns = read_columns(cursor, altering=True)
    if bracketed:
        cursor.expect(")")
    for column in reading.columns:
        required = column.not_null is not None and column.default is None
        role = Role.ADDED_REQUIRED if required else Role.ADDED
        reading.uses.append(ColumnUse(column.path, column.span, role))


def _replace_columns(reading: Reading) -> None:
    cursor = reading.cursor
    cursor.expect("(")
    if any(column.default is not None for column in read_columns(cursor, altering=True)):
        cursor.refuse("DEFAULT in REPLACE COLUMNS", "Use ALTER COLUMN … SET DEFAULT.")
    cursor.expect(")")


def _drop_columns(reading: Reading) -> None:
    cursor = reading.cursor
    tolerant = cursor.accept("IF", "EXISTS")
    bracketed = cursor.accept("(")
    while True:
        reading.use(Role.DROPPED_IF_THERE if tolerant else Role.DROPPED)
        if not cursor.accept(","):
            break
    if bracketed:
        cursor.expect(")")


def _rename_column(reading: Reading) -> None:
    cursor = reading.cursor
    path = reading.use(Role.CHANGED)
    cursor.expect("TO")
    name, span = cursor.read_with_span(lambda: cursor.identifier("the column's new name"))
    if cursor.looking_at("."):
        cursor.fail("The new name is the field's own, without what stands before it")
    if name.lower() != path[-1].lower():
        reading.uses.append(ColumnUse((*path[:-1], name), span, Role.ADDED))


def _change_column(reading: Reading) -> None:
    """Spark's ALTER COLUMN, several at once by commas, and Hive's CHANGE COLUMN a a BIGINT."""
    cursor = reading.cursor
    count = 0
    while True:
        path = reading.use(Role.CHANGED)
        _column_action(reading, path)
        count += 1
        if not cursor.accept(","):
            break
    if reading.set_default is not None and count > 1:
        cursor.refuse("A default among other changes", "Change the default in a statement alone.")


def _column_action(reading: Reading, path: tuple[str, ...]) -> None:
    cursor = reading.cursor
    if cursor.accept("TYPE"):
        read_type(cursor)
    elif cursor.accept("COMMENT"):
        cursor.string_literal()
    elif cursor.accept("SET", "NOT") or cursor.accept("DROP", "NOT"):
        cursor.expect("NULL")
    elif cursor.accept("SET", "DEFAULT"):
        reading.set_default = AlterColumnDefault(path, read_expression(cursor))
    elif cursor.accept("DROP", "DEFAULT"):
        reading.set_default = AlterColumnDefault(path, None)
    elif cursor.accept("SET", "DATA"):  # the standard's spelling, which Spark does not have
        cursor.refuse("SET DATA TYPE", "Use ALTER COLUMN … TYPE.")
    elif not read_place(cursor):
        _hive_change(cursor, path)


def _hive_change(cursor: TokenCursor, path: tuple[str, ...]) -> None:
    if cursor.at_end():
        cursor.fail("ALTER COLUMN needs to know what to change")
    name = cursor.identifier("TYPE, COMMENT, FIRST, AFTER, SET or DROP")
    if name.lower() != path[-1].lower():
        cursor.refuse("CHANGE COLUMN with another name", "Use RENAME COLUMN … TO.")
    read_type(cursor)
    if cursor.accept("COMMENT"):
        cursor.string_literal()
    read_place(cursor)


def _set_properties(reading: Reading) -> None:
    check_properties(reading.text, read_properties(reading.cursor))


def _unset_properties(reading: Reading) -> None:
    reading.cursor.accept("IF", "EXISTS")
    for name, span in read_names(reading.cursor):
        check_property_name(reading.text, name, span, removing=True)


def read_names(cursor: TokenCursor) -> list[tuple[str, Span]]:
    """``('a', b.c)``: property names, each with its place."""
    cursor.expect("(")
    names = [cursor.read_with_span(lambda: read_property_name(cursor))]
    while cursor.accept(","):
        names.append(cursor.read_with_span(lambda: read_property_name(cursor)))
    cursor.expect(")")
    return names


def _add_partition_field(reading: Reading) -> None:
    reading.uses += read_transform(reading.cursor)
    if reading.cursor.accept("AS"):
        reading.cursor.identifier("the field's name")


def _drop_partition_field(reading: Reading) -> None:
    read_transform(reading.cursor)  # a field's own name, or what it is made of


def _replace_partition_field(reading: Reading) -> None:
    read_transform(reading.cursor)
    reading.cursor.expect("WITH")
    _add_partition_field(reading)


def read_transform(cursor: TokenCursor) -> list[ColumnUse]:
    """A column, or a transform of one; gives the columns named."""
    parts, span = cursor.take_dotted_name("a column or a transform")
    if not cursor.looking_at("("):
        return [ColumnUse(parts, span, Role.SOURCE)]
    if len(parts) > 1 or parts[0].lower() not in _TRANSFORMS:
        cursor.fail(
            f"There is no transform {'.'.join(parts)}",
            ErrorCode.INVALID_ARGUMENT,
            "There are years, months, days, hours, bucket(n, column), truncate(width, column).",
        )
    cursor.expect("(")
    columns: list[ColumnUse] = []
    while True:
        if cursor.at_identifier():
            columns.append(ColumnUse(*cursor.take_dotted_name("a column"), Role.SOURCE))
        else:
            cursor.property_value()
        if not cursor.accept(","):
            break
    cursor.expect(")")
    return columns


def _write_order(reading: Reading) -> None:
    cursor = reading.cursor
    clauses = 0
    while not cursor.at_end():
        if cursor.accept("DISTRIBUTED", "BY"):
            cursor.expect("PARTITION")
        elif cursor.accept("LOCALLY", "ORDERED", "BY") or cursor.accept("ORDERED", "BY"):
            _order(reading)
        elif not cursor.accept("UNORDERED"):
            break
        clauses += 1
    if not clauses:
        cursor.fail("Expected ORDERED BY, LOCALLY ORDERED BY, DISTRIBUTED BY or UNORDERED")


def _order(reading: Reading) -> None:
    cursor = reading.cursor
    bracketed = cursor.accept("(")
    while True:
        reading.uses += read_transform(cursor)
        cursor.accept_one_of("ASC", "DESC")
        if cursor.accept("NULLS") and not cursor.accept_one_of("FIRST", "LAST"):
            cursor.fail("Expected FIRST or LAST")
        if not cursor.accept(","):
            break
    if bracketed:
        cursor.expect(")")


def _identifier_fields(reading: Reading) -> None:
    reading.use(Role.CHANGED)
    while reading.cursor.accept(","):
        reading.use(Role.CHANGED)


_Action = Callable[[Reading], None]
_ACTIONS: tuple[tuple[tuple[str, ...], _Action], ...] = (
    (("ADD", "COLUMN"), _add_columns),
    (("ADD", "COLUMNS"), _add_columns),
    (("ADD", "PARTITION", "FIELD"), _add_partition_field),
    (("DROP", "COLUMN"), _drop_columns),
    (("DROP", "COLUMNS"), _drop_columns),
    (("DROP", "PARTITION", "FIELD"), _drop_partition_field),
    (("DROP", "IDENTIFIER", "FIELDS"), _identifier_fields),
    (("REPLACE", "COLUMNS"), _replace_columns),
    (("REPLACE", "PARTITION", "FIELD"), _replace_partition_field),
    (("RENAME", "COLUMN"), _rename_column),
    (("SET", "TBLPROPERTIES"), _set_properties),
    (("SET", "IDENTIFIER", "FIELDS"), _identifier_fields),
    (("UNSET", "TBLPROPERTIES"), _unset_properties),
    (("WRITE",), _write_order),
    (("ALTER", "COLUMN"), _change_column),
    (("CHANGE", "COLUMN"), _change_column),
    (("ALTER",), _change_column),
    (("CHANGE",), _change_column),
)
