"""What a real Polaris has answered, asked again: the test catalog answers the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sqe.testing import PolarisLikeCatalog
from tests.unit.catalog.tables import SCHEMA
from tests.unit.testing.asking import Asker, error

RECORDED = json.loads(Path(__file__).with_name("polaris.json").read_text())["facts"]


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda recorded: recorded["fact"])
def test_it_answers_as_polaris_did(
    polaris: PolarisLikeCatalog, carol: Asker, alice: Asker, recorded: dict[str, Any]
) -> None:
    base = carol.get("config?warehouse=lake").json()["defaults"]["default-base-location"]
    values: dict[str, Any] = {"$schema": SCHEMA, "$base": base}
    for exchange in recorded["exchanges"]:
        asker = alice if exchange.get("as") == "alice" else carol
        method, path = exchange["ask"].split(" ")
        body = filled(exchange.get("body"), values)
        answer = asker.ask(method, path, body, **exchange.get("headers", {}))
        assert answer.status == exchange["status"], answer.body
        check(answer.json() if answer.body else {}, exchange)
        if answer.status >= 400:
            _, kind, message = error(answer)
            assert kind == exchange.get("type", kind)
            assert exchange.get("message", "") in message
        for name, key in exchange.get("keep", {}).items():
            values[f"${name}"] = answer.json()[key]


def check(body: dict[str, Any], exchange: dict[str, Any]) -> None:
    assert body.items() >= exchange.get("answer", {}).items()
    assert not set(exchange.get("absent", ())) & body.keys()


def filled(value: Any, values: dict[str, Any]) -> Any:
    """The body with the values of this run."""
    if isinstance(value, dict):
        return {key: filled(inner, values) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, values) for inner in value]
    if isinstance(value, str) and value.startswith("$"):
        name, slash, rest = value.partition("/")
        return f"{values[name]}{slash}{rest}" if slash else values[name]
    return value
