"""Query trees of the generator's own: text with holes, so that shrinking needs no SQL parser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Node:
    """Text and nodes, in order. ``kind`` is a Spark type, or a clause such as ``query``.

    A node may stand for another of the same kind. ``optional`` nodes may be left out; of a list
    (``separator`` is set) every part may be left out but the last one remaining.
    """

    kind: str
    parts: tuple[str | Node, ...]
    optional: bool = False
    separator: str | None = None
    uses: frozenset[str] = field(default=frozenset(), compare=False)  # entries of the catalogue

    def __str__(self) -> str:
        return (self.separator or "").join(str(part) for part in self.parts)

    @property
    def children(self) -> tuple[Node, ...]:
        return tuple(part for part in self.parts if isinstance(part, Node))

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def size(self) -> int:
        return sum(1 for _ in self.walk())

    def used(self) -> frozenset[str]:
        """Every catalogue entry that occurs in this tree, and every kind of value."""
        names = (name for node in self.walk() for name in node.uses)
        return frozenset([*names, *(f"type {node.kind}" for node in self.walk())])


def node(kind: str, *parts: str | Node, uses: str = "", optional: bool = False) -> Node:
    return Node(
        kind, parts, optional=optional, uses=frozenset(uses.split()) if uses else frozenset()
    )


def listing(kind: str, parts: list[Node], separator: str = ", ") -> Node:
    return Node(kind, tuple(parts), separator=separator)


def nothing(kind: str) -> Node:
    return Node(kind, ())


def paths(root: Node) -> Iterator[tuple[int, ...]]:
    """Where each node of the tree is, parents first."""
    yield ()
    for index, part in enumerate(root.parts):
        if isinstance(part, Node):
            for path in paths(part):
                yield (index, *path)


def at(root: Node, path: tuple[int, ...]) -> Node:
    for index in path:
        part = root.parts[index]
        if not isinstance(part, Node):
            raise IndexError("a path leads to text")
        root = part
    return root


def put(root: Node, path: tuple[int, ...], new: Node) -> Node:
    """The tree with another node at this place."""
    if not path:
        return new
    index, *rest = path
    part = root.parts[index]
    if not isinstance(part, Node):
        raise IndexError("a path leads to text")
    parts = (*root.parts[:index], put(part, tuple(rest), new), *root.parts[index + 1 :])
    return replace(root, parts=parts)
