"""What a catalog itself demands of readers: ``read-restrictions`` of the Iceberg REST
specification, sent with each table to the user who loads it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from sqe.model.decision import Allow, ColumnFacts, Decision, Deny, Restrict, RowFilter, TableFacts
from sqe.model.identity import Identity
from sqe.model.masks import ConstantMask, ExpressionMask, Mask, NullMask, TruncateMask
from sqe.model.names import quote
from sqe.model.rules import Object, Privilege
from sqe.policy.iceberg_predicates import Fields, condition

_LOG = logging.getLogger(__name__)
_FILTER, _PROJECTIONS = "required-row-filter", "required-column-projections"
NOTHING = Allow("the catalog demands nothing of readers")
_FIXED = {
    "boolean": "false",
    **dict.fromkeys(("int", "bigint"), "0"),
    **dict.fromkeys(("float", "double"), "0.0"),
    "string": "XXXXXXXX",
    "date": "1970-01-01",
    **dict.fromkeys(("timestamp", "timestamp_ntz"), "1970-01-01 00:00:00"),
}


class ReadRestrictions:
    """Always asked, whichever other sources there are. Has no memory: what holds is what came
    with the table. What is not understood in full denies the table, as the specification says."""

    name = "catalog"

    def version(self) -> Hashable:
        return 0

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        if not table.restrictions:
            return NOTHING
        try:
            restriction = _restriction(table)
        except (ValueError, RecursionError) as error:
            # The words are this package's own or the decoder's; no value is among them.
            _LOG.warning("read restrictions on %s: %s", table.name, error)
            return Deny("the catalog restricts readers in a way that SQE does not carry out")
        # Other privileges are the catalog's to give; who sees a part writes nothing anyway.
        return restriction if table.privilege is Privilege.SELECT else NOTHING

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        return NOTHING

    def visible(self, identity: Identity, objects: Sequence[Object]) -> Sequence[bool]:
        return [True] * len(objects)


def _restriction(table: TableFacts) -> Decision:
    demanded = json.loads(table.restrictions)
    if not isinstance(demanded, dict) or set(demanded) - {_FILTER, _PROJECTIONS}:
        raise ValueError("restrictions of an unknown kind")
    fields = {column.field_id: column for column in table.columns if column.field_id is not None}
    predicate = demanded.get(_FILTER)
    filters: tuple[RowFilter, ...] = ()
    if predicate is not None and predicate is not True:
        filters = (RowFilter(condition(predicate, fields)),)
    masks = _masks(demanded.get(_PROJECTIONS) or [], fields)
    if not filters and not masks:
        return NOTHING
    return Restrict("read restrictions of the catalog", filters, masks)


def _masks(projections: Any, fields: Fields) -> dict[str, Mask]:
    if not isinstance(projections, list):
        raise ValueError("projections that are no list")
    masks: dict[str, Mask] = {}
    for projection in projections:
        if not isinstance(projection, dict) or set(projection) != {"field-id", "action"}:
            raise ValueError("a projection with other parts than it should have")
        number, action = projection["field-id"], projection["action"]
        if isinstance(number, bool) or not isinstance(number, int) or number not in fields:
            raise ValueError("a projection of a column that is not among the table's own")
        column = fields[number]
        if column.name in masks:
            raise ValueError("two projections of one column")
        make = _ACTIONS.get(action) if isinstance(action, str) else None
        if make is None:
            raise ValueError("a projection with an unknown action")
        masks[column.name] = make(column)
    return masks


def _mask_of_type(column: ColumnFacts) -> Mask:
    if column.type.startswith("decimal("):
        return ConstantMask("0")
    if column.type not in _FIXED:
        raise ValueError("no fixed value of such a type")
    return ConstantMask(_FIXED[column.type])


def _truncate_mask(column: ColumnFacts, unit: str) -> Mask:
    _only(column, "date", "timestamp", "timestamp_ntz")
    return TruncateMask(unit)


def _alphanum(column: ColumnFacts) -> Mask:
    _only(column, "string")
    return ExpressionMask(_disguise(quote(column.name)))


def _first_4(column: ColumnFacts) -> Mask:
    _only(column, "string")
    name = quote(column.name)
    return _unless_short(name, f"concat(left({name}, 4), {_disguise(f'substring({name}, 5)')})")


def _last_4(column: ColumnFacts) -> Mask:
    _only(column, "string")
    name = quote(column.name)
    rest = _disguise(f"left({name}, length({name}) - 4)")
    return _unless_short(name, f"concat({rest}, right({name}, 4))")


def _unless_short(name: str, shown: str) -> Mask:
    return ExpressionMask(f"CASE WHEN length({name}) <= 4 THEN {name} ELSE {shown} END")


def _disguise(text: str) -> str:
    """Digits as n, ``( ) , . - @`` as they are, everything else as x."""
    return f"regexp_replace(regexp_replace({text}, '[^0-9(),.@-]', 'x'), '[0-9]', 'n')"


def _sha_256(column: ColumnFacts) -> Mask:
    _only(column, "string", "binary", "int", "bigint")
    name = quote(column.name)
    if column.type == "binary":
        return ExpressionMask(f"unhex(sha2({name}, 256))")
    if column.type == "string":
        return ExpressionMask(f"sha2(CAST({name} AS binary), 256)")
    # Of numbers the bytes are hashed, and as many of the hash are the new number, the lowest
    # first in both.
    digits = 8 if column.type == "int" else 16
    written = f"right(lpad(hex(CAST({name} AS bigint)), 16, '0'), {digits})"
    hashed = f"sha2(unhex({_reverse_bytes(written, digits)}), 256)"
    taken = _reverse_bytes(f"left({hashed}, {digits})", digits)
    if column.type == "bigint":
        return ExpressionMask(f"CAST(conv({taken}, 16, -10) AS bigint)")
    number = f"CAST(conv({taken}, 16, 10) AS bigint)"
    return ExpressionMask(f"CAST(({number} + {2**31}L) % {2**32}L - {2**31}L AS int)")


def _reverse_bytes(text: str, digits: int) -> str:
    """Two hexadecimal digits are a byte."""
    count = digits // 2
    backwards = "".join(f"${number}" for number in range(count, 0, -1))
    return f"regexp_replace({text}, '{'(..)' * count}', '{backwards}')"


def _only(column: ColumnFacts, *types: str) -> None:
    if column.type not in types:
        raise ValueError("an action on a column of another type than it is for")


# Of the specification's set one is left out: the salt of sha-256-query-local is made anew for
# each query, and a decision is not of one query.
_ACTIONS: dict[str, Callable[[ColumnFacts], Mask]] = {
    "replace-with-null": lambda column: NullMask(),
    "mask-to-fixed-value": _mask_of_type,
    "mask-alphanum": _alphanum,
    "show-first-4": _first_4,
    "show-last-4": _last_4,
    "truncate-to-year": lambda column: _truncate_mask(column, "year"),
    "truncate-to-month": lambda column: _truncate_mask(column, "month"),
    "sha-256-global": _sha_256,
}
