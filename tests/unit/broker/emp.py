"""The one table of these tests."""

from __future__ import annotations

from typing import Any

from sqe.catalog.protocol import Ident
from sqe.model.names import RelationName, SchemaName

NAME = RelationName(SchemaName("lake", ("hr",)), "emp")
EMP = Ident(("hr",), "emp")
SCHEMA: dict[str, Any] = {
    "type": "struct",
    "fields": [{"id": 1, "name": "a", "type": "int", "required": False}],
}
