"""Whose tables and views are, in each kind of database."""

from __future__ import annotations

import pytest

from sqe.model.names import RelationName, SchemaName
from sqe.store.database import Database
from sqe.store.owners import Owners

T = RelationName(SchemaName("lake", ("a", "b")), "t")
U = RelationName(SchemaName("lake", ("a",)), "b.t")


@pytest.fixture
def owners(database: Database) -> Owners:
    return Owners(database)


def test_an_owner_is_of_one_table_and_not_of_its_name(owners: Owners) -> None:
    assert owners.of(T, "1") is None
    owners.set(T, "1", "ann")
    assert owners.of(T, "1") == "ann"
    assert owners.of(T, "2") is None
    assert owners.of(U, "1") is None
    owners.set(T, "2", "bob")
    assert (owners.of(T, "1"), owners.of(T, "2")) == (None, "bob")


def test_only_the_very_view_is_read_with_its_owners_rights(owners: Owners) -> None:
    owners.set(T, "1", "ann", "digest")
    assert owners.definer(T, "1", "digest") == "ann"
    assert owners.definer(T, "2", "digest") is None
    assert owners.definer(T, "1", "another") is None
    assert owners.definer(U, "1", "digest") is None


def test_a_view_without_a_digest_lends_nothing(owners: Owners) -> None:
    owners.set(T, "1", "ann")
    assert owners.definer(T, "1", "") is None


def test_it_goes_along_and_away_with_the_name(owners: Owners) -> None:
    owners.set(T, "1", "ann")
    owners.set(U, "2", "bob")
    owners.move(T, U)
    assert (owners.of(T, "1"), owners.of(U, "1"), owners.of(U, "2")) == (None, "ann", None)
    owners.drop(U)
    assert owners.of(U, "1") is None


def test_another_process_sees_it(owners: Owners, database: Database) -> None:
    owners.set(T, "1", "ann")
    assert Owners(database).of(T, "1") == "ann"
