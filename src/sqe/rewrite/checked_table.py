"""A table whose rows a write is held to: the filters of who writes, and what they depend on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from sqlglot import Token, TokenType, exp

from sqe.binding.bound import BoundReference, BoundStatement, BoundTable
from sqe.catalog.schemas import current_schema
from sqe.errors import AccessError, ErrorCode
from sqe.model.names import RelationName, quote, string_literal
from sqe.model.query import Column
from sqe.rewrite.filter_columns import column_places, may_be_constant
from sqe.rewrite.writes_text import Assignment
from sqe.sql.dialect import DIALECT
from sqe.sql.splice import Edit
from sqe.sql.statement import Span, Statement

NOT_SEEN = "A row that the statement writes is not one that you may see. Nothing was written."
# Read again where an engine's errors are understood; see ``sql.raised_errors``.
RAISE = f"raise_error('SQE:TRINO:PERMISSION_DENIED:{NOT_SEEN}')"
# What is checked is computed once more when it is written.
_RANDOM = "rand randn random randstr uniform uuid shuffle aes_encrypt"
_NEW_EACH_TIME = frozenset(_RANDOM.split())
# Where a row is stored tells of the rows beside it. Iceberg's columns, and functions.
_STORAGE = """
_file _pos _partition _spec_id _deleted _row_id _last_updated_sequence_number
monotonically_increasing_id spark_partition_id
"""
_OF_STORAGE = frozenset(_STORAGE.split())
ROW = "__sqe"
OPEN, CLOSE = "array_contains(array(", "), TRUE)"
TextOf = Callable[[Sequence[Edit]], str]  # the filters for the engine, with changes to their text
Test = Callable[[exp.Expr], bool]  # whether a condition is true, false or NULL for every row


def barrier(condition: str, then: str = "TRUE") -> tuple[str, str]:
    """What goes before and behind a condition of the user's, so that it is evaluated only where the
    filters hold: CASE goes from one to the next only where the one before is true. Inside of an
    array Spark does not take it apart, nor try to hand it to the storage, which takes it minutes of
    nested ones."""
    return (
        f"{OPEN}CASE WHEN ({condition}\n) THEN CASE WHEN (",
        f"\n) THEN {then} END END{CLOSE}",
    )


@dataclass(frozen=True)
class CheckedTable:
    statement: Statement
    reference: BoundReference
    target: BoundTable
    condition: BoundStatement

    @property
    def columns_in_filters(self) -> list[Column]:
        """The columns that the filters may depend on: all whose names are words of their text."""
        words = self._words
        return [column for column in self.target.columns if column.name.lower() in words]

    @property
    def joins(self) -> bool:
        """Whether the filters have subqueries."""
        return bool(self.condition.references) or "select" in self._words

    @cached_property
    def places(self) -> Mapping[Span, Column] | None:
        """Where the filters name columns; None where that is not certain, or they have subqueries:
        then they can be said only of a row whose columns have the table's own names."""
        text = self.condition.statement.text
        return None if self.joins else column_places(text, self.target.name, self.target.columns)

    @property
    def columns_at_places(self) -> list[Column]:
        """The columns at these places."""
        return list({place.name: place for place in (self.places or {}).values()}.values())

    @property
    def fixed(self) -> bool:
        """Whether the filters may come out the same for every row."""
        return not self.columns_at_places or may_be_constant(self.condition.statement.text)

    @property
    def _words(self) -> set[str]:
        text = self.condition.statement.text
        return {token.text.lower() for token in DIALECT.tokenize(text)}

    def filters(self, text_of: TextOf, columns: Mapping[str, str]) -> str:
        """What they say of a row whose columns are named like this."""
        places = self.places or {}
        return text_of([Edit(span, columns[place.name]) for span, place in places.items()])

    def filters_on_stored(self, text_of: TextOf) -> str:
        """What they say of a row of the only table that is there, whatever that is called here.
        With subqueries, they say it in their own words."""
        return self.filters(
            text_of, {column.name: quote(column.name) for column in self.columns_at_places}
        )

    def shows(self, text_of: TextOf, values: Mapping[str, str]) -> str:
        """The filters over the values as they will be stored, each of them computed once and where
        it stands: in a subquery, a name could mean another of the new values."""
        members = [
            f"{string_literal(column.name)}, CAST({values[column.name]} AS {column.type})"
            for column in self.columns_at_places
        ]
        condition = self.filters(text_of, {name: f"{ROW}.{quote(name)}" for name in values})
        if not members:
            return f"({condition}\n)"
        return f"exists(array(named_struct({', '.join(members)})), {ROW} -> ({condition}\n))"

    def column(self, assignment: Assignment) -> Column | None:
        """The column that is assigned as a whole; None: a part of one, or not to be told."""
        *before, last = assignment.target
        reference = self.reference.reference
        full = (reference.alias,) if reference.alias is not None else self.target.name.parts
        known = [part.lower() for part in full]
        if before and before != known[-len(before) :]:
            return None
        return next((column for column in self.target.columns if column.name.lower() == last), None)

    def refuse_vague(self, one: Assignment) -> None:
        if self.column(one) is None:
            raise self.refusal(f"write {'.'.join(one.target)} as a whole")
        if one.default:
            raise self.refusal("write the values instead of DEFAULT")

    def refuse_assignment(self, one: Assignment) -> None:
        """To a column that the filters depend on."""
        self.refuse_vague(one)
        for name, following in pairwise(DIALECT.tokenize(self.statement.text)):
            called = following.token_type is TokenType.L_PAREN and name.text.lower()
            if one.value.start <= name.start < one.value.end and called in _NEW_EACH_TIME:
                raise self.refusal(f"{called} gives another value each time")

    def refuse_storage(self, start: int) -> None:
        refuse_storage(self.statement, self.target.name, start)

    def refuse_defaults(self, columns: Collection[str]) -> None:
        """What INSERT writes to the columns that it leaves out would be seen by nobody before."""
        left_out = {column.name.lower() for column in self.columns_in_filters} - set(columns)
        for field in current_schema(self.target.metadata)["fields"]:
            if field["name"].lower() in left_out and field.get("write-default") is not None:
                raise self.refusal(f"write a value for {field['name']}")

    def refusal(self, why: str, hint: str = "") -> AccessError:
        return not_checked(self.target.name, why, hint)


def refuse_storage(statement: Statement, table: RelationName, start: int) -> None:
    """From a place in the text on."""
    for token in DIALECT.tokenize(statement.text):
        if token.start >= start and _word(token) in _OF_STORAGE:
            raise not_checked(table, f"{_word(token)} would tell how it is stored")


def not_checked(table: RelationName, why: str, hint: str = "") -> AccessError:
    message = f"You see only part of {table}, and writes to it are checked: {why}."
    return AccessError(ErrorCode.ACCESS_DENIED, message, hint=hint)


def subqueries(tree: exp.Expr | None) -> int:
    return sum(1 for _ in tree.find_all(exp.Query, exp.Values)) if tree is not None else 0


def _word(token: Token) -> str:
    return "" if token.token_type is TokenType.STRING else token.text.lower()
