"""Walking a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from sqe.trino.dialect import nodes


def children(node: nodes.Node) -> Iterator[nodes.Node]:
    """The nodes right below, in the order of the text as far as it is known."""
    for field in fields(node):
        yield from _nodes(getattr(node, field.name))


def _nodes(value: object) -> Iterator[nodes.Node]:
    if isinstance(value, nodes.Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)


def walk(node: nodes.Node, *, into_queries: bool = False) -> Iterator[nodes.Node]:
    """The node and all below it; subqueries only where asked for."""
    yield node
    for child in children(node):
        if into_queries or not isinstance(child, nodes.Query):
            yield from walk(child, into_queries=into_queries)
