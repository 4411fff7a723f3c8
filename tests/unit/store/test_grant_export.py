"""Rules made with SQL are written as a text, and read back as they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqe.model.decision import RowFilter
from sqe.model.grants import (
    Attachment,
    ColumnRule,
    Grant,
    MaskPolicy,
    Role,
    RoleGrant,
    RowFilterPolicy,
    Tag,
)
from sqe.model.masks import HashMask, PartialMask
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import PUBLIC, Object, Privilege, Subject, SubjectKind
from sqe.policy.grants.lint import in_grants
from sqe.store.database import Database
from sqe.store.grant_export import export_rules, import_rules
from sqe.store.grants import GrantStore, KeptRules

EMP = RelationName(SchemaName("lake", ("h r", "x")), "emp")
ANN = Subject(SubjectKind.USER, "ann")
ROOT = Subject(SubjectKind.ROLE, "root")


@pytest.fixture
def kept(tmp_path: Path) -> KeptRules:
    database = Database(tmp_path)
    store = GrantStore(database)
    with store.change() as change:
        change.put(Role("reader", by="root", at=1.5))
        change.put(RoleGrant("reader", ANN, admin_option=True))
        columns = (ColumnRule("ssn", 3, PartialMask(0, 4, "#")), ColumnRule("id"))
        rows = RowFilter("dept = 'it'", check=True)
        change.put(
            Grant(
                ANN, Privilege.SELECT, Object.table(EMP), rows=rows, columns=columns, through=ROOT
            )
        )
        change.put(Grant(PUBLIC, Privilege.CREATE, Object.catalog("lake"), deny=True))
        change.put(RowFilterPolicy("own", RowFilter("a")))
        change.put(MaskPolicy("secret", HashMask("pii")))
        change.put(Attachment("secret", tag="pii", exempt=(ROOT,)))
        change.put(Tag("pii", EMP, "ssn", 3))
    found = store.read()
    database.close()
    return found


def test_all_of_it_comes_back(kept: KeptRules) -> None:
    back = import_rules(export_rules(kept))
    for name in ("roles", "role_grants", "policies", "attachments", "tags", "owned"):
        assert set(getattr(back, name)) == set(getattr(kept, name)), name
    assert {str(grant) for grant in back.grants} == {str(grant) for grant in kept.grants}
    assert export_rules(back) == export_rules(kept)


def test_everybody_and_everything_in_it_is_named(kept: KeptRules) -> None:
    named = in_grants(kept)
    reader = Subject(SubjectKind.ROLE, "reader")
    assert named.subjects == {PUBLIC, ANN, ROOT, reader}
    assert {Object.table(EMP), Object.catalog("lake")} <= named.objects
    assert named.columns == {"ssn", "id"}


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "other"}', '{"format": "sqe-grants"}']
)
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no export"):
        import_rules(text)


def test_a_part_that_is_not_known_is_refused(kept: KeptRules) -> None:
    found = {**json.loads(export_rules(kept)), "denials": []}
    with pytest.raises(ValueError, match="no export"):
        import_rules(json.dumps(found))
