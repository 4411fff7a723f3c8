"""CREATE TABLE, DROP, RENAME, TRUNCATE, COMMENT and ANALYZE."""

from __future__ import annotations

from sqe.model.trino_types import BIGINT, TrinoType, carrier
from sqe.trino.dialect.context import Context, Known
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.nodes import Expression
from sqe.trino.dialect.statements.column_types import read_type, type_in_table
from sqe.trino.dialect.statements.constants import constant
from sqe.trino.dialect.statements.defaults import default_text
from sqe.trino.dialect.statements.names import (
    Target,
    check_new,
    find_changed,
    no_table,
    table_if_there,
    table_of,
    target_of,
)
from sqe.trino.dialect.statements.nodes import (
    Analyze,
    ColumnDefinition,
    CreateTable,
    LikeClause,
    Properties,
    Truncate,
)
from sqe.trino.dialect.statements.table_properties import (
    TableOptions,
    properties_to_unset,
    read_options,
    write_order,
)
from sqe.trino.dialect.translated import OutputColumn, Translated
from sqe.trino.dialect.typed import quote_name, string

ROWS = (OutputColumn("rows", BIGINT),)  # what Trino's answers to ANALYZE and EXECUTE are made of


def create_table(node: CreateTable, context: Context) -> Translated:
    target = target_of(context, node.name, node.at)
    existing = check_free(context, target, node.or_replace, node.if_not_exists, node.at)
    if existing:
        return Translated("", update_type="CREATE TABLE")
    likes = [
        table_element for table_element in node.elements if isinstance(table_element, LikeClause)
    ]
    if len(node.elements) == 1 and likes and likes[0].including:
        return _create_like(node, likes[0], target, context)
    columns: dict[str, TrinoType] = {}
    texts: list[str] = []
    for element in node.elements:
        if isinstance(element, LikeClause):
            if element.including:
                raise not_supported("INCLUDING PROPERTIES beside other columns", element.at)
            _, known = _source(context, element, node.at)
            for name, kind, text in _columns_of(known):
                _add(columns, name, kind, element.at)
                texts.append(text)
        else:
            name = _own_name(element, node.at)
            kind = type_in_table(read_type(element.type, element.at, name), element.type_at)
            _add(columns, name, kind, element.at)
            texts.append(_definition(element, kind, target, context))
    options = read_options(node.properties, target.catalog, columns, context)
    head = create_head(target, node.or_replace, node.if_not_exists)
    text = f"{head} ({', '.join(texts)}){comment_clause(node.comment)}{options.clauses}"
    old = find_changed(context, target) if node.or_replace else None
    then = (*after_create(target, options, old, node.comment), _empty_snapshot(target))
    return Translated(text, update_type="CREATE TABLE", then=then)


def check_free(
    context: Context, target: Target, or_replace: bool, if_not_exists: bool, at: int
) -> bool:
    """Whether it is there and may stay as it is."""
    if or_replace and if_not_exists:
        message = "'OR REPLACE' and 'IF NOT EXISTS' clauses can not be used together"
        raise Refused("SYNTAX_ERROR", message, at)
    check_new(context, target, at)
    known = find_changed(context, target)
    if known is None or (or_replace and known.kind == "TABLE"):
        return False
    if not if_not_exists:
        raise Refused("TABLE_ALREADY_EXISTS", f"Table '{target}' already exists", at)
    return True


def create_head(target: Target, or_replace: bool, if_not_exists: bool) -> str:
    """No USING: tables are Iceberg's."""
    replace = "OR REPLACE " if or_replace else ""
    tolerant = "IF NOT EXISTS " if if_not_exists else ""
    return f"CREATE {replace}TABLE {tolerant}{target.spark}"


def after_create(
    target: Target, options: TableOptions, old: Known | None, comment: str | None
) -> tuple[str, ...]:
    """What CREATE TABLE cannot say in Spark's SQL. ``old`` is the table that it replaces."""
    texts = []
    stored = (old.metadata.get("properties") or {}) if old is not None else {}
    removed = properties_to_unset(stored, options, comment)
    if removed:
        names = ", ".join(map(string, removed))
        texts.append(f"ALTER TABLE {target.spark} UNSET TBLPROPERTIES IF EXISTS ({names})")
    if options.order:
        texts.append(write_order(target.spark, options.order))
    return tuple(texts)


def _empty_snapshot(target: Target) -> str:
    """Trino's CREATE TABLE leaves a snapshot without rows, to which one can travel back."""
    return f"INSERT INTO {target.spark} SELECT * FROM {target.spark} WHERE false"


def comment_clause(comment: str | None) -> str:
    return f" COMMENT {string(comment)}" if comment is not None else ""


def _create_like(
    node: CreateTable, like: LikeClause, target: Target, context: Context
) -> Translated:
    """The whole table's shape, which SQE has a statement for."""
    source, _ = _source(context, like, node.at)
    if node.properties or node.comment is not None or node.or_replace:
        raise not_supported("LIKE … INCLUDING PROPERTIES beside other clauses", like.at)
    text = f"{create_head(target, False, node.if_not_exists)} LIKE {source.spark}"
    return Translated(text, update_type="CREATE TABLE", then=(_empty_snapshot(target),))


def _source(context: Context, like: LikeClause, at: int) -> tuple[Target, Known]:
    known = table_if_there(context, like.name, at)
    if known is None:
        target = target_of(context, like.name, at)
        raise Refused("TABLE_NOT_FOUND", f"LIKE table '{target}' does not exist", at)
    return known


def _columns_of(known: Known) -> list[tuple[str, TrinoType, str]]:
    column_list = []
    for column in known.columns:
        if not column.hidden:
            kind = carrier(column.type)
            required = "" if column.nullable else " NOT NULL"
            comment = comment_clause(column.comment or None)
            name = column.name.lower()
            column_list.append((name, column.type, f"{quote_name(name)} {kind}{required}{comment}"))
    return column_list


def _add(columns: dict[str, TrinoType], name: str, kind: TrinoType, at: int) -> None:
    if name in columns:
        message = f"Column name '{name}' specified more than once"
        raise Refused("DUPLICATE_COLUMN_NAME", message, at)
    columns[name] = kind


def _own_name(column: ColumnDefinition, at: int) -> str:
    if len(column.name) > 1:
        name = ".".join(part.name for part in column.name)
        raise Refused("NOT_SUPPORTED", f"Column name '{name}' must not be qualified", at)
    return column.name[0].name.lower()


def _definition(column: ColumnDefinition, kind: TrinoType, target: Target, context: Context) -> str:
    check_column_properties(column, target)
    return column_text(quote_name(column.name[0].name.lower()), column, kind, context)


def check_column_properties(column: ColumnDefinition, target: Target) -> None:
    """There are none."""
    for property_ in column.properties:
        name = property_.name.name.lower()
        message = f"Catalog '{target.catalog}' column property '{name}' does not exist"
        raise Refused("INVALID_COLUMN_PROPERTY", message, property_.at)


def column_text(name: str, column: ColumnDefinition, kind: TrinoType, context: Context) -> str:
    """``name`` in Spark's words."""
    required = " NOT NULL" if column.not_null else ""
    default = default_text(column.default, kind, context)
    clause = f" DEFAULT {default}" if default is not None else ""
    return f"{name} {carrier(kind)}{required}{clause}{comment_clause(column.comment)}"


def truncate(node: Truncate, context: Context) -> Translated:
    target = target_of(context, node.name, node.at)
    known = find_changed(context, target)
    if known is not None and known.kind in ("VIEW", "MATERIALIZED VIEW"):
        raise Refused("NOT_SUPPORTED", f"Cannot truncate a {known.kind.lower()}", node.at)
    target, _ = table_of(context, node.name, node.at)
    return Translated(f"TRUNCATE TABLE {target.spark}", update_type="TRUNCATE TABLE")


def analyze(node: Analyze, context: Context) -> Translated:
    target = target_of(context, node.name, node.at)
    known = find_changed(context, target)
    if known is None:
        raise no_table(target, node.at)
    if known.kind != "TABLE":
        message = f"Analyzing {known.kind.lower()}s is not supported"
        raise Refused("NOT_SUPPORTED", message, node.at)
    text = f"ANALYZE TABLE {target.spark} COMPUTE STATISTICS FOR "
    columns = _columns_to_analyze(node.properties, target, known, context)
    text += f"COLUMNS {', '.join(map(quote_name, columns))}" if columns else "ALL COLUMNS"
    return Translated("SELECT CAST(NULL AS BIGINT)", ROWS, "ANALYZE", then=(text,))


def _columns_to_analyze(
    given: Properties, target: Target, known: Known, context: Context
) -> list[str]:
    columns: list[str] = []
    for prop in given:
        name = prop.name.name.lower()
        if name != "columns":
            message = f"Catalog '{target.catalog}' analyze property '{name}' does not exist"
            raise Refused("INVALID_ANALYZE_PROPERTY", message, prop.at)
        value = constant(prop.value, context) if isinstance(prop.value, Expression) else None
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise not_supported("ANALYZE with columns that are no array(varchar)", prop.at)
        columns = [str(v).lower() for v in value]
        there = {column.name.lower() for column in known.columns}
        missing = [column for column in columns if column not in there]
        if missing or not columns:
            message = f"Invalid columns specified for analysis: [{', '.join(missing)}]"
            if not columns:
                message = "Cannot specify empty list of columns for analysis"
            raise Refused("INVALID_ANALYZE_PROPERTY", message)
    return columns
