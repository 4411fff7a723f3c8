"""The guards in one text for Spark: their names, which nobody can guess, the keys they need, and
what is said when Spark stumbles over one."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from sqe.binding.bound import BoundTable, BoundView
from sqe.broker.handles import HandleGrant
from sqe.errors import AccessError
from sqe.model.identity import Secret
from sqe.model.names import RelationName
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.unfit import refusal
from sqe.sql.statement import Access


class Guards:
    """Filled while the text is rendered."""

    def __init__(self, grant: HandleGrant) -> None:
        self._grant = grant
        self._texts: list[tuple[str, RelationName | None]] = []
        self.checked: RelationName | None = None  # the table whose rows a write is held to
        self.arguments: dict[str, Any] = {}
        self.handles: dict[str, frozenset[str]] = {}  # what each guard reads, by its name

    def name(self, view: BoundView, text: str) -> str:
        alias = f"guard_{secrets.token_hex(16)}"
        self.handles[alias] = frozenset(
            self._handle(reference.target.name)
            for reference in view.inner.walk()
            if isinstance(reference.target, BoundTable)
        )
        of = view.guard.of if view.guard is not None else None
        relation = of.name if isinstance(of, BoundTable) else of.relation if of else None
        self._texts.append((text, relation))
        return alias

    def check(self, relation: RelationName, text: str) -> None:
        """A condition that the rows of a write are held to."""
        self._texts.append((text, relation))
        self.checked = relation

    @property
    def there(self) -> bool:
        return bool(self._texts)

    def key(self, key: Secret) -> str:
        """The marker that stands for it. The key itself goes beside the text. Whoever could guess
        the marker's name might find a place for it in their own text, and read the key there."""
        from pyspark.sql.connect.proto import Expression

        name = f"sqe_key_{secrets.token_hex(16)}"
        self.arguments[name] = Expression.Literal(string=key.reveal())
        return f":{name}"

    def must_be_below(self, statement: GuardedStatement) -> Mapping[str, frozenset[str]]:
        """For every handle that is read in part only: the guards it may stand below. Not those of
        tables that the statement also writes, or reads in full with somebody else's rights."""
        limited: set[str] = set()
        free: set[str] = set()
        for reference in statement.bound.walk():
            stored = reference.stored_target
            if reference.trusted or not isinstance(stored, BoundTable):
                continue
            handle = self._handle(stored.name)
            if reference.reference.access is Access.READ:
                partly = statement.restriction(reference) is not None
                (limited if partly else free).add(handle)
            elif reference.reference.access is not Access.DESCRIBE:
                free.add(handle)
        return {
            handle: frozenset(alias for alias, reads in self.handles.items() if handle in reads)
            for handle in limited - free
        }

    def refusal_at(self, text: str, offset: int) -> AccessError | None:
        """What is said of an error at this place, if it is in a guard: its text is nobody's to
        see, and its fault is not the user's."""
        for guard, relation in self._texts:
            start = text.find(guard)
            while start >= 0:
                if start <= offset < start + len(guard):
                    return refusal(relation or "a table", "Spark does not take it")
                start = text.find(guard, start + 1)
        return None

    def _handle(self, name: RelationName) -> str:
        return self._grant.spell(name)[1]
