"""Named windows: WINDOW w AS (…) is written out where w is used."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.levels import parts
from sqe.engines.local.plan import NotLocal


def with_windows(node: exp.Select) -> exp.Select:
    """The SELECT without its WINDOW clause. The given tree stays as it is."""
    definitions = node.args.get("windows")
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
    for part in list(parts_of_select(copy)):
        if isinstance(part, exp.Window) and part.args.get("alias"):
            _write_out(part, named)
    return copy


def parts_of_select(node: exp.Select) -> Any:
    for key in ("expressions", "having", "order"):
        value = node.args.get(key)
        for child in value if isinstance(value, list) else [value]:
            if child is not None:
                yield from parts(child)


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
