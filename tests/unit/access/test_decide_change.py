"""Who may know of a relation because they may change it: decided as the statements are that do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest

from sqe.access.control import AccessControl
from sqe.access.guards import Guards
from sqe.access.relations import SeenRelation
from sqe.access.statement_guard import SessionRelations, StatementGuard
from sqe.access.visibility import VisibleCatalogs
from sqe.binding.binder import Binder, Hiding
from sqe.binding.bound import BoundAbsent, BoundTarget
from sqe.binding.statement_cache import statement_cache
from sqe.catalog.configured import ConfiguredCatalogs
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.materialized import DEFINITION
from sqe.errors import ABSENT, AccessError, SqeError
from sqe.model.decision import Allow, Decision, Deny, Restrict, RowFilter, TableFacts
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Object, Privilege
from sqe.policy.policy import Policy
from sqe.sessions.session import Session
from sqe.sql.parse import parse
from sqe.sql.text import TextLimits
from tests.unit.coordinator.lake import EMP, SIMPLE, view_request

HR = SchemaName("lake", ("hr",))
NAMES = [
    *(RelationName(HR, name) for name in ("emp", "names", "kept", "none")),
    RelationName(SchemaName("lake", ("nowhere",)), "none"),
]
STATEMENTS = (
    "INSERT INTO {} SELECT 1",
    "DELETE FROM {}",
    "ALTER TABLE {} SET TBLPROPERTIES ('x' = 'y')",
    "DROP TABLE {}",
    "CREATE TABLE {} (x INT)",
)
RIGHTS = (
    *(Privilege.INSERT, Privilege.UPDATE, Privilege.DELETE, Privilege.ALTER, Privilege.DROP),
    *(Privilege.CREATE, Privilege.OWN, Privilege.SHOW),
)
HELD = [frozenset(some) for count in (0, 1, 2, len(RIGHTS)) for some in combinations(RIGHTS, count)]
# What is not there is asked about only where reading it is denied: else it is known not to be.
UNREAD: list[tuple[RelationName, Decision]] = [
    *((name, Deny("no")) for name in NAMES),
    *(
        (name, Restrict("part", (RowFilter("nothing > 1", check=check),)))
        for name in NAMES[:3]
        for check in (True, False)
    ),
]


class Rights:
    """Implements ``PolicySource``: these privileges on everything."""

    name = "rights"

    def __init__(self) -> None:
        self.held: frozenset[Privilege] = frozenset()
        self.reads: Decision = Deny("no")
        self.runs = True

    def version(self) -> int:
        return 0

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        if table.privilege is Privilege.SELECT:
            return self.reads
        return Allow("held") if table.privilege in self.held else Deny("not held")

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        return Allow("yes") if self.runs else Deny("no")

    def visible(self, identity: Identity, objects: Sequence[Object]) -> Sequence[bool]:
        return [True] * len(objects)


class Place:
    def __init__(self, catalog: EmbeddedCatalog) -> None:
        self.rights = Rights()
        policy, whole = Policy([self.rights]), ConfiguredCatalogs({"lake": catalog})
        visible = VisibleCatalogs(whole, policy)
        binder = Binder(visible, TextLimits(), hiding=Hiding(visible.sees, whole))
        access = AccessControl(policy, visible, whole)
        self.guard = StatementGuard(binder, access, Guards(binder, policy.with_roles))
        self.session = Session(Identity("ada"), HR, lambda _: None)
        self.relations = SessionRelations(self.guard, self.session)

    def changed(self, name: RelationName) -> str:
        try:
            seen: SeenRelation = self.relations.change(name)
        except SqeError as error:
            return "absent" if error.code in ABSENT else "denied"
        return _word(seen.target)

    def planned(self, name: RelationName) -> str:
        """By the first of the statements that the pipe would let through."""
        for text in STATEMENTS:
            try:
                decided = self.guard.decide(parse(text.format(name)), self.session)
                self.guard.guard(decided, self.session)
            except SqeError as error:
                if error.code in ABSENT:
                    return "absent"
                continue
            return _word(decided.bound.references[0].target)
        return "denied"


def _word(target: BoundTarget) -> str:
    return "absent" if isinstance(target, BoundAbsent) else "known"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder: Path = tmp_path_factory.mktemp("lake")
    with closing(EmbeddedCatalog(folder / "c.db", folder / "w")) as catalog:
        catalog.create_namespace(("hr",), {})
        catalog.create_table(("hr",), {"name": "emp", "schema": EMP})
        kept = {"name": "kept", "schema": SIMPLE, "properties": {DEFINITION: "{}"}}
        catalog.create_table(("hr",), kept)
        catalog.create_view(("hr",), view_request("names", "SELECT name AS a FROM emp"))
        yield Place(catalog)


@pytest.mark.parametrize(("name", "reads"), UNREAD, ids=str)
def test_a_relation_is_known_to_whom_a_statement_would_be_let_through(
    place: Place, name: RelationName, reads: Decision
) -> None:
    place.rights.reads = reads
    with pytest.raises(AccessError):
        place.relations.read(name)
    answers = set()
    for held in HELD:
        place.rights.held = held
        with statement_cache():
            answers.add(place.changed(name))
            assert place.changed(name) == place.planned(name), sorted(map(str, held))
    assert "denied" in answers


def test_a_privilege_on_a_table_makes_it_known_and_a_view_takes_the_one_to_drop_it(
    place: Place,
) -> None:
    place.rights.reads = Deny("no")
    known = {
        name.name: [one for one in RIGHTS if _held(place, one) and place.changed(name) == "known"]
        for name in NAMES[:3]
    }
    tables = [Privilege.INSERT, Privilege.DELETE, Privilege.ALTER, Privilege.DROP]
    assert known == {"emp": tables, "names": [Privilege.DROP], "kept": []}


def test_who_may_run_no_statement_knows_of_nothing(place: Place) -> None:
    place.rights.held, place.rights.runs = frozenset(RIGHTS), False
    try:
        with pytest.raises(AccessError, match="You may not run statements"):
            place.relations.change(NAMES[0])
    finally:
        place.rights.runs = True


def _held(place: Place, privilege: Privilege) -> bool:
    place.rights.held = frozenset({privilege})
    return True
