"""Properties that Spark shows to nobody, wherever properties are shown."""

from __future__ import annotations

import pytest

from tests.unit.coordinator.lake import SIMPLE, Lake

SECRETS = {
    "my.password": "hunter2-a",
    "aws.secret.key": "hunter2-b",
    "fs.access.key": "hunter2-c",
    "fs.access-key": "hunter2-d",
    "AUTH_TOKEN": "hunter2-e",
    "plain": "password=hunter2-f",
    "source.url": "jdbc:postgresql://joe:hunter2-g@db/x",
    "client.credential": "hunter2-h",
    "header": "Bearer hunter2-i",
}
SHOWS = [
    "SHOW TBLPROPERTIES s",
    *(f"SHOW TBLPROPERTIES s ('{key}')" for key in SECRETS),
    "SHOW CREATE TABLE s",
    "DESCRIBE EXTENDED s",
    "DESCRIBE TABLE FORMATTED s",
]


@pytest.mark.parametrize("text", SHOWS)
def test_secrets_of_tables_are_stars(lake: Lake, text: str) -> None:
    made = {"name": "s", "schema": SIMPLE, "properties": {**SECRETS, "owner.team": "sales"}}
    lake.lake.create_table(("hr",), made)
    shown = repr(lake.rows(text))
    assert "hunter2" not in shown
    assert "*********(redacted)" in shown
    assert "(" in text or "sales" in shown


@pytest.mark.parametrize("text", ["SHOW CREATE SCHEMA safe", "DESCRIBE SCHEMA EXTENDED safe"])
def test_secrets_of_schemas_are_stars(lake: Lake, text: str) -> None:
    lake.rows("CREATE SCHEMA safe WITH PROPERTIES ('my.token' = 'hunter2', 'team' = 'sales')")
    shown = repr(lake.rows(text))
    assert "hunter2" not in shown
    assert "*********(redacted)" in shown and "sales" in shown
