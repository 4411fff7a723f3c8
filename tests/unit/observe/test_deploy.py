"""The alerts and the dashboard name only metrics that there are; every alert has its advice."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sqe.observe.families import FAMILIES, OF_THE_LIBRARY
from sqe.observe.family import Family

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
RULES = DEPLOY / "prometheus" / "sqe.rules.yml"
DASHBOARD = DEPLOY / "grafana" / "sqe.json"
_BY_SERIES: dict[str, Family] = {name: family for family in FAMILIES for name in family.series}
_NAME = re.compile(r"\b(?:sqe|process)_\w+")
_SELECTOR = re.compile(r"\b((?:sqe|process)_\w+)\{([^}]*)\}")
_GROUPS = re.compile(r"\bby \(([^)]*)\)")
_OF_SCRAPES = {"instance", "job", "le"}


def alerts() -> dict[str, dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text())["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}


def panels() -> dict[str, list[str]]:
    board = json.loads(DASHBOARD.read_text())
    return {
        panel["title"]: [target["expr"] for target in panel["targets"]]
        for panel in board["panels"]
        if panel["type"] != "row"
    }


QUERIES = [str(rule["expr"]) for rule in alerts().values()] + [
    query for queries in panels().values() for query in queries
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_names_what_there_is(query: str) -> None:
    names = set(_NAME.findall(query))
    assert names or query.startswith("up{")
    assert names <= {*_BY_SERIES, *OF_THE_LIBRARY}
    for name, selector in _SELECTOR.findall(query):
        labels = set(re.findall(r"(\w+)\s*(?:=|!)", selector))
        assert labels <= _labels(name)
    grouped = {label.strip() for group in _GROUPS.findall(query) for label in group.split(",")}
    assert grouped <= set().union(*map(_labels, names))


def _labels(name: str) -> set[str]:
    family = _BY_SERIES.get(name)
    return {*(family.labels if family is not None else ()), *_OF_SCRAPES}


def test_every_metric_is_on_the_dashboard() -> None:
    """But the one that has people's names, which the settings must ask for."""
    shown = {_BY_SERIES[name].name for name in _NAME.findall(str(panels())) if name in _BY_SERIES}
    assert {family.name for family in FAMILIES} - shown == {"sqe_user_queries_total"}


@pytest.mark.parametrize("alert", alerts())
def test_every_alert_says_what_to_do(alert: str) -> None:
    runbook = (ROOT / "docs" / "guides" / "runbook.md").read_text()
    assert runbook.count(f"\n## {alert}\n") == 1
    rule = alerts()[alert]
    assert rule["annotations"]["runbook"] == f"docs/guides/runbook.md#{alert.lower()}"
    assert rule["labels"]["severity"] in ("page", "ticket")
    cases = (DEPLOY / "prometheus" / "sqe.rules.test.yml").read_text()
    assert f"name: {alert} fires\n" in cases and f"name: {alert} keeps quiet\n" in cases


def test_the_runbook_has_no_section_of_an_alert_that_is_gone() -> None:
    runbook = (ROOT / "docs" / "guides" / "runbook.md").read_text()
    assert set(re.findall(r"^## (Sqe\w+)$", runbook, re.MULTILINE)) == set(alerts())
