"""Registering, transactions and staged tables: what is allowed, and what Polaris refuses."""

from __future__ import annotations

import uuid

from sqe.testing import PolarisLikeCatalog
from tests.unit.catalog.tables import SCHEMA
from tests.unit.testing.asking import Asker, error

NS = "lake/namespaces"
ORDERS = f"{NS}/sales/tables/orders"
TRANSACTION = "lake/transactions/commit"
SET = {"action": "set-properties", "updates": {"a": "1"}}


def change(table: str, *updates: object, **requirement: object) -> dict[str, object]:
    return {
        "identifier": {"namespace": ["sales"], "name": table},
        "requirements": [requirement] if requirement else [],
        "updates": list(updates),
    }


def test_a_table_is_registered_under_another_name(
    polaris: PolarisLikeCatalog, alice: Asker, carol: Asker
) -> None:
    where = carol.get(ORDERS).json()["metadata-location"]
    body = {"name": "again", "metadata-location": where}
    assert error(alice.post(f"{NS}/sales/register", body))[2].endswith("op REGISTER_TABLE")
    assert carol.ask("DELETE", ORDERS).status == 204  # two tables do not lie in one place
    made = carol.post(f"{NS}/sales/register", body)
    assert made.json()["metadata-location"] == where and "etag" in made.headers
    assert error(carol.post(f"{NS}/sales/register", body))[0] == 409
    over = {**body, "overwrite": True}
    polaris.admin.grant("analyst", ["TABLE_CREATE"], catalog="lake", namespace="sales")
    assert error(alice.post(f"{NS}/sales/register", over))[2].endswith("REGISTER_TABLE_OVERWRITE")
    assert carol.post(f"{NS}/sales/register", over).status == 200


def test_what_is_denied_with_credentials_is_not_registered(
    polaris: PolarisLikeCatalog, bob: Asker, carol: Asker
) -> None:
    polaris.admin.grant("engineer", ["TABLE_CREATE"], catalog="lake", namespace="sales")
    where = carol.get(ORDERS).json()["metadata-location"]
    body = {"name": "again", "metadata-location": where}
    asked = bob.post(f"{NS}/sales/register", body, X_Iceberg_Access_Delegation="vended-credentials")
    assert error(asked)[0] == 403
    assert carol.ask("HEAD", f"{NS}/sales/tables/again").status == 404


def test_a_transaction_is_all_or_nothing(carol: Asker) -> None:
    carol.make("sales", "other")
    wrong = {"type": "assert-table-uuid", "uuid": str(uuid.uuid4())}
    body = {"table-changes": [change("orders", SET), change("other", SET, **wrong)]}
    assert error(carol.post(TRANSACTION, body))[:2] == (409, "CommitFailedException")
    assert "a" not in carol.get(ORDERS).json()["metadata"]["properties"]
    good = {"table-changes": [change("orders", SET), change("other", SET)]}
    assert carol.post(TRANSACTION, good).status == 204
    assert carol.get(ORDERS).json()["metadata"]["properties"]["a"] == "1"


def test_what_a_transaction_may_not_hold(carol: Asker) -> None:
    staged = {"table-changes": [change("orders", SET, type="assert-create")]}
    assert "updateForStagedCreate" in error(carol.post(TRANSACTION, staged))[2]
    moved = {"table-changes": [change("orders", {"action": "set-location", "location": "/x"})]}
    assert error(carol.post(TRANSACTION, moved))[0] == 400
    absent = {"table-changes": [change("none", SET)]}
    assert error(carol.post(TRANSACTION, absent))[2] == "Table does not exist: sales.none"


def test_a_staged_table_is_there_once_it_is_committed(bob: Asker) -> None:
    body = {"name": "staged", "schema": SCHEMA, "stage-create": True}
    answer = bob.post(f"{NS}/hr/tables", body)
    staged = answer.json()["metadata"]
    assert "metadata-location" not in answer.json() and "etag" not in answer.headers
    path = f"{NS}/hr/tables/staged"
    assert bob.get(path).status == 404
    updates = [
        {"action": "assign-uuid", "uuid": staged["table-uuid"]},
        {"action": "upgrade-format-version", "format-version": 2},
        {"action": "add-schema", "schema": staged["schemas"][0]},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": {"spec-id": 0, "fields": []}},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": {"order-id": 0, "fields": []}},
        {"action": "set-default-sort-order", "sort-order-id": -1},
        {"action": "set-location", "location": staged["location"]},
    ]
    create = {"requirements": [{"type": "assert-create"}], "updates": updates}
    assert bob.post(path, create).status == 200
    assert error(bob.post(path, create))[:2] == (409, "CommitFailedException")
    own = {"type": "assert-table-uuid", "uuid": staged["table-uuid"]}
    more = {**create, "requirements": [{"type": "assert-create"}, own]}
    assert error(bob.post(path, more))[2] == "Invalid create requirements"
