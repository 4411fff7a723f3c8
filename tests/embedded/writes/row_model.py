"""DELETE, UPDATE and MERGE as SQL's standard means them, worked out in plain Python.

A condition is its text and what it says of a row: true, false or, with NULLs, neither.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from tests.truth import Truth, and_, not_, or_

Value = int | str | None
Row = tuple[Value, ...]
Named = Mapping[str, Value]  # "t.k": 1, ...
COLUMNS = {"k": "INT", "v": "INT", "p": "STRING"}
_KEYS: Sequence[Value] = (1, 2, 3, 4, None)
_NUMBERS: Sequence[Value] = (0, 1, 5, 9, None)
_LETTERS: Sequence[Value] = ("a", "b", None)
_DOMAINS = {"k": _KEYS, "v": _NUMBERS, "p": _LETTERS}
_COMPARED: Mapping[str, Callable[..., bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    ">=": operator.ge,
}


class Violation(Exception):
    """A row of the table matches several of the source."""


@dataclass(frozen=True)
class Condition:
    text: str
    of: Callable[[Named], Truth]


@dataclass(frozen=True)
class Assigned:
    text: str
    of: Callable[[Named], Row]  # the whole new row


@dataclass(frozen=True)
class Clause:
    when: Condition
    then: Assigned | None  # None: DELETE


@dataclass(frozen=True)
class Case:
    """``{t}`` in the text is the table."""

    text: str
    rows: Sequence[Row]
    outcome: Callable[[], list[Row]]  # or Violation


def case(rng: Random, copy_on_write: bool) -> Case:
    rows = _rows(rng, 3, 8)
    source = _rows(rng, 0, 6)
    if rng.random() < 0.3:
        return _change(rng, rows, source)
    return _merge(rng, rows, source, copy_on_write)


def values(rows: Sequence[Row]) -> str:
    """A query of them, typed even where there are none."""
    listed = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows) or "(0, 0, '')"
    typed = ", ".join(f"CAST({name} AS {type_}) AS {name}" for name, type_ in COLUMNS.items())
    condition = "" if rows else " WHERE FALSE"
    return f"SELECT {typed} FROM VALUES {listed} AS x(k, v, p){condition}"


def _merge(rng: Random, rows: list[Row], source: list[Row], copy_on_write: bool) -> Case:
    on = _match(rng)
    matched = _clauses(rng, "ts", rng.choice([0, 1, 1, 2]), _updated)
    new = _clauses(rng, "s", rng.choice([0, 1, 1, 2]), _inserted)
    missing = _clauses(rng, "t", rng.choice([0, 0, 1, 2]), _updated)
    if not matched and not new and not missing:
        matched = [Clause(_ALWAYS, None)]
    text = f"MERGE INTO {{t}} t USING ({values(source)}) s ON {on.text}"
    for kind, clauses in (
        ("MATCHED", matched),
        ("NOT MATCHED", new),
        ("NOT MATCHED BY SOURCE", missing),
    ):
        for one in clauses:
            condition = "" if one.when is _ALWAYS else f" AND {one.when.text}"
            text += f" WHEN {kind}{condition} THEN {one.then.text if one.then else 'DELETE'}"
    # Where every matching row goes, or none is looked at, it does not matter how often it matches;
    # but SQE has Spark look where a copy would be written several times (decision 0015).
    plain = len(matched) == 1 and matched[0].then is None and matched[0].when is _ALWAYS
    looks = (bool(matched) and not plain) or (not matched and bool(missing) and copy_on_write)

    def outcome() -> list[Row]:
        kept: list[Row] = []
        used = set()
        for row in rows:
            found = [at for at, one in enumerate(source) if on.of(_named(row, one))]
            used.update(found)
            if len(found) > 1 and looks:
                raise Violation
            here = _named(row, source[found[0]] if found else None)
            kept += _applied(matched if found else missing, here, row)
        for at, one in enumerate(source):
            if at not in used:
                kept += _applied(new, _named(None, one), None)
        return kept

    return Case(text, rows, outcome)


def _applied(clauses: Sequence[Clause], here: Named, otherwise: Row | None) -> list[Row]:
    for one in clauses:
        if one.when.of(here):
            return [one.then.of(here)] if one.then else []
    return [] if otherwise is None else [otherwise]


def _change(rng: Random, rows: list[Row], source: list[Row]) -> Case:
    where = _subquery(rng, source) if rng.random() < 0.5 else _condition(rng, "t")
    update = _updated(rng, "t") if rng.random() < 0.5 else None
    clauses = [Clause(where, update)]
    text = update.text.replace("UPDATE", "UPDATE {t} t", 1) if update else "DELETE FROM {t} t"

    def outcome() -> list[Row]:
        return [left for row in rows for left in _applied(clauses, _named(row, None), row)]

    return Case(f"{text} WHERE {where.text}", rows, outcome)


def _clauses(
    rng: Random, sides: str, count: int, then: Callable[[Random, str], Assigned]
) -> list[Clause]:
    """All but the last have a condition, as SQL asks for."""
    found = []
    for left in reversed(range(count)):
        when = _condition(rng, sides) if left or rng.random() < 0.5 else _ALWAYS
        deletes = then is _updated and rng.random() < 0.4
        found.append(Clause(when, None if deletes else then(rng, sides)))
    return found


def _updated(rng: Random, sides: str) -> Assigned:
    if "s" in sides and rng.random() < 0.3:
        return Assigned("UPDATE SET *", lambda here: _of(here, "s"))
    chosen = {name: _value(rng, name, sides) for name in rng.sample(list(COLUMNS), 2)}
    listed = ", ".join(f"{name} = {text}" for name, (text, _) in chosen.items())

    def row(here: Named) -> Row:
        return tuple(chosen[n][1](here) if n in chosen else here[f"t.{n}"] for n in COLUMNS)

    return Assigned(f"UPDATE SET {listed}", row)


def _inserted(rng: Random, sides: str) -> Assigned:
    if rng.random() < 0.3:
        return Assigned("INSERT *", lambda here: _of(here, "s"))
    chosen = [_value(rng, name, sides) for name in COLUMNS]
    text = f"INSERT ({', '.join(COLUMNS)}) VALUES ({', '.join(text for text, _ in chosen)})"
    return Assigned(text, lambda here: tuple(of(here) for _, of in chosen))


def _value(rng: Random, name: str, sides: str) -> tuple[str, Callable[[Named], Value]]:
    column = f"{rng.choice(sides)}.{name}"
    if rng.random() < 0.3:
        constant = rng.choice(_DOMAINS[name])
        return f"CAST({_literal(constant)} AS {COLUMNS[name]})", lambda here: constant
    if COLUMNS[name] == "INT" and rng.random() < 0.5:

        def more(here: Named) -> Value:
            value = here[column]
            return None if value is None else int(value) + 1

        return f"{column} + 1", more
    return column, lambda here: here[column]


def _match(rng: Random) -> Condition:
    keys = _compared("t.k", rng.choice(["=", "=", "=", "<=>"]), "s.k")
    drawn = rng.random()
    if drawn < 0.5:
        return keys
    if drawn < 0.9:
        return _joined(rng.choice(["AND", "AND", "OR"]), keys, _condition(rng, "ts"))
    return _condition(rng, "ts")


def _condition(rng: Random, sides: str, depth: int = 2) -> Condition:
    drawn = rng.random()
    if depth and drawn < 0.3:
        inner = [_condition(rng, sides, depth - 1) for _ in range(2)]
        return _joined(rng.choice(["AND", "OR"]), *inner)
    if depth and drawn < 0.4:
        return _negated(_condition(rng, sides, depth - 1))
    if drawn < 0.45:
        fixed = rng.choice([True, False])
        return Condition(str(fixed).upper(), lambda here: fixed)
    name = rng.choice(list(COLUMNS))
    column = f"{rng.choice(sides)}.{name}"
    if drawn < 0.55:
        return Condition(f"{column} IS NULL", lambda here: here[column] is None)
    if drawn < 0.7:
        return _among(column, rng.choices(_DOMAINS[name], k=2), rng.random() < 0.4)
    sign = rng.choice([*_COMPARED, "<=>"])
    if len(sides) > 1 and drawn < 0.8:
        return _compared(f"t.{name}", sign, f"s.{name}")
    return _against(column, sign, rng.choice([one for one in _DOMAINS[name] if one is not None]))


def _subquery(rng: Random, source: list[Row]) -> Condition:
    negated = rng.random() < 0.5
    name = rng.choice(list(COLUMNS))
    if rng.random() < 0.5:
        at = list(COLUMNS).index(name)
        found = _among(f"t.{name}", [row[at] for row in source], negated)
        sign = "NOT IN" if negated else "IN"
        return Condition(f"t.{name} {sign} (SELECT {name} FROM ({values(source)}))", found.of)
    inner = _joined("AND", _compared(f"t.{name}", "=", f"s.{name}"), _condition(rng, "s"))
    text = f"EXISTS (SELECT 1 FROM ({values(source)}) s WHERE {inner.text})"

    def exists(here: Named) -> Truth:
        return any(inner.of({**here, **_named(None, row)}) for row in source)

    there = Condition(text, exists)
    return _negated(there) if negated else there


def _compared(left: str, sign: str, right: str) -> Condition:
    return Condition(f"{left} {sign} {right}", lambda here: _compare(here[left], sign, here[right]))


def _against(column: str, sign: str, value: Value) -> Condition:
    text = f"{column} {sign} {_literal(value)}"
    return Condition(text, lambda here: _compare(here[column], sign, value))


def _among(column: str, listed: Sequence[Value], negated: bool) -> Condition:
    def within(here: Named) -> Truth:
        found: Truth = False
        for one in listed:
            found = or_(found, _compare(here[column], "=", one))
        return not_(found) if negated else found

    sign = "NOT IN" if negated else "IN"
    return Condition(f"{column} {sign} ({', '.join(map(_literal, listed))})", within)


def _joined(word: str, left: Condition, right: Condition) -> Condition:
    join = and_ if word == "AND" else or_
    text = f"({left.text} {word} {right.text})"
    return Condition(text, lambda here: join(left.of(here), right.of(here)))


def _negated(inner: Condition) -> Condition:
    return Condition(f"NOT ({inner.text})", lambda here: not_(inner.of(here)))


def _compare(left: Value, sign: str, right: Value) -> Truth:
    if sign == "<=>":
        return left == right
    if left is None or right is None:
        return None
    return _COMPARED[sign](left, right)


def _named(row: Row | None, source: Row | None) -> dict[str, Value]:
    sides = {"t": row, "s": source}
    return {
        f"{side}.{name}": value
        for side, of in sides.items()
        if of is not None
        for name, value in zip(COLUMNS, of, strict=True)
    }


def _of(here: Named, side: str) -> Row:
    return tuple(here[f"{side}.{name}"] for name in COLUMNS)


def _rows(rng: Random, least: int, most: int) -> list[Row]:
    count = rng.randint(least, most)
    return [tuple(rng.choice(domain) for domain in _DOMAINS.values()) for _ in range(count)]


def _literal(value: Value) -> str:
    if value is None:
        return "NULL"
    return f"'{value}'" if isinstance(value, str) else str(value)


_ALWAYS = Condition("TRUE", lambda here: True)
