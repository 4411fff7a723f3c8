"""What the calls of a served catalog have in common: each is recorded, with what it touches, and is
not for everybody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from urllib.parse import quote

from sqe.access.ownership import Ownership
from sqe.broker.commits import read_snapshot
from sqe.broker.storage import for_client
from sqe.catalog.commit.requirements import is_create
from sqe.catalog.protocol import Catalog, Ident, Json, Loaded, Namespace, snapshots_of_commit
from sqe.errors import AccessError, ErrorCode
from sqe.model.names import RelationName, SchemaName
from sqe.model.query import QueryRecord, RelationUse, WrittenSnapshot
from sqe.model.rules import Privilege
from sqe.other_engines.rights import OutsideRights, OutsideUser
from sqe.other_engines.staged_tables import StagedTables
from sqe.sql.statement import Access

_T = TypeVar("_T")


class Recorded(Protocol):
    """What is remembered of a call."""

    @property
    def record(self) -> QueryRecord: ...
    def note_statement(
        self, kind: str, *, restricted: bool = False, relations: tuple[RelationUse, ...] = ()
    ) -> None: ...
    def wrote(self, snapshots: list[WrittenSnapshot]) -> None: ...


@dataclass(frozen=True)
class Recording:
    """``run`` records a call under its text."""

    run: Callable[[str, Callable[[Any], Any]], Any]
    ownership: Ownership | None
    staged: StagedTables


class ServedCalls:
    """Of one user, on one catalog."""

    def __init__(
        self, name: str, user: OutsideUser, rights: OutsideRights, recording: Recording
    ) -> None:
        self._name = name
        self._user = user
        self._rights = rights
        self._recording = recording

    @property
    def _whole(self) -> Catalog:
        return self._rights.open_whole(self._user, self._name)

    @property
    def _visible(self) -> Catalog:
        return self._rights.open_visible(self._user, self._name)

    def _schema(self, namespace: Namespace) -> SchemaName:
        return SchemaName(self._name, namespace)

    def _relation(self, ident: Ident) -> RelationName:
        return RelationName(self._schema(ident.namespace), ident.name)

    def _show(self, ident: Ident, loaded: Loaded) -> Loaded:
        """With what opens its files, and nothing else of what the catalog has sent."""
        name = self._relation(ident)
        self._check_place(name, loaded)
        return for_client(loaded, ident, name, f"v1/{quote(self._name, safe='')}")

    def _check_place(self, name: RelationName, loaded: Loaded) -> None:
        if loaded.on_disk and not self._user.local_files:
            raise AccessError(
                ErrorCode.ACCESS_DENIED,
                f"The files of {name} are on the disk of SQE's machine, which is not served here.",
                hint="Set iceberg.local_files for engines on that machine, or query it by SQE.",
            )

    def _rename(
        self,
        label: str,
        source: Ident,
        target: Ident,
        rename: Callable[[], Callable[[Ident, Ident], None]],
        *,
        view: bool,
    ) -> None:
        old, new = self._relation(source), self._relation(target)

        def act(query: Recorded) -> None:
            self._rights.check_change(self._user, old, Access.ALTER, view=view)
            self._rights.check_create(self._user, new)
            rename()(source, target)
            if self._recording.ownership is not None:
                self._recording.ownership.note_renamed(old, new, self._user.identity)

        self._change(label, [(old, Access.ALTER), (new, Access.CREATE)], act)

    def _note_made(self, name: RelationName, *, view: bool = False) -> None:
        self._recording.staged.forget(self._user.identity.user, name)
        if self._recording.ownership is not None:
            self._recording.ownership.note_made(name, self._user.identity, view=view)

    def _note_dropped(self, name: RelationName) -> None:
        if self._recording.ownership is not None:
            self._recording.ownership.note_dropped(name, self._user.identity)

    def _note_commit(self, query: Recorded, changes: list[tuple[RelationName, Json]]) -> None:
        for name, change in changes:
            if is_create(change.get("requirements") or []):
                self._note_made(name)
        query.wrote(
            [
                read_snapshot(snapshot).at(str(name))
                for name, change in changes
                for snapshot in snapshots_of_commit(change)
            ]
        )

    def _list(self, label: str, namespace: Namespace, act: Callable[[], _T]) -> _T:
        return self._look(label, f" IN {self._schema(namespace)}", act)

    def _look(self, label: str, about: str, act: Callable[[], _T]) -> _T:
        return self._run(label, label + about, (), lambda query: act(), writes=False)

    def _change_schema(
        self, label: str, namespace: Namespace, privilege: Privilege, act: Callable[[], _T]
    ) -> _T:
        schema = self._schema(namespace)

        def change(query: Recorded) -> _T:
            self._rights.check_schema(self._user, privilege, schema)
            return act()

        return self._run(label, f"{label} {schema}", (), change, writes=True)

    def _do(
        self,
        label: str,
        uses: list[tuple[RelationName, Access]],
        act: Callable[[Recorded], _T],
        *,
        writes: bool = False,
    ) -> _T:
        names = ", ".join(dict.fromkeys(str(name) for name, _ in uses))
        relations = tuple(RelationUse(str(name), access.value) for name, access in uses)
        return self._run(label, f"{label} {names}", relations, act, writes=writes)

    def _change(
        self,
        label: str,
        uses: list[tuple[RelationName, Access]],
        act: Callable[[Recorded], _T],
    ) -> _T:
        return self._do(label, uses, act, writes=True)

    def _run(
        self,
        label: str,
        text: str,
        relations: tuple[RelationUse, ...],
        act: Callable[[Recorded], _T],
        *,
        writes: bool,
    ) -> _T:
        def run(query: Recorded) -> _T:
            query.note_statement(label, relations=relations)
            self._rights.check_may_use(self._user, label, writes=writes)
            return act(query)

        answer: _T = self._recording.run(text, run)
        return answer
