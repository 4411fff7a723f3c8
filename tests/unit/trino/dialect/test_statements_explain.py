"""EXPLAIN: what is asked of the engine, and what is told without one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sqe.model.query import ClientState
from tests.unit.trino.dialect.catalog import refusal, translated


def told(sql: str) -> dict[str, Any]:
    """The document that is the answer."""
    made = translated(sql)
    assert [(one.name, str(one.type)) for one in made.columns] == [("Query Plan", "varchar")]
    text = made.text.removeprefix("SELECT '").removesuffix("'").replace("\\n", "\n")
    found: dict[str, Any] = json.loads(text)
    return found


def names(node: dict[str, Any]) -> list[Any]:
    """Of a plan's nodes, each with those below it."""
    return [node["name"], *(names(one) for one in node["children"])]


def tables(sql: str) -> list[str]:
    found = told(f"EXPLAIN (TYPE IO, FORMAT JSON) {sql}")["inputTableColumnInfos"]
    return [one["table"]["schemaTable"]["table"] for one in found]


def test_the_engine_is_asked_about_the_translated_text() -> None:
    made = translated("EXPLAIN SELECT id FROM one")
    assert made.text == "EXPLAIN SELECT r1.`id` AS `id` FROM `lake`.`s`.`one` AS r1"
    assert translated("EXPLAIN (TYPE LOGICAL, FORMAT TEXT) SELECT id FROM one").text == made.text
    assert (
        translated("EXPLAIN ANALYZE VERBOSE SELECT 1").text == "EXPLAIN ANALYZE SELECT 1 AS `_col0`"
    )
    assert translated("EXPLAIN SHOW CATALOGS").text.startswith("EXPLAIN SELECT ")


def test_a_prepared_statement_is_explained_with_its_values() -> None:
    client = ClientState("lake", "s", prepared={"p": "SELECT ? FROM one"})
    assert translated("EXPLAIN EXECUTE p USING 7", client).text == (
        "EXPLAIN SELECT 7 AS `_col0` FROM `lake`.`s`.`one` AS r1"
    )
    assert translated("EXPLAIN EXECUTE IMMEDIATE 'SELECT ?' USING 7").text == (
        "EXPLAIN SELECT 7 AS `_col0`"
    )


@pytest.mark.parametrize("options", ["", "(TYPE IO)", "(FORMAT JSON)"])
def test_what_has_no_plan_is_said_in_a_line(options: str) -> None:
    made = translated(f"EXPLAIN {options} CREATE TABLE n (a integer)")
    assert made.text == "SELECT 'CREATE TABLE lake.s.n'"


def test_validating_runs_nothing() -> None:
    made = translated("EXPLAIN (TYPE VALIDATE, FORMAT JSON) INSERT INTO one VALUES 1")
    assert (made.text, made.columns[0].name) == ("SELECT true", "Valid")
    assert refusal("EXPLAIN (TYPE VALIDATE) INSERT INTO one VALUES 'x'") == (
        "TYPE_MISMATCH",
        "1:25: Insert query has mismatched column types: Table: [integer], Query: [varchar(1)]",
    )
    assert refusal("EXPLAIN ANALYZE CREATE TABLE n (a integer)") == (
        "NOT_SUPPORTED",
        "EXPLAIN ANALYZE doesn't support statement type: CreateTable",
    )


def test_a_logical_plan_is_a_tree_of_trinos_shape() -> None:
    plan = told("EXPLAIN (TYPE LOGICAL, FORMAT JSON) SELECT id AS k, 1 FROM t JOIN one USING (id)")
    assert list(plan) == [
        "id", "name", "descriptor", "outputs", "details", "estimates", "children",
    ]  # fmt: skip
    assert names(plan) == ["Output", ["Engine", ["TableScan"], ["TableScan"]]]
    assert plan["descriptor"] == {"columnNames": "[k, _col1]"}
    assert plan["outputs"] == [
        {"type": "integer", "name": "k"},
        {"type": "integer", "name": "_col1"},
    ]
    assert plan["estimates"][0]["memoryCost"] == "NaN"
    [engine] = plan["children"]
    assert [one["descriptor"]["table"] for one in engine["children"]] == ["lake:s.t", "lake:s.one"]


def test_a_distributed_plan_is_the_default_and_has_one_fragment() -> None:
    told_by_default = told("EXPLAIN (FORMAT JSON) INSERT INTO one SELECT id FROM t")
    plan = told_by_default["0"]
    assert names(plan) == ["Output", ["TableCommit", ["Engine", ["TableScan"]]]]
    assert plan["outputs"] == [{"type": "bigint", "name": "rows"}]
    assert plan["children"][0]["descriptor"] == {"target": "lake:s.one"}


def test_what_is_read_and_written() -> None:
    insert = "EXPLAIN (TYPE IO) INSERT INTO one WITH q AS (SELECT id FROM t) SELECT id FROM q"
    found = told(insert)
    assert [one["table"]["catalog"] for one in found["inputTableColumnInfos"]] == ["lake"]
    assert found["outputTable"]["schemaTable"] == {"schema": "s", "table": "one"}
    assert found["estimate"]["cpuCost"] == "NaN"
    assert tables("UPDATE one SET id = (SELECT max(id) FROM t)") == ["one", "t"]


def test_a_plan_as_a_graph() -> None:
    text = translated('EXPLAIN (FORMAT GRAPHVIZ) INSERT INTO one SELECT id AS "a|b" FROM t').text
    assert text.startswith("SELECT 'digraph distributed_plan {")
    for box in ("Output[rows]", "TableCommit[lake:s.one]", "TableScan[lake:s.t]"):
        assert f'[label="{{{box}}}"' in text
    assert text.count(" -> plannode_") == 3
    query = translated('EXPLAIN (TYPE LOGICAL, FORMAT GRAPHVIZ) SELECT id AS "a|b" FROM t').text
    assert "digraph logical_plan {" in query and "Output[a\\\\|b]" in query
    assert refusal("EXPLAIN (TYPE IO, FORMAT GRAPHVIZ) SELECT 1")[0] == "GENERIC_INTERNAL_ERROR"


@pytest.mark.parametrize(
    ("sql", "read"),
    [
        ("SELECT 1 FROM one a, one b, t", ["one", "t"]),
        ("WITH one AS (SELECT 1 AS x) SELECT x FROM one", []),
        ("WITH one AS (SELECT id FROM one) SELECT id FROM one", ["one"]),
        ("WITH one AS (SELECT 1 AS x) SELECT x FROM one, s.one AS o", ["one"]),
        ("SELECT (WITH t AS (SELECT 1 AS x) SELECT x FROM t) FROM t", ["t"]),
    ],
)
def test_names_of_with_hide_tables(sql: str, read: list[str]) -> None:
    assert tables(sql) == read


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (
            "EXPLAIN (FORMAT GRAPHVIZ) SELECT id FROM v",
            "1:42: EXPLAIN (TYPE DISTRIBUTED, FORMAT GRAPHVIZ) of a view is not supported",
        ),
        (
            "EXPLAIN (FORMAT JSON) SELECT id FROM v",
            "1:38: EXPLAIN (TYPE DISTRIBUTED, FORMAT JSON) of a view is not supported",
        ),
        (
            "EXPLAIN (FORMAT JSON) SHOW CATALOGS",
            "1:1: EXPLAIN (FORMAT JSON) of SHOW is not supported",
        ),
        ("EXPLAIN SHOW STATS FOR t", "1:1: EXPLAIN of SHOW STATS is not supported"),
    ],
)
def test_the_rest_is_refused_by_name(sql: str, message: str) -> None:
    assert refusal(sql) == ("NOT_SUPPORTED", message)


def test_the_first_of_two_options_counts() -> None:
    assert translated("EXPLAIN (TYPE VALIDATE, TYPE IO) SELECT 1").columns[0].name == "Valid"
