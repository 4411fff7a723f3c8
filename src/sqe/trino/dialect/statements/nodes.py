"""The trees of statements that define or change something.

Those that only look (SHOW, DESCRIBE) or change the session are in ``session_nodes``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqe.trino.dialect.nodes import (
    Expression,
    FunctionSpecification,
    Identifier,
    Name,
    Node,
    Query,
    Relation,
    Statement,
)


@dataclass(frozen=True, slots=True)
class Property(Node):
    """``name = value`` in WITH or SET PROPERTIES; no value is DEFAULT."""

    name: Identifier
    value: Expression | None


Properties = tuple[Property, ...]


@dataclass(frozen=True, slots=True)
class ColumnDefinition(Node):
    name: Name  # more than one part: a nested field, in ADD COLUMN
    type: str  # as written
    type_at: int = field(compare=False)
    not_null: bool = False
    default: Expression | None = None
    comment: str | None = None
    properties: Properties = ()


@dataclass(frozen=True, slots=True)
class LikeClause(Node):
    name: Name
    including: bool = False  # PROPERTIES


@dataclass(frozen=True, slots=True)
class Principal(Node):
    kind: str  # USER, ROLE or nothing
    name: Identifier


# -------------------------------------------------------------------- schemas


@dataclass(frozen=True, slots=True)
class CreateSchema(Statement):
    name: Name
    if_not_exists: bool = False
    owner: Principal | None = None
    properties: Properties = ()


@dataclass(frozen=True, slots=True)
class DropSchema(Statement):
    name: Name
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class RenameSchema(Statement):
    name: Name
    target: Identifier


@dataclass(frozen=True, slots=True)
class SetAuthorization(Statement):
    """ALTER SCHEMA, TABLE, VIEW or MATERIALIZED VIEW … SET AUTHORIZATION."""

    kind: str
    name: Name
    principal: Principal


# --------------------------------------------------------------------- tables


@dataclass(frozen=True, slots=True)
class CreateTable(Statement):
    name: Name
    elements: tuple[ColumnDefinition | LikeClause, ...]
    or_replace: bool = False
    if_not_exists: bool = False
    comment: str | None = None
    properties: Properties = ()


@dataclass(frozen=True, slots=True)
class CreateTableAs(Statement):
    name: Name
    query: Query
    aliases: tuple[Identifier, ...] = ()
    or_replace: bool = False
    if_not_exists: bool = False
    comment: str | None = None
    properties: Properties = ()
    with_data: bool = True


@dataclass(frozen=True, slots=True)
class Drop(Statement):
    kind: str  # TABLE, VIEW, MATERIALIZED VIEW
    name: Name
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Rename(Statement):
    kind: str  # TABLE, VIEW, MATERIALIZED VIEW
    name: Name
    target: Name
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AddColumn(Statement):
    name: Name
    column: ColumnDefinition
    if_exists: bool = False
    if_not_exists: bool = False  # of the column
    first: bool = False
    after: Identifier | None = None
    last: bool = False


@dataclass(frozen=True, slots=True)
class DropColumn(Statement):
    name: Name
    column: Name
    if_exists: bool = False
    column_if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameColumn(Statement):
    name: Name
    column: Name
    target: Identifier
    if_exists: bool = False
    column_if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterColumn(Statement):
    """``action``: SET DATA TYPE, SET DEFAULT, DROP DEFAULT or DROP NOT NULL."""

    name: Name
    column: Name
    action: str
    type: str = ""
    type_at: int = field(default=0, compare=False)
    default: Expression | None = None
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class SetProperties(Statement):
    kind: str  # TABLE, MATERIALIZED VIEW
    name: Name
    properties: Properties


@dataclass(frozen=True, slots=True)
class Argument(Node):
    """Of a procedure: by name or by place."""

    name: Identifier | None
    value: Expression


@dataclass(frozen=True, slots=True)
class ExecuteProcedure(Statement):
    """ALTER TABLE … EXECUTE. ``table_at``: the word TABLE, where Trino's errors point."""

    name: Name
    procedure: Identifier
    arguments: tuple[Argument, ...] = ()
    where: Expression | None = None
    table_at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Truncate(Statement):
    name: Name


@dataclass(frozen=True, slots=True)
class Comment(Statement):
    kind: str  # TABLE, VIEW, COLUMN
    name: Name
    comment: str | None


@dataclass(frozen=True, slots=True)
class Analyze(Statement):
    name: Name
    properties: Properties = ()


# ----------------------------------------------------------------------- rows


@dataclass(frozen=True, slots=True)
class Insert(Statement):
    name: Name
    query: Query
    columns: tuple[Identifier, ...] = ()


@dataclass(frozen=True, slots=True)
class Delete(Statement):
    name: Name
    where: Expression | None = None


@dataclass(frozen=True, slots=True)
class Assignment(Node):
    column: Identifier
    value: Expression


@dataclass(frozen=True, slots=True)
class Update(Statement):
    name: Name
    assignments: tuple[Assignment, ...]
    where: Expression | None = None


@dataclass(frozen=True, slots=True)
class MergeCase(Node):
    """``action``: UPDATE, DELETE or INSERT, the last when nothing matched. An INSERT's assignments
    have the columns of its list; without a list they are left to ``values``."""

    action: str
    condition: Expression | None = None
    assignments: tuple[Assignment, ...] = ()
    columns: tuple[Identifier, ...] = ()
    values: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Merge(Statement):
    name: Name
    alias: Identifier | None
    source: Relation
    condition: Expression
    cases: tuple[MergeCase, ...]


# ---------------------------------------------------------------------- views


@dataclass(frozen=True, slots=True)
class CreateView(Statement):
    name: Name
    query: Query
    query_text: str
    or_replace: bool = False
    comment: str | None = None
    security: str = ""  # DEFINER, INVOKER
    properties: Properties = ()


@dataclass(frozen=True, slots=True)
class RefreshView(Statement):
    """ALTER VIEW … REFRESH."""

    name: Name


@dataclass(frozen=True, slots=True)
class CreateMaterializedView(Statement):
    name: Name
    query: Query
    query_text: str
    or_replace: bool = False
    if_not_exists: bool = False
    grace_period: bool = False
    comment: str | None = None
    properties: Properties = ()


@dataclass(frozen=True, slots=True)
class RefreshMaterializedView(Statement):
    name: Name


# ----------------------------------------------------------------- procedures


@dataclass(frozen=True, slots=True)
class CallProcedure(Statement):
    name: Name
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Explain(Statement):
    """``kind``: LOGICAL, DISTRIBUTED, IO or VALIDATE, or SQE's own POLICY; ``format``: TEXT, JSON
    or GRAPHVIZ. Empty: not said."""

    statement: Statement
    kind: str = ""
    format: str = ""
    analyze: bool = False
    verbose: bool = False


@dataclass(frozen=True, slots=True)
class CreateFunction(Statement):
    function: FunctionSpecification
    or_replace: bool = False


@dataclass(frozen=True, slots=True)
class DropFunction(Statement):
    """``types``: Trino's texts, which tell one function of a name from others."""

    name: Name
    types: tuple[str, ...]
    if_exists: bool = False
