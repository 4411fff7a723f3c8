"""Connections to a Hive metastore, and its failures in SQE's words."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from sqe.catalog.commit.failures import conflict, invalid
from sqe.errors import ErrorCode, SqeError, UpstreamError, UserError

_IDLE = 8
_CONNECT_MS = 5_000


@dataclass(frozen=True)
class HiveOptions:
    """``addresses`` of equal metastores, in the order in which they are asked. ``locks``: changes
    are made under the metastore's own locks, as a server needs that does not compare parameters."""

    name: str
    addresses: tuple[str, ...]
    user: str = "sqe"
    locks: bool = True
    lock_wait_s: float = 20.0
    timeout_s: float = 30.0


class HiveStore:
    """Implements ``embedded.store.Store``. Connected at first use. Thread-safe."""

    atomic = False

    def __init__(self, options: HiveOptions) -> None:
        self.options = options
        self._lock = threading.Lock()
        self._idle: list[HiveClient] = []
        self._closed = False

    @contextmanager
    def read(self) -> Iterator[HiveClient]:
        client = self._take()
        try:
            with _failures(self.options.name):
                yield client
        except SqeError as error:
            if error.code is ErrorCode.CATALOG_UNAVAILABLE:
                client.broken = True
            raise
        finally:
            self._give_back(client)

    write = read

    def _take(self) -> HiveClient:
        """An idle one whose metastore is still there, or a new one."""
        while True:
            with self._lock:
                client = self._idle.pop() if self._idle else None
            if client is None:
                return HiveClient.connect(self.options)
            if client.answers():
                return client
            client.close()

    def _give_back(self, client: HiveClient) -> None:
        with self._lock:
            if not (client.broken or self._closed) and len(self._idle) < _IDLE:
                self._idle.append(client)
                return
        client.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for client in idle:
            client.close()


@dataclass
class HiveClient:
    """One connection. ``calls`` has the metastore's own methods."""

    calls: Any
    options: HiveOptions
    _transport: Any = field(repr=False)
    broken: bool = False

    @classmethod
    def connect(cls, options: HiveOptions) -> HiveClient:
        """With the first of its addresses that answers."""
        _require_thrift()
        from hive_metastore import ThriftHiveMetastore
        from thrift.protocol.TBinaryProtocol import TBinaryProtocol
        from thrift.transport.TSocket import TSocket
        from thrift.transport.TTransport import TBufferedTransport, TTransportException

        for address in options.addresses:
            parts = urlsplit(address)
            socket = TSocket(parts.hostname, parts.port)
            socket.setTimeout(_CONNECT_MS)
            transport = TBufferedTransport(socket)
            calls = ThriftHiveMetastore.Client(TBinaryProtocol(transport))
            client = cls(calls, options, transport)
            try:
                transport.open()
                socket.setTimeout(options.timeout_s * 1000)
                calls.set_ugi(options.user, [])
            except (OSError, TTransportException):
                client.close()
                continue
            return client
        raise _no_answer(options.name)

    def answers(self) -> bool:
        """Whether the connection is still good, as far as one can tell without asking."""
        from thrift.transport.TTransport import TTransportException

        try:
            self.calls.getStatus()
        except (OSError, EOFError, TTransportException):
            return False
        except Exception:  # noqa: BLE001  an answer, whatever it is
            return True
        return True

    def close(self) -> None:
        with suppress(Exception):
            self._transport.close()


def _require_thrift() -> None:
    try:
        import thrift  # noqa: F401
    except ImportError:
        raise UserError(
            ErrorCode.INVALID_SETTINGS,
            "A Hive metastore is spoken to with Thrift, which is not installed.",
            hint="Install sqe[hive].",
        ) from None


@contextmanager
def _failures(name: str) -> Iterator[None]:
    from hive_metastore import ttypes
    from thrift.Thrift import TApplicationException, TException
    from thrift.transport.TTransport import TTransportException

    try:
        yield
    except (OSError, EOFError, TTransportException):
        raise _no_answer(name) from None
    except (ttypes.InvalidObjectException, ttypes.InvalidInputException) as error:
        raise invalid(f"The metastore of catalog {name} refuses it: {_first_line(error)}") from None
    except (ttypes.MetaException, TApplicationException) as error:
        raise UpstreamError(
            ErrorCode.CATALOG_UNAVAILABLE,
            f"The metastore of catalog {name} fails: {_first_line(error)}",
            hint="Its own log says more.",
        ) from None
    except TException as error:
        raise conflict(
            f"The metastore of catalog {name} refuses it ({type(error).__name__}); nothing was "
            "changed."
        ) from None


def _first_line(error: Exception) -> str:
    text = str(getattr(error, "message", "") or type(error).__name__)
    return text.splitlines()[0][:300]


def _no_answer(name: str) -> UpstreamError:
    return UpstreamError(
        ErrorCode.CATALOG_UNAVAILABLE,
        f"The metastore of catalog {name} does not answer.",
        hint="Look whether it runs, and whether uri is right. One that demands Kerberos ends every "
        "connection: SQE does not speak it.",
    )
