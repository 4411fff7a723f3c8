"""The grouping sets of a GROUP BY, and what the set without keys gives where there are no rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, product

from sqe.trino.dialect import nodes
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.typed import Typed

Keys = tuple[Typed, ...]
_MOST_SETS = 2_048


@dataclass(frozen=True, slots=True)
class Element:
    """``GROUP BY``'s item: ``kind`` is that of its node, ``groups`` what stands in it."""

    kind: str
    groups: tuple[Keys, ...]

    def sets(self) -> Iterator[Keys]:
        count = len(self.groups)
        if self.kind == "ROLLUP":
            chosen = [self.groups[:size] for size in range(count, -1, -1)]
        elif self.kind == "CUBE":
            sizes = range(count, -1, -1)
            chosen = [one for size in sizes for one in combinations(self.groups, size)]
        else:
            chosen = [(group,) for group in self.groups]
        return (tuple(chain.from_iterable(groups)) for groups in chosen)

    @property
    def text(self) -> str:
        written = [", ".join(map(_plain, group)) for group in self.groups]
        if self.kind in ("SIMPLE", "AUTO"):
            return ", ".join(one for one in written if one)
        word = "GROUPING SETS" if self.kind == "SETS" else self.kind
        return f"{word} ({', '.join(f'({one})' for one in written)})"


@dataclass(frozen=True, slots=True)
class Groups:
    """All of GROUP BY. ``asked``: there is a GROUPING(…), which Spark has beside sets only."""

    elements: tuple[Element, ...] = ()
    distinct: bool = False
    asked: bool = False

    @property
    def keys(self) -> Keys:
        return tuple(key for one in self.elements for group in one.groups for key in group)

    @property
    def sets(self) -> list[Keys]:
        sets = [
            tuple(chain.from_iterable(parts))
            for parts in product(*(list(one.sets()) for one in self.elements))
        ]
        if not self.distinct:
            return sets
        return list({frozenset(key.sql for key in one): one for one in sets}.values())

    @property
    def empty(self) -> int:
        """How many of the sets have no keys."""
        if not any(one.kind not in ("SIMPLE", "AUTO") or not one.text for one in self.elements):
            return 0
        return sum(not one for one in self.sets)

    @property
    def having(self) -> str:
        """For ``GROUP BY ()``: all rows are one group, even if nothing is aggregated."""
        return " HAVING count(*) >= 0" if self.empty and not self.text else ""

    def check(self, node: nodes.GroupBy) -> None:
        count = 1
        for one in self.elements:
            size = len(one.groups)
            count *= {"ROLLUP": size + 1, "CUBE": 2 ** min(size, 32)}.get(one.kind, size)
        if count > _MOST_SETS:
            message = f"GROUP BY has {count} grouping sets but can contain at most {_MOST_SETS}"
            raise Refused("TOO_MANY_GROUPING_SETS", message, node.at)

    @property
    def text(self) -> str:
        """Empty where all rows are one group."""
        if self.distinct or self.asked:
            sets = self.sets
            if len(sets) == 1 and not (self.asked and self.keys):
                return f" GROUP BY {', '.join(map(_plain, sets[0]))}" if sets[0] else ""
            written = (f"({', '.join(map(_plain, one))})" for one in sets)
            return f" GROUP BY GROUPING SETS ({', '.join(written)})"
        parts = [one.text for one in self.elements if one.text]
        if not self.keys and self.empty == 1:
            return ""
        return f" GROUP BY {', '.join(parts)}" if parts else ""


def _plain(key: Typed) -> str:
    """A number alone would be taken for a place."""
    return f"coalesce({key.sql}, {key.sql})" if key.is_constant else key.sql
