"""Statements that were compiled before: who looks at a dashboard asks the same again and again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

from sqe.binding.bound import BoundReference, BoundTable
from sqe.engines.local.compile.compiler import compile_statement
from sqe.engines.local.plan import LocalPlan
from sqe.model.identity import Identity
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.meaning import meaning_of_target

_KEPT = 256
_LONGEST = 100_000  # characters of SQL in one plan


@dataclass(frozen=True)
class _Kept:
    """A plan whose scans have no tables: their metadata may come with keys to the storage, and
    every query brings its own. ``tables`` says where among the references each one stands."""

    plan: LocalPlan
    tables: tuple[int, ...]


class CompiledPlans:
    """Compiling depends on the text, what its names mean, the decisions and the time zone alone.
    All of that is the key, with the user, so that nobody meets what another one asked."""

    def __init__(
        self, compile: Callable[[GuardedStatement, str], LocalPlan] = compile_statement
    ) -> None:
        self._compile = compile
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()

    def compile(self, guarded: GuardedStatement, identity: Identity, time_zone: str) -> LocalPlan:
        """As ``compile_statement``; NotLocal is found out anew each time."""
        references = list(guarded.bound.walk())
        key = _key(guarded, references)
        if key is None:
            return self._compile(guarded, time_zone)
        key = (identity, time_zone, key)
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
        if kept is not None:
            return _with_tables(kept, references)
        plan = self._compile(guarded, time_zone)
        self._keep(key, plan, references)
        return plan

    def _keep(self, key: Hashable, plan: LocalPlan, references: list[BoundReference]) -> None:
        places = {id(reference.target): place for place, reference in enumerate(references)}
        if len(plan.sql) > _LONGEST or any(id(scan.table) not in places for scan in plan.scans):
            return
        scans = [replace(scan, table=replace(scan.table, loaded=None)) for scan in plan.scans]
        tables = tuple(places[id(scan.table)] for scan in plan.scans)
        kept = _Kept(replace(plan, scans=scans), tables)
        with self._lock:
            self._kept[key] = kept
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)


def _with_tables(kept: _Kept, references: list[BoundReference]) -> LocalPlan:
    scans = []
    for scan, place in zip(kept.plan.scans, kept.tables, strict=True):
        table = references[place].target
        assert isinstance(table, BoundTable)  # noqa: S101  the key says so
        scans.append(replace(scan, table=table))
    return replace(kept.plan, scans=scans)


def _key(guarded: GuardedStatement, references: list[BoundReference]) -> Hashable | None:
    """None for a statement that is compiled each time: over tables that are not committed or over
    what is no table, and with parameters, whose values change."""
    if guarded.parameters or guarded.bound.inner is not None:
        return None
    meanings = tuple(meaning_of_target(reference) for reference in references)
    if None in meanings:
        return None
    places = tuple(reference.reference for reference in references)
    return (guarded.bound.statement.text, places, meanings, guarded.decided)
