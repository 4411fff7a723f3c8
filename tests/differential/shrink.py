"""Makes a differing query as small as it gets while it goes on differing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.differential.literals import SIMPLEST
from tests.differential.tree import Node, at, node, paths, put

# A try costs one query on each engine, so the number of them is what has to be bounded.
MOST_TRIES = 250
MOST_SECONDS = 60.0


def shrink(tree: Node, still_differs: Callable[[Node], bool], tries: int = MOST_TRIES) -> Node:
    """Greedy: the first smaller tree that still differs is the next to start from."""
    deadline = time.monotonic() + MOST_SECONDS
    seen = {str(tree)}
    improved = True
    while improved:
        improved = False
        for smaller in candidates(tree):
            if str(smaller) in seen:
                continue
            if tries <= 0 or time.monotonic() > deadline:
                return tree
            seen.add(str(smaller))
            tries -= 1
            if still_differs(smaller):
                tree, improved = smaller, True
                break
    return tree


def candidates(tree: Node) -> Iterator[Node]:
    """Simpler trees, the greatest steps first: near the root, most is cut off at once."""
    places = list(paths(tree))
    for path in places:
        for replacement in _simpler(at(tree, path)):
            yield put(tree, path, replacement)
    for path in places:
        found = at(tree, path)
        simplest = SIMPLEST.get(found.kind)
        if simplest is not None and found.size > 1:
            yield put(tree, path, node(found.kind, simplest))


def _simpler(found: Node) -> Iterator[Node]:
    if found.optional and found.parts:
        yield replace(found, parts=())
    for below in found.walk():
        if below is not found and below.kind == found.kind:
            yield replace(below, optional=found.optional)
    if found.separator is not None and len(found.parts) > 1:
        for index in range(len(found.parts)):
            yield replace(found, parts=found.parts[:index] + found.parts[index + 1 :])
    if found.kind in ("order", "group") and found.parts:
        yield replace(found, parts=())
