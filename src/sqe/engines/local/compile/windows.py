"""Named windows: WINDOW w AS (…) is written out where w is used."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.levels import parts
from sqe.engines.local.plan import NotLocal


def with_windows(node: exp.Select) -> exp.Select:
    """The SELECT without its WINDOW clause. The given tree stays as it is. In ORDER BY Spark does
    not know the names."""
    definitions = node.args.get("windows")
    order = node.args.get("order")
    if order is not None and any(_is_named(part) for part in parts(order)):
        raise NotLocal("a named window in ORDER BY is Spark's")
    if not definitions:
        return node
    named: dict[str, Any] = {}
    for definition in definitions:
        name = definition.name.lower()
        if name in named or definition.args.get("alias"):
            raise NotLocal("this WINDOW clause is Spark's")
        named[name] = definition
    copy = node.copy()
    copy.set("windows", None)
    for part in [part for item in copy.expressions for part in parts(item)]:
        if _is_named(part):
            _write_out(part, named)
    return copy


def _is_named(node: Any) -> bool:
    return isinstance(node, exp.Window) and bool(node.args.get("alias"))


def _write_out(window: exp.Window, named: dict[str, Any]) -> None:
    definition = named.get(window.args["alias"].name.lower())
    own = [window.args.get(key) for key in ("partition_by", "order", "spec")]
    if definition is None or any(own):
        raise NotLocal("a window made of another is Spark's")
    window.set("alias", None)
    for key in ("partition_by", "order", "spec"):
        value = definition.args.get(key)
        if isinstance(value, list):
            window.set(key, [part.copy() for part in value])
        elif value is not None:
            window.set(key, value.copy())
