"""dbt-trino: a project from its check to its documentation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trino as trino_client

from tests.embedded.trino_clients.conftest import Address
from tests.trino_clients.dbt import Project

# The first run on a machine makes dbt's environment.
pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(900)]

SCHEMA = "dbt_lab"
FILES = {
    "dbt_project.yml": """
name: lab
version: "1.0"
profile: lab
models:
  lab:
    +on_table_exists: rename
""",
    "seeds/people.csv": "id,name,born\n1,Ann,1990-01-02\n2,Bob,1985-05-06\n",
    "models/m_view.sql": (
        "{{ config(materialized='view') }} select id, upper(name) as name from {{ ref('people') }}"
    ),
    "models/m_table.sql": (
        "{{ config(materialized='table') }} select id, name, id * 10 as ten"
        " from {{ ref('m_view') }}"
    ),
    "models/m_append.sql": (
        "{{ config(materialized='incremental') }} select id, name from {{ ref('people') }}"
        " {% if is_incremental() %} where id > (select max(id) from {{ this }}) {% endif %}"
    ),
    "models/m_merge.sql": (
        "{{ config(materialized='incremental', unique_key='id', incremental_strategy='merge') }}"
        " select id, name from {{ ref('people') }}"
    ),
    "models/m_replace.sql": (
        "{{ config(materialized='incremental', unique_key='id',"
        " incremental_strategy='delete+insert') }} select id, name from {{ ref('people') }}"
    ),
    "models/m_loaded.sql": (
        "{{ config(materialized='incremental', unique_key='id', incremental_strategy='merge') }}"
        " select id, coalesce(name, 'x') as name, current_timestamp as loaded_at,"
        " current_date as loaded_on, cast(born as timestamp(6) with time zone) as born_at"
        " from {{ ref('people') }}"
        " {% if is_incremental() %} where id > 1 and now() > cast(born as timestamp) {% endif %}"
    ),
    "models/schema.yml": """
models:
  - name: m_table
    description: Everybody, times ten
    columns:
      - name: id
        data_tests: [unique, not_null]
      - name: name
        data_tests:
          - accepted_values: {arguments: {values: [ANN, BOB, BEA]}}
""",
    "snapshots/s_people.sql": """
{% snapshot s_people %}
{{ config(target_schema='dbt_lab', unique_key='id', strategy='check', check_cols=['name']) }}
select id, name from {{ ref('people') }}
{% endsnapshot %}
""",
}


@pytest.fixture(scope="module")
def project(trino: Address, tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project(tmp_path_factory.mktemp("dbt"), trino.host, trino.port, SCHEMA)
    made.write(FILES)
    return made


@pytest.fixture(scope="module")
def ask(trino: Address) -> Callable[[str], list[Any]]:
    connection = trino_client.dbapi.Connection(
        host=trino.host, port=trino.port, user="ann", catalog="lake", schema=SCHEMA
    )

    def rows(text: str) -> list[Any]:
        return [tuple(row) for row in connection.cursor().execute(text).fetchall()]

    return rows


def test_a_project_lives_with_sqe(project: Project, ask: Callable[[str], list[Any]]) -> None:
    """One test: each step stands on the one before."""
    assert "All checks passed!" in project.run("debug")
    project.run("seed")
    assert ask("SELECT id, name, born FROM people ORDER BY id")[0][:2] == (1, "Ann")
    project.run("run")
    project.run("snapshot")
    assert ask("SELECT id, name, ten FROM m_table ORDER BY id") == [(1, "ANN", 10), (2, "BOB", 20)]

    changed = "id,name,born\n1,Bea,1990-01-02\n2,Bob,1985-05-06\n3,Ann,2000-01-01\n"
    (project.folder / "seeds" / "people.csv").write_text(changed)
    project.run("seed", "--full-refresh")
    project.run("run")
    project.run("snapshot")
    assert ask("SELECT id, name FROM m_append ORDER BY id") == [(1, "Ann"), (2, "Bob"), (3, "Ann")]
    new = [(1, "Bea"), (2, "Bob"), (3, "Ann")]
    assert ask("SELECT id, name FROM m_merge ORDER BY id") == new
    assert ask("SELECT id, name FROM m_replace ORDER BY id") == new
    loaded = "SELECT id, name, loaded_on > DATE '2024-01-01', loaded_at > born_at FROM m_loaded"
    assert ask(f"{loaded} ORDER BY id") == [
        (1, "Ann", True, True), (2, "Bob", True, True), (3, "Ann", True, True),
    ]  # fmt: skip
    earlier = (
        "SELECT count(*) FROM m_loaded WHERE loaded_at < (SELECT max(loaded_at) FROM m_loaded)"
    )
    assert ask(earlier) == [(1,)]  # what the second run did not take
    history = ask("SELECT id, name, dbt_valid_to IS NULL FROM s_people ORDER BY id, dbt_valid_from")
    assert history == [(1, "Ann", False), (1, "Bea", True), (2, "Bob", True), (3, "Ann", True)]

    assert "Completed successfully" in project.run("test")
    project.run("docs", "generate")
    nodes = project.made("catalog.json")["nodes"]
    columns = nodes["model.lab.m_table"]["columns"]
    assert {name: one["type"] for name, one in columns.items()} == {
        "id": "integer",
        "name": "varchar",
        "ten": "integer",
    }
    assert nodes["model.lab.m_view"]["metadata"]["type"] == "VIEW"


def test_a_failing_test_is_told(project: Project, tmp_path: Path) -> None:
    other = Project(tmp_path, project.host, project.port, "dbt_failing")
    model = "{{ config(materialized='table') }} select 1 as id union all select 1"
    tests = "models: [{name: twice, columns: [{name: id, data_tests: [unique]}]}]"
    other.write(
        {
            "dbt_project.yml": FILES["dbt_project.yml"],
            "models/twice.sql": model,
            "models/schema.yml": tests,
        }
    )
    other.run("run")
    with pytest.raises(AssertionError, match="Got 1 result, configured to fail if != 0"):
        other.run("test")
