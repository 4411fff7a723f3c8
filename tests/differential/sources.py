"""What stands in FROM: tables, rows written out, queries, and joins of all of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.differential.data import TableSpec
from tests.differential.expressions import InScope, Scope, kind_of
from tests.differential.tree import Node, node, nothing

if TYPE_CHECKING:
    from tests.differential.queries import Made, Queries

# Kinds that two columns of different tables are joined on.
JOINED = ("int", "bigint", "string", "date", "decimal")
JOINS = {
    "join": "JOIN",
    "left join": "LEFT JOIN",
    "right join": "RIGHT JOIN",
    "full join": "FULL OUTER JOIN",
    "semi join": "LEFT SEMI JOIN",
    "anti join": "LEFT ANTI JOIN",
    "cross join": "CROSS JOIN",
    "comma": ",",
}
LEFT_ONLY = ("semi join", "anti join")
UNCONDITIONAL = ("cross join", "comma")
# In literals of these, the rows of VALUES have one type.
WRITTEN = ("int", "bigint", "double", "decimal", "string", "boolean", "date", "timestamp")


def source(make: Queries, depth: int) -> tuple[Node, Scope]:
    """FROM and what follows, empty where a query reads nothing."""
    if make.may(0.04, "no table"):
        return nothing("from"), Scope(())
    found, scope = _relations(make, depth)
    return node("from", " FROM ", found), scope


def _relations(make: Queries, depth: int) -> tuple[Node, Scope]:
    if depth > 0 and make.chance(0.12):
        shared = _sharing(make)
        if shared is not None:
            return shared
    derived = depth > 0 and make.may(0.2, "derived table")
    left, scope = _derived(make, depth) if derived else table(make)
    while depth > 0 and make.chance(0.35):
        left, scope = _join(make, left, scope, depth)
        depth -= 1
    return left, scope


def table(make: Queries) -> tuple[Node, Scope]:
    if make.named and make.chance(0.6):
        name = make.rng.choice(sorted(make.named))
        alias = make.alias("t")
        return node("source", f"{name} AS {alias}"), renamed(make.named[name], alias)
    if make.may(0.05, "values"):
        return _values(make)
    specs = make.palette.tables
    weights = [4 if spec.name in ("tame", "dim", "dup") else 1 for spec in specs]
    return relation(make, make.rng.choices(specs, weights)[0])


def relation(make: Queries, spec: TableSpec) -> tuple[Node, Scope]:
    alias = make.alias("t")
    scope = scope_of(spec, f"{alias}.", make.palette.kinds)
    return node("source", f"{spec.name} AS {alias}"), scope


def _values(make: Queries) -> tuple[Node, Scope]:
    alias = make.alias("v")
    usable = [kind for kind in WRITTEN if kind in make.palette.kinds]
    kinds = [make.rng.choice(usable) for _ in range(make.rng.randint(1, 3))]
    rows = ", ".join(
        f"({', '.join(str(make.make.atom(kind, Scope(()))) for kind in kinds)})"
        for _ in range(make.rng.randint(1, 4))
    )
    names = [f"x{number}" for number in range(len(kinds))]
    columns = (InScope(f"{alias}.{n}", k) for n, k in zip(names, kinds, strict=True))
    text = f"VALUES {rows} AS {alias}({', '.join(names)})"
    return node("source", text, uses="values"), Scope(tuple(columns))


def _derived(make: Queries, depth: int) -> tuple[Node, Scope]:
    alias = make.alias("q")
    made = make.select(depth - 1) if make.chance(0.6) else make.grouped(depth - 1)
    if make.chance(0.2):
        limited = make.finished(made.tree, list(made.outputs))
        made = limited if limited.ordered else made
    return node("source", "(", made.tree, f") AS {alias}"), renamed(made, alias)


def _join(make: Queries, left: Node, scope: Scope, depth: int) -> tuple[Node, Scope]:
    forms = make.can(*JOINS)
    if not forms:
        return left, scope
    derived = make.may(0.15, "derived table")
    right, other = _derived(make, depth) if derived else table(make)
    form = make.rng.choice(forms)
    both = Scope((*scope.columns, *other.columns), together(scope, other))
    condition = nothing("on") if form in UNCONDITIONAL else _on(make, scope, other, both)
    kept = scope if form in LEFT_ONLY else both
    text = f" {JOINS[form]} " if form != "comma" else ", "
    return node("source", left, text, right, condition, uses=form.replace(" ", "_")), kept


def _on(make: Queries, left: Scope, right: Scope, both: Scope) -> Node:
    common = [kind for kind in JOINED if left.of(kind) and right.of(kind)]
    if not common:
        return node("on", " ON ", make.make.of("boolean", both, 1))
    kind = make.rng.choice(common)
    known = {entry.name for entries in make.palette.scalars.values() for entry in entries}
    sign = "<=>" if make.chance(0.1) and "<=>" in known else "="
    equal = node(
        "boolean",
        node(kind, make.rng.choice(left.of(kind)).text),
        f" {sign} ",
        node(kind, make.rng.choice(right.of(kind)).text),
    )
    more = make.chance(0.25)
    extra = node("more", " AND ", make.make.of("boolean", both, 1), optional=True)
    return node("on", " ON ", equal, extra if more else nothing("more"))


def _sharing(make: Queries) -> tuple[Node, Scope] | None:
    """Two tables joined on columns of the same name, which the result has once."""
    forms = make.can("using", "natural join")
    specs = [spec for spec in make.palette.tables if "." not in spec.name]
    left, right = make.rng.choice(specs), make.rng.choice(specs)
    theirs = {column.name: column.type for column in right.columns}
    common = [column for column in left.columns if theirs.get(column.name) == column.type]
    alike = len(common) == len({column.name for column in left.columns} & theirs.keys())
    if not forms or not common:
        return None
    form = make.rng.choice(forms)
    if form == "natural join" and not alike:
        return None
    one, two = make.alias("t"), make.alias("t")
    word = make.rng.choice([JOINS[j] for j in make.can(*JOINS) if j.split()[0] in _OUTER])
    chosen = common if form == "natural join" else make.rng.sample(common, 1)
    names = {column.name for column in chosen}
    rest = [
        column
        for spec, alias in ((left, one), (right, two))
        for column in scope_of(spec, f"{alias}.", make.palette.kinds).columns
        if not any(name in column.text for name in (f"{alias}.{n}" for n in names))
    ]
    shared = [InScope(c.name, kind_of(c.type), c.tame) for c in chosen]
    usable = [column for column in shared if column.kind in make.palette.kinds]
    text = f"{left.name} AS {one} "
    text += f"NATURAL {word} " if form == "natural join" else f"{word} "
    text += f"{right.name} AS {two}"
    text += f" USING ({', '.join(names)})" if form == "using" else ""
    return node("source", text, uses=form.replace(" ", "_")), Scope((*usable, *rest))


_OUTER = ("join", "left", "right", "full")


def scope_of(spec: TableSpec, prefix: str, kinds: frozenset[str]) -> Scope:
    """Iceberg has no small integers: such a column is an int, and its values are cast."""
    columns = []
    for column in spec.columns:
        name = f"{prefix}{column.name}"
        if column.type in ("tinyint", "smallint"):
            columns.append(InScope(name, "int", column.tame))
            name = f"cast({name} as {column.type})"
        columns.append(InScope(name, kind_of(column.type), column.tame))
    known = tuple(column for column in columns if column.kind in kinds)
    return Scope(known, (f"{prefix}{spec.key}",) if spec.key else ())


def together(left: Scope, right: Scope) -> tuple[str, ...]:
    return (*left.keys, *right.keys) if left.keys and right.keys else ()


def renamed(made: Made, alias: str) -> Scope:
    return Scope(tuple(InScope(f"{alias}.{o.text}", o.kind, o.tame) for o in made.outputs))
