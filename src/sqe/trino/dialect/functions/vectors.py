"""Distances of vectors: arrays of doubles, and maps from a name to a double."""

from __future__ import annotations

from sqe.trino.dialect.functions.arrays import argument_error
from sqe.trino.dialect.functions.registry import Bound, Emit, declare
from sqe.trino.dialect.once import once

_SUM = "aggregate({}, 0D, (s, x) -> s + x)"


def _product(one: str, other: str) -> str:
    return _SUM.format(f"zip_with({one}, {other}, (x, y) -> coalesce(x, 0D) * coalesce(y, 0D))")


def _euclidean(one: str, other: str, zero: str) -> str:
    difference = "(coalesce(x, 0D) - coalesce(y, 0D))"
    squares = f"zip_with({one}, {other}, (x, y) -> {difference} * {difference})"
    return f"sqrt({_SUM.format(squares)})"


def _dot(one: str, other: str, zero: str) -> str:
    return _product(one, other)


def _similarity(one: str, other: str, zero: str) -> str:
    lengths = f"sqrt({_product(one, one)}) * sqrt({_product(other, other)})"
    return f"IF({lengths} = 0, {zero}, {_product(one, other)} / ({lengths}))"


def _distance(one: str, other: str, zero: str) -> str:
    return f"(1D - {_similarity(one, other, zero)})"


_FORMULAS = {
    "euclidean_distance": _euclidean,
    "dot_product": _dot,
    "cosine_similarity": _similarity,
    "cosine_distance": _distance,
}


def _vectors(call: Bound) -> str:
    """A NULL in a vector counts as 0."""
    formula = _FORMULAS[call.function.name]
    length = argument_error(call, "The arguments must have the same length")
    zero = argument_error(call, "Vector magnitude cannot be zero")
    return once(
        [call.sql(0), call.sql(1)],
        lambda a, b: (
            f"CASE WHEN {a} IS NULL OR {b} IS NULL THEN NULL "
            f"WHEN size({a}) <> size({b}) THEN {length} ELSE {formula(a, b, zero)} END"
        ),
    )


_emit: Emit = _vectors
for _name, _what in {
    "euclidean_distance": "Calculates the euclidean distance between two vectors",
    "dot_product": "Calculates the dot product between two vectors",
    "cosine_similarity": "Calculates the cosine similarity between two vectors",
    "cosine_distance": "Calculates the cosine distance between two vectors",
}.items():
    declare(_name, "(array(double), array(double)) -> double", _emit, description=_what)
