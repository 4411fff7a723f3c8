"""A catalog whose table is in S3 and that vends keys, counted."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field

from sqe.broker.handles import GrantedTable
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.errors import SqeError
from sqe.sql.statement import Access
from tests.unit.broker.emp import EMP, NAME

LOCATION = "s3://lake/hr/emp"


def keys(number: int, life_s: float = 3600, prefix: str = LOCATION) -> Json:
    return {
        "prefix": prefix,
        "config": {
            "s3.access-key-id": f"id-{number}",
            "s3.secret-access-key": f"key-{number}",
            "s3.session-token": f"token-{number}",
            "s3.session-token-expires-at-ms": str(int((time.time() + life_s) * 1000)),
        },
    }


@dataclass
class VendingCatalog:
    """The embedded catalog's table, said to be in S3. ``loads`` counts requests for keys."""

    embedded: EmbeddedCatalog
    config: dict[str, str] = field(default_factory=dict)
    credentials: tuple[Json, ...] = ()
    life_s: float = 3600
    location: str = LOCATION
    loads: int = 0
    failure: SqeError | None = None

    def load_table(self, ident: Ident) -> Loaded:
        metadata = {**self.embedded.load_table(ident).metadata, "location": self.location}
        content = json.dumps(metadata).encode()
        return Loaded(content, f"{self.location}/m.json", dict(self.config), self.credentials)

    def check_change(self, ident: Ident) -> None:
        """Everybody may."""

    def load_credentials(self, ident: Ident) -> tuple[Json, ...]:
        self.loads += 1
        if self.failure is not None:
            raise self.failure
        return (keys(self.loads, self.life_s),)

    def granted(self, *accesses: Access) -> GrantedTable:
        catalog: object = self
        return GrantedTable(
            NAME,
            EMP,
            catalog,  # type: ignore[arg-type]  # only what a query that reads asks for
            frozenset(accesses or {Access.READ}),
            self.load_table(EMP),
        )
