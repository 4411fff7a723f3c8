"""One Spark session for each SQE session, made when first needed, renewed when Spark was."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import quote as url_quote

from sqe.broker.broker import Broker, BrokerSession
from sqe.broker.handles import CATALOG
from sqe.engines.spark.connection import Connection
from sqe.engines.spark.errors import translate
from sqe.model.identity import Secret
from sqe.sessions.session import Session
from sqe.settings.spark_conf import MEANING

# Session properties that are Spark's to obey. Without a value the setting is taken away.
_APPLIED = {
    "sqe.time_zone": "spark.sql.session.timeZone",
    "sqe.wap_branch": "spark.wap.branch",
    "sqe.wap_id": "spark.wap.id",
    "sqe.partition_overwrite": "spark.sql.sources.partitionOverwriteMode",
}


@dataclass(frozen=True)
class Address:
    """How to reach a Connect server. ``generation`` changes when the server is a new one."""

    url: Secret  # sc://…, with the token
    generation: int = 0


class ServerAddress(Protocol):
    """Where Spark is: the child SQE keeps, or a remote one."""

    def reach(self) -> Address:
        """Starts the server where that is needed. ENGINE_UNAVAILABLE if it cannot be had."""
        ...

    def alive(self) -> bool: ...


@dataclass
class SparkSession:
    """A Spark session, its broker session, and the settings last sent."""

    connection: Connection
    broker: BrokerSession
    generation: int
    lock: threading.Lock = field(default_factory=threading.Lock)
    applied: dict[str, str] = field(default_factory=dict)  # session property -> value last sent


class SparkSessions:
    """All Spark sessions of this process."""

    def __init__(
        self, server: ServerAddress, broker: Broker, session_conf: Mapping[str, str]
    ) -> None:
        self._server = server
        self._broker = broker
        self._conf = dict(session_conf)
        self._lock = threading.Lock()
        self._sessions: dict[str, SparkSession] = {}
        self._making: dict[str, threading.Lock] = {}

    def get(self, session: Session) -> SparkSession:
        """The session's Spark session, with the session's settings in force."""
        address = self._server.reach()
        with self._lock:
            making = self._making.setdefault(session.id, threading.Lock())
        with making:
            spark = self._sessions.get(session.id)
            if spark is None or spark.generation != address.generation:
                if spark is not None:
                    self._drop(spark, server_alive=False)
                spark = self._make(session, address)
                with self._lock:
                    self._sessions[session.id] = spark
        self._apply(spark, session)
        return spark

    def _make(self, session: Session, address: Address) -> SparkSession:
        broker = self._broker.open_session()
        url = Secret(f"{address.url.reveal()};user_id={url_quote(session.identity.user, safe='')}")
        try:
            connection = Connection(url, session.identity.user)
            catalog = catalog_conf(self._broker.url, broker.token)
            connection.set_conf({**MEANING, **self._conf, **catalog})
        except Exception as error:
            self._broker.close_session(broker)
            raise translate(error, None) from error
        return SparkSession(connection, broker, address.generation)

    def _apply(self, spark: SparkSession, session: Session) -> None:
        with spark.lock:
            for name, key in _APPLIED.items():
                value = session.property(name)
                if spark.applied.get(name, "") == value:
                    continue
                try:
                    if value:
                        spark.connection.set_conf({key: value})
                    else:
                        spark.connection.unset_conf(key)
                except Exception as error:
                    raise translate(error, None) from error
                spark.applied[name] = value

    def release(self, session: Session) -> None:
        with self._lock:
            spark = self._sessions.pop(session.id, None)
            self._making.pop(session.id, None)
        if spark is not None:
            self._drop(spark, server_alive=self._server.alive())

    def _drop(self, spark: SparkSession, *, server_alive: bool) -> None:
        self._broker.close_session(spark.broker)
        spark.connection.close(server_alive=server_alive)

    def close(self) -> None:
        with self._lock:
            sessions, self._sessions = list(self._sessions.values()), {}
        alive = self._server.alive()
        for spark in sessions:
            self._drop(spark, server_alive=alive)


def catalog_conf(url: str, token: Secret) -> dict[str, str]:
    """The session's only catalog: the broker. Set before first use; Spark never reads it again."""
    prefix = f"spark.sql.catalog.{CATALOG}"
    return {
        prefix: "org.apache.iceberg.spark.SparkCatalog",
        f"{prefix}.type": "rest",
        f"{prefix}.uri": url,
        f"{prefix}.token": token.reveal(),
        f"{prefix}.token-refresh-enabled": "false",
        f"{prefix}.token-exchange-enabled": "false",
        f"{prefix}.cache-enabled": "false",
        f"{prefix}.rest-metrics-reporting-enabled": "false",
        "spark.sql.defaultCatalog": CATALOG,
    }
