"""What is in the key of a kept answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sqe.binding.bound import BoundTable
from sqe.catalog.protocol import Loaded
from sqe.engines.result_cache.question import Question, Refusal, question_of
from sqe.model.identity import Identity, Secret
from sqe.model.names import SchemaName
from sqe.model.passport import Passport, Token
from sqe.rewrite.guarded import GuardedStatement, replace_statement
from sqe.sessions.session import Session
from tests.unit.coordinator.lake import Lake

ALL = ("*",)
QUERY = "SELECT * FROM hr.emp"


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    lake = Lake(tmp_path)
    yield lake
    lake.close()


def session_of(user: str, login: str = "") -> Session:
    passport = Passport(Token(Secret("t")), login) if login else None
    identity = Identity(user, passport=passport)
    return Session(identity, SchemaName("lake", ("hr",)), lambda _: None)


def with_loaded(guarded: GuardedStatement, **changes: object) -> GuardedStatement:
    """As another catalog would have loaded the table."""
    bound = guarded.bound
    [reference] = bound.references
    table = reference.target
    assert isinstance(table, BoundTable) and isinstance(table.loaded, Loaded)
    loaded = replace(table.loaded, **changes)  # type: ignore[arg-type]
    other = replace(reference, target=replace(table, loaded=loaded))
    return replace_statement(guarded, replace(bound, references=(other,)))


def test_where_files_are_on_this_disk_the_decision_says_who_shares(lake: Lake) -> None:
    guarded = lake.guarded(QUERY)
    asked = [question_of(guarded, session_of(user), ALL) for user in ("ann", "bob")]
    assert isinstance(asked[0], Question) and asked[0] == asked[1]


@pytest.mark.parametrize(
    "changes", [{"storage_credentials": ({"prefix": "s3://"},)}, {"config": {"token": "k"}}]
)
def test_where_the_catalog_hands_out_keys_each_login_has_its_own(
    lake: Lake, changes: dict[str, object]
) -> None:
    guarded = with_loaded(lake.guarded(QUERY), **changes)
    who = [("ann", "1"), ("ann", "2"), ("bob", "3"), ("ann", "1")]
    asked = [question_of(guarded, session_of(*one), ALL) for one in who]
    assert all(isinstance(one, Question) for one in asked)
    assert asked[0] == asked[3] and len(set(asked)) == 3


def test_only_tables_of_the_rules_are_asked_about(lake: Lake) -> None:
    guarded = lake.guarded(QUERY)
    assert question_of(guarded, session_of("ann"), ("lake.sales.*", "lake.hr")) is None
    assert question_of(guarded, session_of("ann"), ("LAKE.HR.E*",)) is not None


def test_what_is_not_committed_is_not_kept(lake: Lake) -> None:
    guarded = with_loaded(lake.guarded(QUERY), metadata_location=None)
    assert isinstance(question_of(guarded, session_of("ann"), ALL), Refusal)


def test_another_state_of_the_table_is_another_question(lake: Lake) -> None:
    guarded, session = lake.guarded(QUERY), session_of("ann")
    other = with_loaded(guarded, metadata_location="elsewhere")
    assert question_of(guarded, session, ALL) != question_of(other, session, ALL)
