"""Where the stack listens and keeps its things. Fixed, so that pages and tests can say it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HOST = "127.0.0.1"
ROOT = Path(__file__).resolve().parent.parent.parent

CACHE = "SQE_STACK_CACHE"  # what is fetched and built; it survives `down`
OFFSET = "SQE_STACK_OFFSET"  # added to every port: a second stack beside the usual one


@dataclass(frozen=True, slots=True)
class Places:
    """Addresses and folders of one stack."""

    cache: Path
    offset: int = 0

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Places:
        home = Path(environ.get("HOME") or Path.home())
        cache = Path(environ.get(CACHE) or home / ".cache" / "sqe" / "stack")
        return cls(cache.absolute(), int(environ.get(OFFSET) or 0))

    def port(self, usual: int) -> int:
        return usual + self.offset

    @property
    def state(self) -> Path:
        """Pids, logs and data of the running stack. `down` empties it."""
        return self.cache / f"run-{self.port(18180)}"

    @property
    def keycloak(self) -> str:
        return f"http://{HOST}:{self.port(18180)}"

    @property
    def catalog(self) -> str:
        """The catalog of Polaris's contract."""
        return f"http://{HOST}:{self.port(18181)}"

    @property
    def catalog_admin(self) -> str:
        """Where its grants and faults are set."""
        return f"http://{HOST}:{self.port(18182)}"

    @property
    def opa(self) -> str:
        """Open Policy Agent."""
        return f"http://{HOST}:{self.port(18183)}"

    @property
    def minio(self) -> str:
        """S3 and STS."""
        return f"http://{HOST}:{self.port(19000)}"

    @property
    def nessie(self) -> str:
        return f"http://{HOST}:{self.port(19120)}"

    @property
    def nessie_management(self) -> int:
        return self.port(19121)

    @property
    def hive(self) -> str:
        """A Hive metastore."""
        return f"thrift://{HOST}:{self.port(19083)}"

    @property
    def issuer(self) -> str:
        return f"{self.keycloak}/realms/{REALM}"

    @property
    def partner_issuer(self) -> str:
        return f"{self.keycloak}/realms/{PARTNER}"


REALM = "sqe"
PARTNER = "partner"  # a second issuer, whose alice is somebody else


def here() -> Places:
    """The stack that the environment speaks of."""
    return Places.of(os.environ)
