"""Trino's resource-groups.json as it is, and what is wrong with one that is not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sqe.admission.document import read_document
from sqe.admission.request import AdmissionRequest, place_of

# The example of Trino's documentation.
TRINOS_EXAMPLE = """
{
  "rootGroups": [
    {
      "name": "global",
      "softMemoryLimit": "80%",
      "hardConcurrencyLimit": 100,
      "maxQueued": 1000,
      "schedulingPolicy": "weighted",
      "jmxExport": true,
      "subGroups": [
        {
          "name": "data_definition",
          "softMemoryLimit": "10%",
          "hardConcurrencyLimit": 5,
          "maxQueued": 100,
          "schedulingWeight": 1
        },
        {
          "name": "adhoc",
          "softMemoryLimit": "10%",
          "hardConcurrencyLimit": 50,
          "maxQueued": 1,
          "schedulingWeight": 10,
          "subGroups": [
            {
              "name": "other",
              "softMemoryLimit": "10%",
              "hardConcurrencyLimit": 2,
              "maxQueued": 1,
              "schedulingWeight": 10,
              "schedulingPolicy": "weighted_fair",
              "subGroups": [
                {
                  "name": "${USER}",
                  "softMemoryLimit": "10%",
                  "hardConcurrencyLimit": 1,
                  "maxQueued": 100
                }
              ]
            },
            {
              "name": "bi-${toolname}",
              "softMemoryLimit": "10%",
              "hardConcurrencyLimit": 10,
              "maxQueued": 100,
              "schedulingWeight": 10,
              "schedulingPolicy": "weighted_fair",
              "subGroups": [
                {
                  "name": "${USER}",
                  "softMemoryLimit": "10%",
                  "hardConcurrencyLimit": 3,
                  "maxQueued": 10
                }
              ]
            }
          ]
        },
        {
          "name": "pipeline",
          "softMemoryLimit": "80%",
          "hardConcurrencyLimit": 45,
          "maxQueued": 100,
          "schedulingWeight": 1,
          "jmxExport": true,
          "subGroups": [
            {
              "name": "pipeline_${USER}",
              "softMemoryLimit": "50%",
              "hardConcurrencyLimit": 5,
              "maxQueued": 100
            }
          ]
        }
      ]
    },
    {
      "name": "admin",
      "softMemoryLimit": "100%",
      "hardConcurrencyLimit": 50,
      "maxQueued": 100,
      "schedulingPolicy": "query_priority",
      "jmxExport": true
    }
  ],
  "selectors": [
    {"user": "bob", "group": "admin"},
    {"userGroup": "admin", "group": "admin"},
    {"source": ".*pipeline.*", "queryType": "DATA_DEFINITION", "group": "global.data_definition"},
    {"source": ".*pipeline.*", "group": "global.pipeline.pipeline_${USER}"},
    {
      "source": "jdbc#(?<toolname>.*)",
      "clientTags": ["hipri"],
      "group": "global.adhoc.bi-${toolname}.${USER}"
    },
    {"group": "global.adhoc.other.${USER}"}
  ],
  "cpuQuotaPeriod": "1h"
}
"""


@pytest.mark.parametrize(
    ("request_", "group"),
    [
        (AdmissionRequest("bob"), "admin"),
        (AdmissionRequest("eve", frozenset({"dev", "admin"})), "admin"),
        (
            AdmissionRequest("eve", source="my-pipeline-7", text="DROP TABLE t"),
            "global.data_definition",
        ),
        (
            AdmissionRequest("eve", source="my-pipeline-7", text="SELECT 1"),
            "global.pipeline.pipeline_eve",
        ),
        (
            AdmissionRequest("eve", source="jdbc#superset", tags=frozenset({"hipri", "x"})),
            "global.adhoc.bi-superset.eve",
        ),
        (AdmissionRequest("eve", source="jdbc#superset"), "global.adhoc.other.eve"),
        (AdmissionRequest("bobby"), "global.adhoc.other.bobby"),
    ],
)
def test_trinos_own_example_sends_queries_where_trino_does(
    request_: AdmissionRequest, group: str
) -> None:
    place = place_of(read_document(TRINOS_EXAMPLE.encode()), request_)
    assert place is not None
    assert ".".join(place.names) == group


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SELECT 1", "SELECT"),
        ("-- for Ann\n /* a\nb */ ( WITH t AS (SELECT 1) SELECT * FROM t )", "SELECT"),
        ("values 1", "SELECT"),
        ("EXPLAIN SELECT 1", "EXPLAIN"),
        ("show tables", "DESCRIBE"),
        ("DESC t", "DESCRIBE"),
        ("INSERT INTO t VALUES 1", "INSERT"),
        ("CREATE TABLE t AS SELECT 1 AS a", "INSERT"),
        ("CREATE OR REPLACE TABLE t AS (SELECT 1 AS a)", "INSERT"),
        ("CREATE TABLE t (a int)", "DATA_DEFINITION"),
        ("UPDATE t SET a = 1", "UPDATE"),
        ("delete from t", "DELETE"),
        ("MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE", "MERGE"),
        ("ANALYZE t", "ANALYZE"),
        ("ALTER TABLE t EXECUTE optimize", "ALTER_TABLE_EXECUTE"),
        ("ALTER TABLE t ADD COLUMN b int", "DATA_DEFINITION"),
        ("CALL system.rollback(1)", "DATA_DEFINITION"),
        ("", "SELECT"),
        ("/* never closed", "SELECT"),
    ],
)
def test_the_first_words_say_what_a_statement_is(text: str, kind: str) -> None:
    assert AdmissionRequest("ann", text=text).query_type == kind


def test_a_selector_may_ask_for_the_clients_estimates() -> None:
    wanted = {"executionTime": {"min": "5m", "max": "1h"}, "peakMemory": {"max": "1GB"}}
    document = groups(selectors=[{"selectorResourceEstimate": wanted, "group": "g"}])
    fits = {"EXECUTION_TIME": "10m", "PEAK_MEMORY": "500MB"}
    for estimates, expected in (
        (fits, True),
        ({**fits, "EXECUTION_TIME": "4m"}, False),
        ({**fits, "PEAK_MEMORY": "2GB"}, False),
        ({**fits, "PEAK_MEMORY": "much"}, False),
        ({"EXECUTION_TIME": "10m"}, False),
    ):
        request = AdmissionRequest("ann", estimates=estimates)
        assert (place_of(read_document(document), request) is not None) is expected


GROUP = {"name": "g", "hardConcurrencyLimit": 1, "maxQueued": 1}


def groups(**changes: Any) -> bytes:
    document = {"rootGroups": [GROUP], "selectors": [{"group": "g"}]} | changes
    return json.dumps({key: value for key, value in document.items() if value is not None}).encode()


def with_group(**changes: Any) -> bytes:
    return groups(rootGroups=[GROUP | changes])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", "Expecting property name"),
        (b'{"rootGroups": [], "rootGroups": []}', "a key is there twice"),
        (b"[" * 100_000, "nested too deeply"),
        (b"\xff", "utf-8"),
        (groups(selectors=None), "selectors: Field required"),
        (groups(rootGroup=[]), "rootGroup: Extra inputs are not permitted"),
        (with_group(maxQueue=1), "rootGroups.0.maxQueue: Extra inputs are not permitted"),
        (with_group(maxQueued="x"), "rootGroups.0.maxQueued: Input should be a valid integer"),
        (with_group(hardConcurrencyLimit=-1), "rootGroups.0.hardConcurrencyLimit: Input should be"),
        (with_group(softConcurrencyLimit=2), "rootGroups.0: Value error, softConcurrencyLimit"),
        (with_group(softMemoryLimit="10"), "rootGroups.0.softMemoryLimit: Value error, a size"),
        (with_group(hardCpuLimit="1 fortnight"), "rootGroups.0.hardCpuLimit: Value error, a dur"),
        (with_group(hardCpuLimit="1h"), "cpuQuotaPeriod is missing"),
        (with_group(softCpuLimit="1h"), "softCpuLimit needs a hardCpuLimit"),
        (with_group(schedulingPolicy="random"), "rootGroups.0.schedulingPolicy: Input should be"),
        (with_group(schedulingWeight=0), "rootGroups.0.schedulingWeight: Input should be greater"),
        (with_group(subGroups=[GROUP]), "'g' has groups below it"),
        (with_group(subGroups=[GROUP, GROUP]), "two groups are called 'g'"),
        (with_group(subGroups=[GROUP | {"name": "a.b"}]), "a name cannot have a dot"),
        (
            with_group(schedulingPolicy="query_priority", subGroups=[GROUP]),
            "the groups below need schedulingPolicy query_priority",
        ),
        (groups(selectors=[{"group": "h"}]), "selectors.0.group: there is no group 'h'"),
        (
            groups(selectors=[{"group": "g"}, {"user": "(", "group": "g"}]),
            "selectors.1.user: Value error, '(' is not a regular expression",
        ),
        (
            groups(rootGroups=[GROUP | {"name": "${TEAM}"}], selectors=[{"group": "${TEAM}"}]),
            "nothing says what ${TEAM} is",
        ),
        (groups(selectors=[{"queryType": "CHAT", "group": "g"}]), "selectors.0.queryType: Input"),
    ],
)
def test_a_broken_file_is_told_with_its_place(content: bytes, problem: str) -> None:
    with pytest.raises(ValueError) as raised:
        read_document(content)
    assert problem in str(raised.value)
