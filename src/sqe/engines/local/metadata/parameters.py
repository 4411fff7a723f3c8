"""Parameters of a query over ``information_schema``: looked at as literals, sent as values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from sqe.engines.local.plan import NotLocal
from sqe.model.query import Parameter
from sqe.sql.dialect import MARKER

_NUMBER = "sqe_parameter"  # in a literal's meta: which parameter it stands for
_DUCKDB = {"string": "VARCHAR", "int": "INT", "bigint": "BIGINT"}


def as_literals(
    tree: exp.Expr, parameters: Sequence[Parameter], shows: Callable[[exp.Expr], bool]
) -> None:
    """Each marker becomes a literal that knows its number. ``shows``: a name would show it."""
    nodes = sorted(tree.find_all(exp.Placeholder), key=lambda node: node.meta[MARKER])
    if len(nodes) != len(parameters):
        raise NotLocal("a parameter that is not a value")
    for number, (node, parameter) in enumerate(zip(nodes, parameters, strict=True)):
        if isinstance(node.parent, exp.Group | exp.Ordered):
            raise NotLocal("a position as a parameter")
        if shows(node):
            raise NotLocal("a parameter that shows in a column's name")
        literal = _literal(parameter)
        literal.meta[_NUMBER] = number
        node.replace(literal)


def as_parameters(tree: exp.Expr, parameters: Sequence[Parameter]) -> dict[str, object]:
    """The literals become DuckDB's own markers; their values by name."""
    values: dict[str, object] = {}
    for node in list(tree.find_all(exp.Literal)):
        number = node.meta.get(_NUMBER)
        if number is not None:
            values[f"p{number}"] = parameters[number].value
            marker = exp.Parameter(this=exp.Var(this=f"p{number}"))
            kind = exp.DataType.build(_DUCKDB[parameters[number].type])
            node.replace(exp.Cast(this=marker, to=kind))
    return values


def _literal(parameter: Parameter) -> exp.Expr:
    """For NULL, one of its type: what is compared with it is never true, whatever is looked up."""
    value = parameter.value
    if parameter.type == "string":
        return exp.Literal.string(str(value or ""))
    if parameter.type in _DUCKDB and (value is None or (isinstance(value, int) and value >= 0)):
        return exp.Literal.number(value or 0)
    raise NotLocal(f"a parameter of type {parameter.type}")
