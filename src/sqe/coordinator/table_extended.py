"""SHOW TABLE EXTENDED: the tables and views of a schema, and what the user may know of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqe.catalog.protocol import Catalog, Ident, Json, Loaded
from sqe.catalog.schemas import columns_of, view_text
from sqe.coordinator.call import Answer, CommandCall, Row, answer, is_information_schema, strings
from sqe.coordinator.describe import table_properties
from sqe.coordinator.partitions import parts_of
from sqe.errors import SqeError
from sqe.model.names import RelationName, SchemaName, quote
from sqe.model.query import Column
from sqe.model.types import Array, Map, Struct, Type, parse_type
from sqe.sql.commands import ShowTableExtended
from sqe.sql.statement import Command

# Spark's words for types in a schema that is drawn as a tree.
_WORDS = {
    "tinyint": "byte",
    "smallint": "short",
    "int": "integer",
    "bigint": "long",
}


def _table_extended(command: ShowTableExtended, call: CommandCall) -> Iterator[Row]:
    schema = call.require_schema(command.schema)
    if schema.path and not is_information_schema(schema):
        catalog = call.open(schema.catalog)
        names = [(name, False) for name in catalog.list_tables(schema.path)]
        names += [(name, True) for name in catalog.list_views(schema.path)]
        for name, is_view in sorted(names):
            if not command.pattern.matches(name):
                continue
            call.run.cancellation.check()
            facts = _facts(catalog, RelationName(schema, name), call, is_view=is_view)
            if facts:
                yield _path(schema), name, False, "\n".join(facts) + "\n"
    for view in call.session.temporary_views():
        if command.pattern.matches(view.name):
            facts = [f"Table: {view.name}", "Type: VIEW", f"View Text: {view.text}"]
            yield "", view.name, True, "\n".join([*facts, *_tree(view.columns)]) + "\n"


def _facts(catalog: Catalog, name: RelationName, call: CommandCall, *, is_view: bool) -> list[str]:
    """Nothing of what is gone since, or not this user's to know."""
    ident = Ident(name.schema.path, name.name)
    try:
        loaded = catalog.load_view(ident) if is_view else catalog.load_table(ident)
        seen = call.redaction(call.session.identity, name, loaded, is_view)
        if seen is None:
            return []
        own = _of_view(seen) if is_view else _of_table(seen, loaded)
        tree = _tree(columns_of(seen))
    except SqeError:
        return []
    facts = [f"Catalog: {name.catalog}", f"Namespace: {_path(name.schema)}", f"Table: {name.name}"]
    return [*facts, *own, *tree]


def _of_table(seen: Json, loaded: Loaded) -> list[str]:
    shown = table_properties(seen, whole=seen is loaded.metadata)
    facts = ["Type: MANAGED", *_own_words(seen)]
    if "location" in seen:  # not of what is seen in part
        facts.append(f"Location: {seen['location']}")
    facts += ["Provider: iceberg"]
    facts += [f"Table Properties: [{','.join(f'{key}={value}' for key, value in shown)}]"]
    parts = ", ".join(part.text for part in parts_of(seen))
    return [*facts, f"Partition Columns: [{parts}]"] if parts else facts


def _of_view(seen: Json) -> list[str]:
    facts = ["Type: VIEW", *_own_words(seen)]
    text = view_text(seen)
    return [*facts, f"View Text: {text}"] if text else facts


def _own_words(metadata: Json) -> list[str]:
    properties = metadata.get("properties") or {}
    words = ("comment", "owner")
    return [f"{word.capitalize()}: {properties[word]}" for word in words if properties.get(word)]


def _path(schema: SchemaName) -> str:
    return ".".join(quote(part) for part in schema.path)


def _tree(columns: Sequence[Column]) -> list[str]:
    lines = ["Schema: root"]
    for column in columns:
        lines += _branch(column.name, parse_type(column.type), column.nullable, " |-- ")
    return lines


def _branch(name: str, kind: Type, nullable: bool, bars: str) -> list[str]:
    word = {Array: "array", Map: "map", Struct: "struct"}.get(type(kind), str(kind))
    flag = str(nullable).lower()
    lines = [f"{bars}{name}: {_WORDS.get(word, word)} (nullable = {flag})"]
    below = bars.replace("|-- ", "|    |-- ")
    if isinstance(kind, Array):
        inner = _branch("element", kind.element, kind.nulls, below)
        return [*lines, inner[0].replace("(nullable", "(containsNull"), *inner[1:]]
    if isinstance(kind, Map):
        key = [*_branch("key", kind.key, True, below)]
        key[0] = key[0].rpartition(" (")[0]
        value = _branch("value", kind.value, kind.nulls, below)
        value[0] = value[0].replace("(nullable", "(valueContainsNull")
        return [*lines, *key, *value]
    if isinstance(kind, Struct):
        for member in kind.members:
            lines += _branch(member.name, member.type, member.nullable, below)
    return lines


TABLE_EXTENDED: dict[type[Command], Answer] = {
    ShowTableExtended: answer(
        (
            *strings("namespace", "tableName"),
            Column("isTemporary", "boolean"),
            *strings("information"),
        ),
        _table_extended,
    ),
}
