"""Handles: single-use, unguessable names for the tables of one query."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, runtime_checkable

from sqe.broker.commit_outcome import CommitOutcome
from sqe.broker.commits import CommitAddition, CommitLog
from sqe.broker.held import HeldChanges
from sqe.broker.own_folder import OwnFolder
from sqe.broker.storage import Renewals, for_spark
from sqe.catalog.protocol import Catalog, Ident, Loaded
from sqe.errors import ErrorCategory, SqeError
from sqe.model.names import RelationName
from sqe.model.tracing import Span, current_span
from sqe.sql.statement import Access

CATALOG = "sqe"  # the catalog's name inside Spark


def show_as_it_is(loaded: Loaded) -> Loaded:
    return loaded


@runtime_checkable
class ForgetsStaged(Protocol):
    """A catalog that keeps the files of the tables it makes, and can remove them."""

    def forget_staged(self, location: str) -> None: ...


@dataclass(frozen=True)
class GrantedTable:
    """What a query may do with one table, and whom to ask for it."""

    name: RelationName
    ident: Ident
    catalog: Catalog = field(repr=False)  # opened as the user
    accesses: frozenset[Access]
    # The metadata SQE bound, for a table that is only read: what was checked is what is read.
    bound: Loaded | None = field(default=None, repr=False)
    extras: CommitAddition | None = field(default=None, repr=False)
    query_id: str = ""
    merged: bool = False  # by MERGE
    rows_only: bool = False  # its rows are changed, not how they are kept
    # How Spark is shown a table whose rows it reads or changes.
    repair: Callable[[Loaded], Loaded] = field(default=show_as_it_is, repr=False)
    commits: CommitLog = field(default_factory=CommitLog, repr=False, compare=False)
    fate: CommitOutcome = field(default_factory=CommitOutcome, repr=False, compare=False)
    held: HeldChanges = field(default_factory=HeldChanges, repr=False, compare=False)
    folder: OwnFolder = field(default_factory=OwnFolder, repr=False, compare=False)
    renewals: Renewals = field(default_factory=Renewals, repr=False, compare=False)
    # What Spark's requests for it are part of: the query whose handle it is.
    span: Span = field(default_factory=current_span, repr=False, compare=False)
    # What Spark was told, in the order of the telling: its own error says less.
    refusals: list[SqeError] = field(default_factory=list, repr=False, compare=False)

    @contextmanager
    def note_refusals(self) -> Iterator[None]:
        """Around what is asked of the catalog: notes that the user may not, or that it failed."""
        try:
            yield
        except SqeError as error:
            if error.category in (ErrorCategory.ACCESS, ErrorCategory.UPSTREAM):
                self.refusals.append(error)
            raise

    @property
    def changes(self) -> bool:
        return self.allows(Access.WRITE, Access.CREATE, Access.ALTER, Access.DROP)

    @property
    def evolves(self) -> bool:
        """The query brings rows, and the columns they need."""
        return {Access.WRITE, Access.ALTER} <= self.accesses

    @property
    def brings_files(self) -> bool:
        """The query may write data files, not only metadata."""
        return self.allows(Access.WRITE, Access.CREATE)

    @property
    def read_too(self) -> bool:
        """The query reads the table that it writes, besides the rows it changes."""
        return Access.READ in self.accesses and self.allows(Access.WRITE, Access.CREATE)

    @cached_property
    def read_only(self) -> Loaded | None:
        """What was bound, for Spark, which loads a table several times for one query. None: a
        changed table is loaded each time."""
        return None if self.bound is None or self.changes else self.repair(self.bound)

    def as_read(self, base: Loaded) -> GrantedTable:
        """For a query that only reads: the table as it was bound, a changed one as ``base``."""
        bound = base if self.changes else self.bound
        reads = frozenset({Access.READ})
        return GrantedTable(
            self.name,
            self.ident,
            self.catalog,
            reads,
            bound,
            repair=self.repair,
            span=self.span,
        )

    def check_change(self) -> None:
        if self.bound is not None and self.allows(Access.WRITE, Access.ALTER):
            self.catalog.check_change(self.ident)

    def settle(self) -> None:
        """From now on nothing changes. The files of what was never committed are removed."""
        self.fate.settle()
        if self.fate.changed or self.fate.unknown:
            return
        self.folder.remove(self._object_keys)
        if isinstance(self.catalog, ForgetsStaged):
            for location in self.fate.staged:
                self.catalog.forget_staged(location)

    def look(self) -> None:
        """Finds out about a commit that the catalog has not answered. After ``settle``."""
        arrived = self.fate.look(lambda: self.catalog.load_table(self.ident))
        self.commits.note_commit(sorted(arrived))

    def _object_keys(self, loaded: Loaded) -> Mapping[str, str]:
        """How the objects of the table are reached: as Spark was told, or with newer keys."""
        config = for_spark(loaded, self.ident, self.name).config
        try:
            newer = self.renewals.renew(
                lambda: self.catalog.load_credentials(self.ident), self.name
            )
        except SqeError:  # a table that was never made has no others
            return config
        location = str(loaded.metadata["location"])
        fitting = [
            credential for credential in newer if location.startswith(credential["prefix"])
        ] or newer
        return {**config, **max(fitting, key=lambda one: len(one["prefix"]))["config"]}

    def allows(self, *accesses: Access) -> bool:
        return any(access in self.accesses for access in accesses)


@dataclass(frozen=True)
class HandleGrant:
    """The handles of one query. The namespace is new for each table of each query."""

    tables: Mapping[str, GrantedTable]  # namespace -> table; its name inside is the table's own
    _by_name: Mapping[RelationName, str]

    @property
    def changes(self) -> bool:
        """Some of the tables, that is."""
        return any(table.changes for table in self.tables.values())

    def begin(self) -> None:
        """What was only analysed until now is about to run. Raises where the user may not change
        one of the tables: no file has been written yet."""
        for table in self.tables.values():
            table.check_change()
            table.folder.begin()

    def spell(self, name: RelationName) -> tuple[str, ...]:
        """The handle, as parts of a Spark name. The last part is the table's own name, so that
        ``emp.salary`` in the user's text means what it meant before."""
        return (CATALOG, self._by_name[name], name.name)

    def commits(self, name: RelationName) -> CommitLog:
        """What the query has committed to the table so far."""
        return self.tables[self._by_name[name]].commits

    def refusal(self, text: str, *, vague: bool) -> SqeError | None:
        """The error of ours that Spark's text quotes; the newest, where that text is vague."""
        known = [error for table in self.tables.values() for error in table.refusals]
        quoted = [error for error in known if error.message in text]
        return next(iter(quoted or (reversed(known) if vague else ())), None)

    def to_user(self, text: str) -> str:
        """Turns every handle in a message or plan back into the table's real name."""
        for namespace, table in self.tables.items():
            schema = rf"(?:`?{CATALOG}`?\.)?`?{namespace}(?!\d)`?"
            name = rf"{schema}\.`?{re.escape(table.name.name)}`?"
            listed = rf"{CATALOG}, {namespace}, {re.escape(table.name.name)}"  # as parsed plans do
            text = re.sub(listed, ", ".join(table.name.parts).replace("\\", r"\\"), text)
            text = re.sub(name, str(table.name).replace("\\", r"\\"), text)
            text = re.sub(schema, str(table.name.schema).replace("\\", r"\\"), text)
        return text


def make_grant(tables: Iterable[GrantedTable]) -> HandleGrant:
    nonce = secrets.token_hex(16)
    by_namespace: dict[str, GrantedTable] = {}
    by_name: dict[RelationName, str] = {}
    for index, table in enumerate(tables, start=1):
        namespace = f"q_{nonce}_{index}"
        by_namespace[namespace] = table
        by_name[table.name] = namespace
    return HandleGrant(by_namespace, by_name)
