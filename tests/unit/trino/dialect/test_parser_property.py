"""Whatever tree is printed, the parser reads it back."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sqe.trino.dialect import nodes as n
from sqe.trino.dialect.parser import parse_expression

_names = st.sampled_from(["a", "b", "limit", "over", "at", "x1", "Zone", "row", 'q "r"'])
_identifiers = _names.map(lambda name: n.Identifier(0, name))
_strings = st.text(alphabet="ab'\"\\-\n é", max_size=4)


def _leaves() -> st.SearchStrategy[n.Expression]:
    return st.one_of(
        st.integers(-(2**63), 2**63 - 1).map(lambda value: n.LongLiteral(0, value)),
        st.sampled_from(["1.50", ".5", "-2."]).map(lambda text: n.DecimalLiteral(0, text)),
        st.sampled_from(["1e0", "-2.5E-3"]).map(lambda text: n.DoubleLiteral(0, text)),
        _strings.map(lambda value: n.StringLiteral(0, value)),
        st.binary(max_size=3).map(lambda value: n.BinaryLiteral(0, value)),
        st.booleans().map(lambda value: n.BooleanLiteral(0, value)),
        st.just(n.NullLiteral(0)),
        _identifiers.map(lambda name: n.Column(0, name)),
        _strings.map(lambda value: n.GenericLiteral(0, "date", value)),
        st.builds(
            n.IntervalLiteral,
            st.just(0),
            _strings,
            st.booleans(),
            st.sampled_from(["year", "second"]),
            st.sampled_from([None, "month"]),
        ),
    )


def _inner(inside: st.SearchStrategy[n.Expression]) -> st.SearchStrategy[n.Expression]:
    zero = st.just(0)
    some = st.lists(inside, min_size=1, max_size=3).map(tuple)
    two = st.lists(inside, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(n.Arithmetic, zero, st.sampled_from("+-*/%"), inside, inside),
        st.builds(n.Negative, zero, inside, st.sampled_from("+-")),
        st.builds(n.Concat, zero, inside, inside),
        st.builds(n.Comparison, zero, st.sampled_from(["=", "<>", "<=", ">"]), inside, inside),
        st.builds(n.Logical, zero, st.sampled_from(["AND", "OR"]), two),
        st.builds(n.Not, zero, inside),
        st.builds(n.IsNull, zero, inside, st.booleans()),
        st.builds(n.Between, zero, inside, inside, inside),
        st.builds(n.InList, zero, inside, some),
        st.builds(n.Like, zero, inside, inside, st.none() | inside),
        st.builds(n.Dereference, zero, inside, _identifiers),
        st.builds(n.Subscript, zero, inside, inside),
        st.builds(n.ArrayConstructor, zero, some),
        st.builds(n.RowConstructor, zero, two),
        st.builds(n.Lambda, zero, st.lists(_identifiers, max_size=2).map(tuple), inside),
        st.builds(n.Case, zero, st.none() | inside, _whens(inside), st.none() | inside),
        st.builds(n.Cast, zero, inside, st.just("decimal(3, 2)"), zero, st.booleans()),
        st.builds(n.Call, zero, st.just((n.Identifier(0, "f"),)), some),
        st.builds(n.AtTimeZone, zero, inside, _strings.map(lambda one: n.StringLiteral(0, one))),
    )


def _whens(inside: st.SearchStrategy[n.Expression]) -> st.SearchStrategy[tuple[n.When, ...]]:
    one = st.builds(n.When, st.just(0), inside, inside)
    return st.lists(one, min_size=1, max_size=2).map(tuple)


def _quoted(text: str, mark: str = "'") -> str:
    return mark + text.replace(mark, mark * 2) + mark


def _listed(items: tuple[n.Expression, ...]) -> str:
    return ", ".join(printed(item) for item in items)


def _literal(node: n.Expression) -> str | None:
    match node:
        case n.LongLiteral(value=value):
            return str(value)
        case n.DecimalLiteral(text=text) | n.DoubleLiteral(text=text):
            return text
        case n.StringLiteral(value=value):
            return _quoted(value)
        case n.BinaryLiteral(value=value):
            return f"X'{value.hex()}'"
        case n.BooleanLiteral(value=value):
            return str(value)
        case n.NullLiteral():
            return "null"
        case n.GenericLiteral(type=kind, value=value):
            return f"{kind} {_quoted(value)}"
        case n.IntervalLiteral(value=value, negative=negative, start=start, end=end):
            to = f" TO {end}" if end else ""
            return f"INTERVAL {'-' if negative else '+'} {_quoted(value)} {start}{to}"
        case n.Column(identifier=identifier):
            return _quoted(identifier.name, '"')
    return None


def _operation(node: n.Expression) -> str | None:
    match node:
        case (
            n.Arithmetic(operator=operator, left=left, right=right)
            | n.Comparison(operator=operator, left=left, right=right)
        ):
            return f"({printed(left)}) {operator} ({printed(right)})"
        case n.Concat(left=left, right=right):
            return f"({printed(left)}) || ({printed(right)})"
        case n.Negative(value=value, sign=sign):
            return f"{sign} ({printed(value)})"
        case n.Logical(operator=operator, terms=terms):
            return f" {operator} ".join(f"({printed(term)})" for term in terms)
        case n.Not(value=value):
            return f"NOT ({printed(value)})"
        case n.IsNull(value=value, negated=negated):
            return f"({printed(value)}) IS {'NOT ' if negated else ''}NULL"
    return _predicate(node)


def _predicate(node: n.Expression) -> str | None:
    match node:
        case n.Between(value=value, low=low, high=high):
            return f"({printed(value)}) BETWEEN ({printed(low)}) AND ({printed(high)})"
        case n.InList(value=value, items=items):
            return f"({printed(value)}) IN ({_listed(items)})"
        case n.Like(value=value, pattern=pattern, escape=escape):
            tail = f" ESCAPE ({printed(escape)})" if escape else ""
            return f"({printed(value)}) LIKE ({printed(pattern)}){tail}"
        case n.AtTimeZone(value=value, zone=zone):
            return f"({printed(value)}) AT TIME ZONE {printed(zone)}"
    return None


def printed(node: n.Expression) -> str:
    """Every operand in brackets, so that precedence plays no part."""
    match node:
        case n.Dereference(base=base, field=field):
            return f"({printed(base)}).{_quoted(field.name, chr(34))}"
        case n.Subscript(value=value, index=index):
            return f"({printed(value)})[({printed(index)})]"
        case n.ArrayConstructor(items=items):
            return f"ARRAY[{_listed(items)}]"
        case n.RowConstructor(items=items):
            return f"({_listed(items)})"
        case n.Lambda(parameters=parameters, body=body):
            names = ", ".join(_quoted(one.name, '"') for one in parameters)
            return f"({names}) -> {printed(body)}"
        case n.Case(operand=operand, whens=whens, default=default):
            arms = " ".join(
                f"WHEN {printed(one.condition)} THEN {printed(one.result)}" for one in whens
            )
            head = f"CASE {printed(operand)}" if operand else "CASE"
            return f"{head} {arms}{f' ELSE {printed(default)}' if default else ''} END"
        case n.Cast(value=value, target_text=target, safe=safe):
            return f"{'TRY_' if safe else ''}CAST({printed(value)} AS {target})"
        case n.Call(name=name, arguments=arguments):
            return f"{name[0].name}({_listed(arguments)})"
    text = _literal(node) or _operation(node)
    assert text is not None
    return text


@settings(max_examples=400, deadline=None)
@given(st.recursive(_leaves(), _inner, max_leaves=12))
def test_a_printed_tree_is_read_back(tree: n.Expression) -> None:
    assert parse_expression(printed(tree)) == tree
