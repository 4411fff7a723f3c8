"""The metastore's own lock of a table, as Hive and Iceberg's HiveCatalog take it."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqe.catalog.hive.store import HiveClient
from sqe.catalog.protocol import Ident
from sqe.errors import ErrorCode, ResourceError

_LOOK_S = 0.05
_ACQUIRED, _WAITING = 1, 2
_EXCLUSIVE, _TABLE = 3, 2
_UNSET = 6  # the kind of operation: it belongs to no transaction of Hive's


@contextmanager
def lock_table(client: HiveClient, ident: Ident) -> Iterator[None]:
    """HOME_IN_USE if somebody else keeps it; the metastore takes a dead one's away in minutes."""
    from hive_metastore import ttypes

    component = ttypes.LockComponent(
        type=_EXCLUSIVE,
        level=_TABLE,
        dbname=ident.namespace[0],
        tablename=ident.name,
        operationType=_UNSET,
    )
    request = ttypes.LockRequest(
        component=[component],
        user=client.options.user,
        hostname=socket.gethostname(),
        agentInfo="sqe",
    )
    answer = client.calls.lock(request)
    try:
        deadline = time.monotonic() + client.options.lock_wait_s
        while answer.state == _WAITING and time.monotonic() < deadline:
            time.sleep(_LOOK_S)
            answer = client.calls.check_lock(ttypes.CheckLockRequest(lockid=answer.lockid))
        if answer.state != _ACQUIRED:
            raise ResourceError(
                ErrorCode.HOME_IN_USE,
                f"Another program holds the lock of {ident} in the metastore; nothing was changed.",
                hint="Try again. The metastore takes the lock of a dead program away after "
                "hive.txn.timeout, five minutes where it is not set.",
            )
        yield
    finally:
        with suppress(Exception):  # it ends by itself
            client.calls.unlock(ttypes.UnlockRequest(lockid=answer.lockid))
