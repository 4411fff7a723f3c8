"""The tree of a Trino statement. Every node knows where in the text it begins.

``at`` is the place that Trino's own errors point to: for comparison, arithmetic, ``||``, LIKE,
BETWEEN, IN, IS and AT TIME ZONE the operator (of ``NOT LIKE`` the NOT), for all else, also AND, OR
and subscripts, the first character.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Node:
    at: int = field(compare=False)  # offset in the text; trees of equal meaning are equal


@dataclass(frozen=True, slots=True)
class Identifier(Node):
    """``name`` as written. Trino's names do not differ by case; ``quoted`` matters for output
    names only."""

    name: str
    quoted: bool = field(default=False, compare=False)


Name = tuple[Identifier, ...]  # a.b.c


# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Expression(Node):
    pass


@dataclass(frozen=True, slots=True)
class NullLiteral(Expression):
    pass


@dataclass(frozen=True, slots=True)
class BooleanLiteral(Expression):
    value: bool


@dataclass(frozen=True, slots=True)
class StringLiteral(Expression):
    value: str  # also U&'…'


@dataclass(frozen=True, slots=True)
class BinaryLiteral(Expression):
    value: bytes


@dataclass(frozen=True, slots=True)
class LongLiteral(Expression):
    value: int  # underscores, 0x, 0o, 0b resolved


@dataclass(frozen=True, slots=True)
class DecimalLiteral(Expression):
    text: str  # without underscores: ``1.20``


@dataclass(frozen=True, slots=True)
class DoubleLiteral(Expression):
    text: str  # 1e0


@dataclass(frozen=True, slots=True)
class GenericLiteral(Expression):
    """``DATE '…'``, ``TIMESTAMP '…'``, ``DECIMAL '…'``: any type name and a string."""

    type: str
    value: str


@dataclass(frozen=True, slots=True)
class IntervalLiteral(Expression):
    value: str
    negative: bool
    start: str  # year, month, day, hour, minute, second
    end: str | None = None


@dataclass(frozen=True, slots=True)
class Parameter(Expression):
    index: int  # of ``?``, from 0


@dataclass(frozen=True, slots=True)
class Column(Expression):
    """An identifier used as an expression."""

    identifier: Identifier


@dataclass(frozen=True, slots=True)
class Dereference(Expression):
    """``base.field``: a qualified column or a row's field."""

    base: Expression
    field: Identifier


@dataclass(frozen=True, slots=True)
class Arithmetic(Expression):
    operator: str  # + - * / %
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Negative(Expression):
    value: Expression
    sign: str = "-"  # or "+"


@dataclass(frozen=True, slots=True)
class Comparison(Expression):
    operator: str  # = <> < <= > >= "IS DISTINCT FROM"  (!= is <>)
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Quantified(Expression):
    """``x = ANY (SELECT …)``."""

    operator: str
    quantifier: str  # ALL, ANY (SOME is ANY)
    value: Expression
    query: Query


@dataclass(frozen=True, slots=True)
class Logical(Expression):
    operator: str  # AND, OR
    terms: tuple[Expression, ...]  # flat: a AND b AND c


@dataclass(frozen=True, slots=True)
class Not(Expression):
    value: Expression


@dataclass(frozen=True, slots=True)
class IsNull(Expression):
    value: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Between(Expression):
    """NOT BETWEEN is Not(Between)."""

    value: Expression
    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True)
class InList(Expression):
    value: Expression
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class InQuery(Expression):
    value: Expression
    query: Query


@dataclass(frozen=True, slots=True)
class Like(Expression):
    value: Expression
    pattern: Expression
    escape: Expression | None = None


@dataclass(frozen=True, slots=True)
class Exists(Expression):
    query: Query


@dataclass(frozen=True, slots=True)
class ScalarQuery(Expression):
    query: Query


@dataclass(frozen=True, slots=True)
class Concat(Expression):
    """``a || b``."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class AtTimeZone(Expression):
    value: Expression
    zone: Expression  # a string or an interval expression


@dataclass(frozen=True, slots=True)
class Cast(Expression):
    """``target`` is None where the text names no known type form; ``target_text`` as written."""

    value: Expression
    target_text: str
    target_at: int = field(compare=False)
    safe: bool = False  # TRY_CAST


@dataclass(frozen=True, slots=True)
class When(Node):
    condition: Expression
    result: Expression


@dataclass(frozen=True, slots=True)
class Case(Expression):
    operand: Expression | None
    whens: tuple[When, ...]
    default: Expression | None


@dataclass(frozen=True, slots=True)
class ArrayConstructor(Expression):
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class RowConstructor(Expression):
    """``ROW(a, b)`` or ``(a, b)``; names where ``ROW(1 AS x)`` gives them."""

    items: tuple[Expression, ...]
    names: tuple[Identifier | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Subscript(Expression):
    value: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Lambda(Expression):
    parameters: tuple[Identifier, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class SortItem(Node):
    expression: Expression
    ascending: bool = True
    nulls_first: bool | None = None  # None: Trino's default, nulls last


@dataclass(frozen=True, slots=True)
class FrameBound(Node):
    kind: str  # UNBOUNDED PRECEDING, PRECEDING, CURRENT ROW, FOLLOWING, UNBOUNDED FOLLOWING
    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Frame(Node):
    unit: str  # ROWS, RANGE, GROUPS
    start: FrameBound
    end: FrameBound | None


@dataclass(frozen=True, slots=True)
class WindowSpec(Node):
    existing: Identifier | None = None
    partition_by: tuple[Expression, ...] = ()
    order_by: tuple[SortItem, ...] = ()
    frame: Frame | None = None
    order_at: int = field(default=0, compare=False)  # where ORDER BY stands


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """A function call, also those with a syntax of their own: ``EXTRACT``, ``TRIM``, ``SUBSTRING``
    (as ``substr``), ``POSITION``, ``NORMALIZE``, ``TRY``, ``IF``, ``COALESCE``, ``NULLIF``,
    ``GROUPING``, and the words without brackets (``current_date``), which have ``words`` set.

    EXTRACT(f FROM x): name ``extract``, arguments (StringLiteral(f), x). TRIM(spec c FROM x): name
    ``trim``/``ltrim``/``rtrim`` and (x[, c]). POSITION(a IN b): name ``position`` and (a, b).
    """

    name: Name
    arguments: tuple[Expression, ...] = ()
    star: bool = False  # count(*)
    distinct: bool = False
    order_by: tuple[SortItem, ...] = ()
    filter: Expression | None = None
    null_treatment: str | None = None  # "IGNORE NULLS", "RESPECT NULLS"
    window: WindowSpec | Identifier | None = None
    words: bool = False
    within_group: bool = False  # LISTAGG's; order_by has its order


@dataclass(frozen=True, slots=True)
class TypeName(Node):
    """A type inside a clause, as in JSON_VALUE's RETURNING."""

    text: str


@dataclass(frozen=True, slots=True)
class SpecialCall(Expression):
    """JSON_EXISTS, JSON_VALUE, JSON_QUERY, JSON_OBJECT, JSON_ARRAY with their clauses: see
    ``json_parser``."""

    name: str
    arguments: tuple[Expression, ...]
    clauses: tuple[tuple[str, object], ...] = ()


# -------------------------------------------------------------------- queries


@dataclass(frozen=True, slots=True)
class Relation(Node):
    pass


@dataclass(frozen=True, slots=True)
class TableRef(Relation):
    name: Name
    version: Expression | None = None  # FOR VERSION AS OF
    moment: Expression | None = None  # FOR TIMESTAMP AS OF
    travel_at: int = field(default=0, compare=False)  # where FOR stands


@dataclass(frozen=True, slots=True)
class Subquery(Relation):
    query: Query


@dataclass(frozen=True, slots=True)
class Lateral(Relation):
    query: Query


@dataclass(frozen=True, slots=True)
class Unnest(Relation):
    expressions: tuple[Expression, ...]
    ordinality: bool = False
    outer: bool = False  # a row of NULLs for empty arrays; only the translation sets it


@dataclass(frozen=True, slots=True)
class TableFunction(Relation):
    """``TABLE(f(…))``: arguments by name or place, each an Expression, a TableArgument or a
    Descriptor."""

    name: Name
    arguments: tuple[tuple[Identifier | None, Node], ...] = ()
    copartition: tuple[tuple[Name, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class JsonColumn(Node):
    """A column of JSON_TABLE. ``kind``: ORDINALITY, VALUE (as JSON_VALUE gives it), QUERY (as
    JSON_QUERY) or NESTED, which has ``columns`` of its own. ``clauses`` as in ``json_parser``."""

    kind: str
    name: Identifier | None = None  # of NESTED: its path's
    path: StringLiteral | None = None
    clauses: tuple[tuple[str, object], ...] = ()
    columns: tuple[JsonColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class JsonTable(Relation):
    """``call`` has the input, the path and their clauses; ``plan`` how the rows of nested paths
    meet those around them: INNER or OUTER by the path's name, or for all under ""."""

    call: SpecialCall
    columns: tuple[JsonColumn, ...]
    plan: tuple[tuple[str, str], ...] = ()
    raises: bool = False  # ERROR ON ERROR
    outer: bool = False  # a row of NULLs where there is none; only the translation sets it


@dataclass(frozen=True, slots=True)
class TableArgument(Node):
    relation: Relation
    partition_by: tuple[Expression, ...] | None = None  # None: not written
    order_by: tuple[SortItem, ...] = ()
    when_empty: str | None = None  # PRUNE, KEEP


@dataclass(frozen=True, slots=True)
class Descriptor(Node):
    """``DESCRIPTOR(a, b bigint)``; None for ``CAST(NULL AS DESCRIPTOR)``."""

    fields: tuple[tuple[Identifier, TypeName | None], ...] | None


@dataclass(frozen=True, slots=True)
class Aliased(Relation):
    relation: Relation
    alias: Identifier
    columns: tuple[Identifier, ...] = ()


@dataclass(frozen=True, slots=True)
class Sampled(Relation):
    relation: Relation
    method: str  # BERNOULLI, SYSTEM
    percentage: Expression


@dataclass(frozen=True, slots=True)
class Join(Relation):
    kind: str  # CROSS, INNER, LEFT, RIGHT, FULL, IMPLICIT (a comma)
    left: Relation
    right: Relation
    condition: Expression | None = None
    using: tuple[Identifier, ...] = ()
    natural: bool = False


@dataclass(frozen=True, slots=True)
class MatchRecognize(Relation):
    relation: Relation


@dataclass(frozen=True, slots=True)
class SelectItem(Node):
    expression: Expression
    alias: Identifier | None = None


@dataclass(frozen=True, slots=True)
class Star(Node):
    """``*``, ``t.*`` or ``expression.* [AS (a, b)]``."""

    target: Expression | None = None
    aliases: tuple[Identifier, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupingElement(Node):
    kind: str  # SIMPLE, ROLLUP, CUBE, SETS, AUTO
    sets: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class GroupBy(Node):
    elements: tuple[GroupingElement, ...]
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Select(Node):
    items: tuple[SelectItem | Star, ...]
    distinct: bool = False
    source: Relation | None = None
    where: Expression | None = None
    group_by: GroupBy | None = None
    having: Expression | None = None
    windows: tuple[tuple[Identifier, WindowSpec], ...] = ()


@dataclass(frozen=True, slots=True)
class Values(Node):
    rows: tuple[Expression, ...]  # RowConstructor, or one expression for one column


@dataclass(frozen=True, slots=True)
class TableQuery(Node):
    """``TABLE t``."""

    table: TableRef


@dataclass(frozen=True, slots=True)
class SetOperation(Node):
    operator: str  # UNION, INTERSECT, EXCEPT
    distinct: bool
    left: Body
    right: Body
    corresponding: bool = False


@dataclass(frozen=True, slots=True)
class With(Node):
    name: Identifier
    columns: tuple[Identifier, ...]
    query: Query


@dataclass(frozen=True, slots=True)
class Query(Node):
    """A body with what may stand around it. A bracketed query inside a body is a Query too."""

    body: Body
    withs: tuple[With, ...] = ()
    recursive: bool = False
    order_by: tuple[SortItem, ...] = ()
    offset: Expression | None = None
    limit: Expression | None = None  # LIMIT n, FETCH FIRST n; None also for LIMIT ALL
    with_ties: bool = False
    fetch: bool = False  # the limit was written FETCH FIRST
    limit_at: int = field(default=0, compare=False)  # where LIMIT or FETCH stands
    functions: tuple[FunctionSpecification, ...] = ()  # WITH FUNCTION …


Body = Select | Values | TableQuery | SetOperation | Query


@dataclass(frozen=True, slots=True)
class FunctionParameter(Node):
    """``type`` is Trino's text."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class FunctionSpecification(Node):
    """``FUNCTION name(…) RETURNS type … RETURN expression``; ``text`` is all of that."""

    name: Name
    parameters: tuple[FunctionParameter, ...]
    returns: str
    body: Expression
    text: str = field(compare=False)
    comment: str | None = None
    deterministic: bool | None = None
    null_on_null: bool = False  # RETURNS NULL ON NULL INPUT


# ----------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Statement(Node):
    pass


@dataclass(frozen=True, slots=True)
class QueryStatement(Statement):
    query: Query


@dataclass(frozen=True, slots=True)
class Prepare(Statement):
    name: Identifier
    text: str  # as written after FROM


@dataclass(frozen=True, slots=True)
class Execute(Statement):
    name: Identifier
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class ExecuteImmediate(Statement):
    text: str
    text_at: int = field(compare=False)
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Deallocate(Statement):
    name: Identifier


@dataclass(frozen=True, slots=True)
class DescribePrepared(Statement):
    what: str  # INPUT, OUTPUT
    name: Identifier
