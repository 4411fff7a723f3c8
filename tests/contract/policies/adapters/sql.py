"""Scenarios as GRANT and DENY, made through the book of grants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqe.model.administrators import Administrators
from sqe.model.decision import RowFilter, TableFacts
from sqe.model.grants import ColumnRule, GrantRequest, RevokeRequest
from sqe.model.identity import Identity
from sqe.model.masks import ExpressionMask
from sqe.model.rules import SubjectKind
from sqe.policy.grants.book import GrantBook
from sqe.policy.grants.rules import GrantRules
from sqe.policy.grants.source import SqlGrants
from sqe.store.database import Database
from sqe.store.grants import GrantStore
from tests.contract.policies.scenarios import COLUMNS, Rule

ADMINISTRATOR = Identity("root")


@dataclass
class OpenedGrants:
    source: SqlGrants
    book: GrantBook
    home: Path
    database: Database
    made: Sequence[Rule] = ()

    def change(self, rules: Sequence[Rule]) -> None:
        for rule in self.made:
            self.book.revoke(ADMINISTRATOR, RevokeRequest(rule.privileges, rule.on, (rule.to,)))
        for rule in rules:
            if rule.to.kind is SubjectKind.ROLE:
                self.book.create_role(ADMINISTRATOR, rule.to.name, if_not_exists=True)
            make = self.book.deny if rule.deny else self.book.grant
            make(ADMINISTRATOR, _request(rule))
        self.made = rules

    def break_it(self) -> None:
        """A server that has read nothing yet, on a file that is no database."""
        self.database.close()
        (self.home / "sqe.db").write_bytes(b"no database" * 1000)
        self.source = SqlGrants(GrantRules(GrantStore(self.database)))

    def facts(self, who: Identity, table: TableFacts) -> TableFacts:
        return table


class SqlAdapter:
    name = "sql"
    cannot: Mapping[str, str] = {}
    unversioned = ""
    changes = ("to a user", "nothing is given")
    lists = True

    @contextmanager
    def opened(self, rules: Sequence[Rule], folder: Path) -> Iterator[OpenedGrants]:
        database = Database(folder)
        held = GrantRules(GrantStore(database), Administrators(frozenset({ADMINISTRATOR.user})))
        opened = OpenedGrants(SqlGrants(held), GrantBook(held), folder, database)
        opened.change(rules)
        try:
            yield opened
        finally:
            database.close()


def _request(rule: Rule) -> GrantRequest:
    """Columns are named that are seen: all that are not hidden."""
    names = [*(one.name for one in COLUMNS), *rule.masks]
    columns = tuple(
        ColumnRule(name, mask=ExpressionMask(rule.masks[name]) if name in rule.masks else None)
        for name in dict.fromkeys(names)
        if name not in rule.hidden
    )
    return GrantRequest(
        rule.privileges,
        rule.on,
        (rule.to,),
        rows=RowFilter(rule.rows) if rule.rows else None,
        columns=columns if rule.masks or rule.hidden else None,
    )
