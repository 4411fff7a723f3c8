"""What the clauses of JSON_VALUE and its kin say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqe.model.trino_types import BIGINT, INTEGERS, VARCHAR, TrinoType, carrier
from sqe.trino.dialect import json_sql, nodes
from sqe.trino.dialect.casts import coerce, parse_cast_type
from sqe.trino.dialect.coercion import can_coerce
from sqe.trino.dialect.errors import mismatch, not_supported
from sqe.trino.dialect.json_path import JsonPath, plain_path
from sqe.trino.dialect.once import once
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.typed import fail, string

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer

INPUT, PATH = "JSON_INPUT_CONVERSION_ERROR", "PATH_EVALUATION_ERROR"
VALUE_ERROR, OUTPUT_ERROR = "JSON_VALUE_RESULT_ERROR", "JSON_OUTPUT_CONVERSION_ERROR"


class JsonCall:
    """One of the calls, with what its clauses say."""

    def __init__(self, analyzer: Analyzer, node: nodes.SpecialCall, scope: Scope) -> None:
        self.analyzer, self.node, self.scope = analyzer, node, scope
        self.clauses = dict(node.clauses)
        self.at = node.at

    def parse_returned_type(self) -> TrinoType:
        clause = self.clauses.get("RETURNING")
        if not isinstance(clause, nodes.TypeName):
            return VARCHAR
        kind = parse_cast_type(clause.text, self.at)
        try:
            carrier(kind)
        except KeyError:
            raise mismatch(f"Unknown type: {clause.text}", self.at) from None
        return kind

    def text_returning(self) -> TrinoType:
        kind = self.parse_returned_type()
        if kind.base in ("varbinary", "char"):
            raise not_supported(f"RETURNING {kind}", self.at)
        if kind.base != "varchar":
            message = f"Cannot output JSON value as {kind.display} using formatting JSON"
            raise mismatch(message, self.at)
        return kind

    def evaluate(self, kind: TrinoType, answer: Callable[[str], str]) -> str:
        """``answer`` of the sequence that the path finds."""
        text, path = self.input(), self.path()

        def look(s: str, d: str) -> str:
            sequence = path.evaluate(d)
            inside = once(
                [sequence], lambda q: f"IF({q} IS NULL, {self.on_error(PATH, kind)}, {answer(q)})"
            )
            if path.reorders:
                inside = f"IF({is_ordered(s, d)}, {inside}, {disorder(kind, self.at)})"
            elif self.node.name == "json_query":
                inside = _in_order(s, d, inside, kind, self.path_node)
            bad = f"IF({json_sql.is_json(s)}, {self.twice(kind)}, {self.on_error(INPUT, kind)})"
            return f"CASE WHEN {s} IS NULL THEN NULL WHEN {d} IS NULL THEN {bad} ELSE {inside} END"

        return once([text], lambda s: once([json_sql.variant(s)], lambda d: look(s, d)))

    def input(self) -> str:
        """The text that is looked into."""
        value = self.analyzer.expression(self.node.arguments[0], self.scope)
        if value.type.base not in ("varchar", "char", "unknown"):
            message = (
                f"Cannot read input of type {value.type.display} as JSON using formatting JSON"
            )
            raise mismatch(message, self.node.arguments[0].at)
        return coerce(value, VARCHAR, self.at).sql

    @property
    def path_node(self) -> nodes.StringLiteral:
        path_node = self.node.arguments[1]
        assert isinstance(path_node, nodes.StringLiteral)  # noqa: S101  the parser wants one
        return path_node

    def path(self) -> JsonPath:
        return JsonPath(self.path_node.value, self.path_node.at, self._variables())

    def twice(self, kind: TrinoType | None) -> str:
        message = string("JSON with a key twice is not supported")
        return fail("NOT_SUPPORTED", message, kind, self.at)

    def _variables(self) -> dict[str, str]:
        passed = self.clauses.get("PASSING", ())
        variables: dict[str, str] = {}
        assert isinstance(passed, tuple)  # noqa: S101  the parser makes it
        for name, expression, form in passed:
            value = self.analyzer.expression(expression, self.scope)
            kind = value.type
            if form is not None:
                raise not_supported("PASSING … FORMAT JSON", self.at)
            if kind in INTEGERS:
                value = coerce(value, BIGINT, self.at)
            elif kind.base not in ("varchar", "boolean", "double"):
                raise not_supported(f"PASSING {kind}", self.at)
            key = name.name if name.quoted else name.name.upper()
            variables[key] = f"coalesce(CAST({value.sql} AS VARIANT), parse_json('null'))"
        return variables

    def on_error(self, cause: str, kind: TrinoType) -> str:
        """What ON ERROR says."""
        return self._behaviour("ON ERROR", cause, kind)

    def on_empty(self, cause: str, kind: TrinoType) -> str:
        return self._behaviour("ON EMPTY", cause, kind)

    def _behaviour(self, clause: str, cause: str, kind: TrinoType) -> str:
        default = "FALSE" if self.node.name == "json_exists" else "NULL"
        word = self.clauses.get(clause, default)
        if isinstance(word, nodes.Expression):
            value = self.analyzer.expression(word, self.scope)
            if not can_coerce(value.type, kind):
                message = (
                    f"Function JSON_VALUE default {clause} result must evaluate to a "
                    f"{kind.display} (actual: {value.type.display})"
                )
                raise mismatch(message, word.at)
            return coerce(value, kind, word.at).sql
        if word == "ERROR":
            return fail(cause, string(ERRORS[cause]), kind, self.at)
        texts = {"EMPTY ARRAY": "'[]'", "EMPTY OBJECT": "'{}'", "TRUE": "true", "FALSE": "false"}
        written = texts.get(str(word), "NULL")
        if written.startswith("'") and kind.length is not None:
            return f"substring({written}, 1, {kind.length})"
        return written


ERRORS = {
    INPUT: "conversion to JSON failed: ",
    PATH: "path evaluation failed: structural error",
    VALUE_ERROR: "cannot extract SQL scalar from JSON",
    OUTPUT_ERROR: "conversion from JSON failed",
}


def is_ordered(text: str, document: str) -> str:
    """A VARIANT has its members in the order of their names: whether the document has, too."""
    return (
        f"(schema_of_variant({document}) NOT LIKE '%OBJECT%' OR "
        f"get_json_object({text}, '$') <=> to_json({document}))"
    )


def has_one_order(text: str) -> str:
    """Whether no object in it can have several members."""
    return f"{text} IS NULL OR {text} NOT RLIKE '[{{].*,'"


def disorder(kind: TrinoType, at: int) -> str:
    message = string("JSON with members in this order is not supported")
    return fail("NOT_SUPPORTED", message, kind, at)


def _in_order(
    text: str, document: str, inside: str, kind: TrinoType, path: nodes.StringLiteral
) -> str:
    """The answer of JSON_QUERY with the members in the document's order. Of a plain path Spark can
    copy it from the text; that copy is right if it is the same but for the order."""
    failed = disorder(kind, path.at)
    steps = plain_path(path.value)

    def body(r: str) -> str:
        other = failed
        if steps is not None:
            copy = f"get_json_object(concat('[', {text}, ']'), {string('$[*]' + steps)})"
            other = once([copy], lambda c: _if_same(c, r, failed))
        return f"IF({has_one_order(r)} OR {is_ordered(text, document)}, {r}, {other})"

    return once([inside], body)


def _if_same(copy: str, answer: str, failed: str) -> str:
    same = f"{json_sql.print_variant(json_sql.variant(copy))} <=> {answer}"
    return f"IF({same}, {json_sql.astral(copy)}, {failed})"


def cut_text(text: str, kind: TrinoType) -> str:
    """A text cut to the length of its type."""
    return text if kind.length is None else f"substring({text}, 1, {kind.length})"
