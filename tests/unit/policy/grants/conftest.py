"""A book of grants over a database of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sqe.audit.events import RuleEvent
from sqe.model.administrators import Administrators
from sqe.policy.grants.book import GrantBook
from sqe.policy.grants.rules import GrantRules
from sqe.policy.grants.source import SqlGrants
from sqe.store.database import Database
from sqe.store.grants import GrantStore
from tests.unit.policy.grants.people import ADMIN


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database(tmp_path)
    yield made
    made.close()


@pytest.fixture
def opened(database: Database) -> Callable[[], GrantRules]:
    """The rules as one of several servers on the database has them."""

    def make() -> GrantRules:
        return GrantRules(
            GrantStore(database), Administrators(frozenset({ADMIN.user}), frozenset({"guardians"}))
        )

    return make


@pytest.fixture
def rules(opened: Callable[[], GrantRules]) -> GrantRules:
    return opened()


@pytest.fixture
def heard() -> list[RuleEvent]:
    """What the audit log was told."""
    return []


@pytest.fixture
def book(rules: GrantRules, heard: list[RuleEvent]) -> GrantBook:
    return GrantBook(rules, heard.append)


@pytest.fixture
def source(rules: GrantRules) -> SqlGrants:
    return SqlGrants(rules)
