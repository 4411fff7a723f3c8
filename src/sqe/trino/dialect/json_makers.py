"""JSON_OBJECT and JSON_ARRAY."""

from __future__ import annotations

from sqe.model.trino_types import DOUBLE, INTEGERS, REAL, VARCHAR
from sqe.trino.dialect import casts_json, json_sql, nodes
from sqe.trino.dialect.casts import cast
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.json_call import (
    ERRORS,
    INPUT,
    JsonCall,
    cut_text,
    disorder,
    has_one_order,
    is_ordered,
)
from sqe.trino.dialect.json_literal import quote_json
from sqe.trino.dialect.once import once
from sqe.trino.dialect.typed import Typed, fail, string

_PLAIN = ("varchar", "char", "date", "timestamp", "uuid", "time", "unknown")
_TEXTS_OF_JSON = ("json_object", "json_array", "json_query")


def _member_text(call: JsonCall, node: nodes.Expression, form: object) -> str:
    """The JSON text of an argument; NULL for NULL."""
    value = call.analyzer.expression(node, call.scope)
    kind = value.type
    if isinstance(node, nodes.SpecialCall) and node.name in _TEXTS_OF_JSON:
        return value.sql
    if form is not None:
        return _write_json_text(call, node, value, form)
    if kind in (REAL, DOUBLE, *INTEGERS) or kind.base in ("boolean", "decimal"):
        return casts_json.json_text(value, call.at)
    if kind.base not in _PLAIN:
        name = call.node.name.upper()
        message = f"Unsupported type of value passed to {name} function: {kind.display}"
        raise Refused("NOT_SUPPORTED", message, call.at)
    if kind.base == "unknown":
        return "CAST(NULL AS STRING)"
    return json_sql.quote_string(cast(value, VARCHAR, call.at).sql)


def _write_json_text(call: JsonCall, node: nodes.Expression, value: Typed, form: object) -> str:
    """A text that is JSON already: as it is printed, with its members in their order."""
    if form != "JSON" or value.type.base not in ("varchar", "char", "unknown"):
        if form == "JSON" and value.type.base != "varbinary":
            shown = value.type.display
            message = f"Cannot read input of type {shown} as JSON using formatting JSON"
            raise mismatch(message, node.at)
        raise not_supported(f"FORMAT {form} of {value.type}", node.at)
    twice = call.twice(VARCHAR)
    failed = fail(INPUT, string(ERRORS[INPUT]), VARCHAR, call.at)

    def print_text(s: str, d: str) -> str:
        shown = once(
            [json_sql.print_variant(d)],
            lambda r: (
                f"IF({has_one_order(r)} OR {is_ordered(s, d)}, {r}, {disorder(VARCHAR, call.at)})"
            ),
        )
        bad = f"IF({json_sql.is_json(s)}, {twice}, {failed})"
        return f"CASE WHEN {s} IS NULL THEN NULL WHEN {d} IS NULL THEN {bad} ELSE {shown} END"

    text = cast(value, VARCHAR, call.at).sql
    return once([text], lambda s: once([json_sql.variant(s)], lambda d: print_text(s, d)))


def _formats(call: JsonCall) -> tuple[object, ...]:
    formats = call.clauses.get("FORMATS", ())
    return tuple(formats) if isinstance(formats, tuple | list) else ()


def json_array(call: JsonCall) -> Typed:
    kind = call.text_returning()
    arguments = call.node.arguments
    if not arguments:
        return Typed(kind, cut_text("'[]'", kind))
    texts = [
        _member_text(call, argument, form)
        for argument, form in zip(arguments, _formats(call), strict=True)
    ]
    if call.clauses.get("NULLS", "ABSENT") == "NULL":
        texts = [f"coalesce({text}, 'null')" for text in texts]
    inside = f"array_join(array({', '.join(texts)}), ',')"
    return Typed(kind, cut_text(f"concat('[', {inside}, ']')", kind))


def _single_member(call: JsonCall, key: Typed) -> str:
    """Whatever the key is: one member needs no order."""
    (form,), text = _formats(call), cast(key, VARCHAR, call.at).sql
    value = _member_text(call, call.node.arguments[1], form)
    null = fail(
        "INVALID_FUNCTION_ARGUMENT",
        string("null value passed for JSON object key to JSON_OBJECT function"),
        VARCHAR,
        call.at,
    )
    name = json_sql.quote_string(text)

    def write(member: str) -> str:
        if call.clauses.get("NULLS", "NULL") != "ABSENT":
            return f"concat('{{', {name}, ':', coalesce({member}, 'null'), '}}')"
        return f"IF({member} IS NULL, '{{}}', concat('{{', {name}, ':', {member}, '}}'))"

    return f"IF({text} IS NULL, {null}, {once([value], write)})"


def json_object(call: JsonCall) -> Typed:
    """Members come in the order of a Java HashMap of their names, which must be known for that."""
    kind = call.text_returning()
    arguments = call.node.arguments
    if not arguments:
        return Typed(kind, cut_text("'{}'", kind))
    names: list[str] = []
    for node in arguments[::2]:
        key = call.analyzer.expression(node, call.scope)
        if key.type.base not in ("varchar", "char"):
            message = f"Invalid type of JSON object key: {key.type.display}"
            raise Refused("INVALID_FUNCTION_ARGUMENT", message, node.at)
        if not isinstance(key.constant, str) and len(arguments) == 2:
            return Typed(kind, cut_text(_single_member(call, key), kind))
        if not isinstance(key.constant, str):
            raise not_supported("JSON_OBJECT of several keys that are not constant", node.at)
        names.append(key.constant)
    if len(set(names)) < len(names):
        if call.clauses.get("UNIQUE"):
            message = "duplicate key passed to JSON_OBJECT function"
            return Typed(kind, fail("INVALID_FUNCTION_ARGUMENT", string(message), kind, call.at))
        message = "cannot construct a JSON object with duplicate key"
        raise Refused("NOT_SUPPORTED", message, call.at)
    absent = call.clauses.get("NULLS", "NULL") == "ABSENT"
    if absent and len(names) > 12:  # how many there are decides their order
        raise not_supported("JSON_OBJECT of many members with ABSENT ON NULL", call.at)
    members: dict[str, str] = {}
    values = zip(names, arguments[1::2], _formats(call), strict=True)
    for name, node, form in values:
        text = _member_text(call, node, form)
        text = text if absent else f"coalesce({text}, 'null')"
        members[name] = f"concat({string(quote_json(name) + ':')}, {text})"
    inside = f"array_join(array({', '.join(members[item] for item in _order_by_hash(names))}), ',')"
    return Typed(kind, cut_text(f"concat('{{', {inside}, '}}')", kind))


def _order_by_hash(names: list[str]) -> list[str]:
    """In the order of a Java HashMap."""
    size = 16
    while len(names) > size * 3 // 4:
        size *= 2

    def bucket(name: str) -> int:
        code = 0
        units = name.encode("utf-16-be")
        for i in range(0, len(units), 2):
            code = (31 * code + units[i] * 256 + units[i + 1]) & 0xFFFFFFFF
        return (code ^ (code >> 16)) & (size - 1)

    return sorted(names, key=bucket)
