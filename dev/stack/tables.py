"""The tables that the stack starts with: made through the catalog, as an administrator."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from pyiceberg.catalog import load_catalog

from dev.stack.catalog import CROWD, NAME
from dev.stack.keycloak import token_of
from dev.stack.people import ADMINISTRATOR, MANY
from dev.stack.places import Places

TABLES = {
    "sales.orders": pa.table(
        {
            "id": pa.array([1, 2, 3, 4], pa.int64()),
            "country": ["NL", "NL", "DE", "FR"],
            "amount": pa.array([120.0, 80.5, 42.0, 300.0]),
        }
    ),
    "hr.salaries": pa.table(
        {
            "name": ["Ada", "Bo", "Cy"],
            "salary": pa.array([5200, 4100, 6800], pa.int64()),
        }
    ),
    "board.minutes": pa.table({"day": ["2026-01-12"], "decision": ["Buy the other one."]}),
}


def fill(places: Places) -> None:
    """Twice is no harm: a table that is there is left alone."""
    _make(places, TABLES)


def fill_crowd(places: Places) -> None:
    """A table for each of the many, with their name in it. It takes a while, and few want it."""
    _make(places, {f"{CROWD}.{who.name}": pa.table({"owner": [who.name]}) for who in MANY})


def _make(places: Places, tables: Mapping[str, pa.Table]) -> None:
    catalog = load_catalog(
        "stack",
        **{
            "type": "rest",
            "uri": f"{places.catalog}/api/catalog",
            "warehouse": NAME,
            "token": token_of(places, ADMINISTRATOR),
            "header.X-Iceberg-Access-Delegation": "vended-credentials",
        },
    )
    for name, rows in tables.items():
        if not catalog.table_exists(name):
            catalog.create_table(name, rows.schema).append(rows)
