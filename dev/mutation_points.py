"""Small defects to put into code: a check left out, a condition turned round, a value dropped."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType

# Of a long literal only so many elements are dropped, one at a time.
ELEMENTS = 12
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}


@dataclass(frozen=True)
class Mutant:
    """``function``: the outermost one that the defect is in, or the name that is assigned at the
    top of the module."""

    path: Path
    number: int
    line: int
    function: str
    what: str

    def code(self) -> CodeType:
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        changes = list(_changes(tree))
        changes[self.number].apply()
        return compile(ast.fix_missing_locations(tree), str(self.path), "exec")

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.function}: {self.what}"


@dataclass(frozen=True)
class _Change:
    line: int
    function: str
    what: str
    apply: Callable[[], object]


def mutants(path: Path) -> list[Mutant]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        Mutant(path, number, change.line, change.function, change.what)
        for number, change in enumerate(_changes(tree))
    ]


def _changes(tree: ast.Module) -> Iterator[_Change]:
    for statement in tree.body:
        match statement:
            case ast.FunctionDef():
                yield from _inside(statement, statement.name)
            case ast.ClassDef():
                for inner in statement.body:
                    if isinstance(inner, ast.FunctionDef):
                        yield from _inside(inner, f"{statement.name}.{inner.name}")
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if not isinstance(value, ast.Subscript):  # which is a type
                yield from _within(value, name)


def _inside(function: ast.FunctionDef, name: str) -> Iterator[_Change]:
    """Of the body alone: not of decorators, annotations and the docstring."""
    for statement in function.body:
        yield from _within(statement, name)


def _within(root: ast.AST, name: str) -> Iterator[_Change]:
    kinds = [id(node.slice) for node in ast.walk(root) if isinstance(node, ast.Subscript)]
    for node in ast.walk(root):
        if id(node) in kinds:  # of a type, or a key
            continue
        for what, apply in _defects(node):
            yield _Change(getattr(node, "lineno", 0), name, what, apply)


Defect = tuple[str, Callable[[], object]]


def _defects(node: ast.AST) -> Iterator[Defect]:
    yield from _conditions(node)
    yield from _elements(node)
    yield from _left_out(node)


def _conditions(node: ast.AST) -> Iterator[Defect]:
    match node:
        case ast.If() | ast.IfExp() | ast.While():
            yield f"not ({_short(node.test)})", partial(_negate, node)
        case ast.comprehension(ifs=[_, *_]):
            yield f"without if {_short(node.ifs[0])}", node.ifs.clear
        case ast.Compare(ops=[operator]) if type(operator) in _TURNED:
            yield f"turned {_short(node)}", partial(_turn, node)
        case ast.Return(value=ast.Constant(value=bool() as given)):
            yield f"return {not given}", partial(_flip, node)
        case ast.Call(func=ast.Name(id="any" | "all" as given) as name):
            other = "all" if given == "any" else "any"
            yield f"{other} instead of {given}", partial(setattr, name, "id", other)


def _elements(node: ast.AST) -> Iterator[Defect]:
    """One operand of AND and OR, one element of what is written out."""
    match node:
        case ast.BoolOp(values=values):
            for place, value in enumerate(values):
                yield f"without {_short(value)}", partial(_operand, node, place)
            return
        case ast.Set(elts=parts):
            pass
        case ast.Tuple(elts=parts, ctx=ast.Load()) | ast.List(elts=parts, ctx=ast.Load()):
            pass
        case ast.Dict(keys=keys) if len(keys) > 1:
            for place, key in enumerate(keys[:ELEMENTS]):
                yield f"without {_short(key or node)}", partial(_drop, node, place)
            return
        case _:
            return
    if len(parts) > 1:
        for place, value in enumerate(parts[:ELEMENTS]):
            yield f"without {_short(value)}", partial(parts.pop, place)


def _left_out(node: ast.AST) -> Iterator[Defect]:
    """Statements of a block: an error that is not raised, a call that is not made."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if not isinstance(block, list):
            continue
        for place, statement in enumerate(block):
            if isinstance(statement, ast.Raise) or _is_call(statement):
                yield f"without {_short(statement)}", partial(_pass, block, place)


def _pass(block: list[ast.stmt], place: int) -> None:
    block[place] = ast.Pass()


def _is_call(statement: ast.stmt) -> bool:
    """Not of a log, which nobody's rights hang on."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    return not ast.unparse(statement.value.func).lower().startswith("_log.")


def _negate(node: ast.If | ast.IfExp | ast.While) -> None:
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _turn(node: ast.Compare) -> None:
    node.ops[0] = _TURNED[type(node.ops[0])]()


def _flip(node: ast.Return) -> None:
    assert isinstance(node.value, ast.Constant)
    node.value = ast.Constant(not node.value.value)


def _operand(node: ast.BoolOp, place: int) -> None:
    """Of two, the other one with itself."""
    node.values.pop(place)
    if len(node.values) == 1:
        node.values.append(node.values[0])


def _drop(node: ast.Dict, place: int) -> None:
    node.keys.pop(place)
    node.values.pop(place)


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else f"{text[:57]}…"
