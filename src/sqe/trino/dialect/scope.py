"""Which names mean what at one place of a statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqe.model.trino_types import TrinoType
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.typed import Typed


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a column comes from, which only DESCRIBE OUTPUT tells. ``table``: catalog, schema and
    name of the relation whose column it is unchanged, if it is one. ``aliased``: by an AS."""

    table: tuple[str, str, str] | None = None
    aliased: bool = False


UNKNOWN = Origin()


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a relation. ``qualifier`` is what may stand before its name, outermost first:
    ("lake", "sales", "orders") or an alias. ``name`` None cannot be named."""

    name: str | None
    type: TrinoType
    sql: str
    qualifier: tuple[str, ...] = ()
    hidden: bool = False
    origin: Origin = UNKNOWN

    @property
    def as_typed(self) -> Typed:
        return Typed(self.type, self.sql)

    def answers(self, parts: tuple[str, ...]) -> bool:
        """Whether a name of these parts, in lower case, can mean this column."""
        if self.name is None or self.name.lower() != parts[-1]:
            return False
        before = parts[:-1]
        return not before or self.qualifier[len(self.qualifier) - len(before) :] == before

    def belongs_to(self, parts: tuple[str, ...]) -> bool:
        """Whether ``parts.*`` has it."""
        return self.qualifier[len(self.qualifier) - len(parts) :] == parts


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """A query of a WITH clause. ``fields`` have the names of its columns in Spark's text as SQL."""

    name: str  # in Spark's text
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Scope:
    """``parent`` is the scope around a subquery; ``variables`` are the parameters of lambdas,
    ``queries`` those of WITH clauses. ``entered``: what it is the parent of is a subquery.
    ``parameters`` are those of a function whose body this is: their texts may name the first
    ``taken`` variables of lambdas around the call."""

    fields: tuple[Field, ...] = ()
    parent: Scope | None = None
    variables: Mapping[str, Typed] = field(default_factory=dict)
    queries: Mapping[str, NamedQuery] = field(default_factory=dict)
    entered: bool = False
    parameters: Mapping[str, Typed] = field(default_factory=dict)
    taken: int = 0

    def find(self, parts: tuple[str, ...], at: int) -> Field | None:
        """The column of that name here or in a scope around; None if there is none."""
        scope: Scope | None = self
        entered = 0
        while scope is not None:
            entered += scope.entered
            matching = [field for field in scope.fields if field.answers(parts)]
            if len(matching) > 1:
                raise Refused("AMBIGUOUS_NAME", f"Column '{'.'.join(parts)}' is ambiguous", at)
            if matching and entered > 1:
                what = f"Column '{'.'.join(parts)}' of a query more than one level further out"
                raise not_supported(what, at)
            if matching:
                return matching[0]
            scope = scope.parent
        return None

    def is_named_in(self, text: str) -> bool:
        """Whether Spark's text has a column of this scope or of one around it."""
        scope: Scope | None = self
        while scope is not None:
            if any(one.sql in text for one in scope.fields):
                return True
            scope = scope.parent
        return False

    def variable(self, name: str) -> Typed | None:
        return self.variables.get(name.lower()) or self.parameters.get(name.lower())

    @property
    def count_of_variables(self) -> int:
        return max((int(one.sql[1:]) for one in self.variables.values()), default=self.taken)

    def names_of_variables(self, count: int) -> list[str]:
        """For the parameters of a lambda at this place: the same ones wherever it stands, so that
        GROUP BY and SELECT have one text for it."""
        return [f"x{self.count_of_variables + i}" for i in range(1, count + 1)]

    def inside_lambda(self, variables: dict[str, Typed]) -> Scope:
        return replace(self, variables={**self.variables, **variables})

    def with_query(self, name: str, query: NamedQuery) -> Scope:
        return replace(self, queries={**self.queries, name.lower(): query})

    def around(self, fields: tuple[Field, ...]) -> Scope:
        """The scope of something inside this one."""
        return Scope(fields, self, self.variables, self.queries)
