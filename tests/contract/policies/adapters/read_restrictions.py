"""Scenarios as the ``read-restrictions`` that a catalog sends with a table to whoever loads it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqe.model.decision import TableFacts
from sqe.model.identity import Identity
from sqe.policy.read_restrictions import ReadRestrictions
from tests.contract.policies.scenarios import COLUMNS, DEPT, SCENARIOS, Rule

_SAID = ("to everybody", "some rows for everybody", "NULL for everybody")
_WHY = "restrictions say what a reader sees; who is one, and everything else, the catalog decides"


@dataclass
class OpenedRestrictions:
    source: ReadRestrictions
    rules: Sequence[Rule]
    broken: bool = False

    def change(self, rules: Sequence[Rule]) -> None:
        self.rules = rules

    def break_it(self) -> None:
        self.broken = True

    def facts(self, who: Identity, table: TableFacts) -> TableFacts:
        demanded: dict[str, Any] = {"something": "new"} if self.broken else {}
        for rule in self.rules:
            demanded |= _demanded(rule)
        return replace(table, restrictions=json.dumps(demanded))


class RestrictionsAdapter:
    name = "read-restrictions"
    cannot: Mapping[str, str] = {one.name: _WHY for one in SCENARIOS if one.name not in _SAID}
    unversioned = "there is nothing to keep: they come with each table"
    changes = ("to everybody", "some rows for everybody")
    lists = False

    @contextmanager
    def opened(self, rules: Sequence[Rule], folder: Path) -> Iterator[OpenedRestrictions]:
        yield OpenedRestrictions(ReadRestrictions(), rules)


def _demanded(rule: Rule) -> dict[str, Any]:
    found: dict[str, Any] = {}
    numbers = {one.name: one.field_id for one in COLUMNS}
    if rule.rows:
        assert rule.rows == DEPT
        left = {"type": "reference", "id": numbers["dept"]}
        right = {"type": "literal", "value": "it"}
        found["required-row-filter"] = {"type": "eq", "left": left, "right": right}
    if rule.masks:
        assert set(rule.masks.values()) == {"NULL"}
        found["required-column-projections"] = [
            {"field-id": numbers[name], "action": "replace-with-null"} for name in rule.masks
        ]
    return found
