"""One Spark session for each SQE session: made when first needed, given back when idle."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import quote as url_quote

from sqe.broker.broker import Broker, BrokerSession
from sqe.broker.handles import CATALOG
from sqe.engines.spark.activity import Activity, Strays
from sqe.engines.spark.connection import Connection
from sqe.engines.spark.errors import translate
from sqe.engines.spark.ivy import Tell, tell_nobody
from sqe.engines.spark.pools import pool_of
from sqe.engines.spark.session_janitor import SessionJanitor, SparkLimits
from sqe.errors import ErrorCode, ResourceError, SqeError
from sqe.model.identity import Secret
from sqe.rewrite.hash_keys import PATTERN
from sqe.sessions.session import Session
from sqe.settings.spark_conf import MEANING

_log = logging.getLogger(__name__)
_SETTLE_S = 2.0  # how long a server whose connection broke is looked at
# Keys of hash masks, struck out of whatever shows a plan.
_HIDDEN_KEYS = {"spark.sql.redaction.string.regex": PATTERN}
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

    def reach(self, tell: Tell = tell_nobody) -> Address:
        """Starts the server where that is needed. ENGINE_UNAVAILABLE if it cannot be had. ``tell``
        is told, in words, what is waited for."""
        ...

    @property
    def generation(self) -> int:
        """Of the server that ``reach`` leads to now; asking starts none."""
        ...

    def serves(self, generation: int) -> bool:
        """Whether the server of that generation still answers."""
        ...

    def activity(self, generation: int) -> Activity | None:
        """What the server of that generation does; None where there is no telling."""
        ...

    def collect_garbage(self, generation: int) -> None:
        """Has the server close files that nothing in it uses any more, where it can be asked."""
        ...

    def end(self, generation: int) -> None:
        """Ends the current server, whatever it does, if it is of that generation."""
        ...

    def recycle(self) -> None:
        """Lets another server take over; the one before goes on until it is retired."""
        ...

    def retire(self, generation: int) -> None:
        """Nobody uses the server of that generation any more. Ends it, if another took over."""
        ...

    def why_lost(self) -> SqeError | None:
        """What may have ended a server that is gone, where there is a sign of it."""
        ...


@dataclass(eq=False)
class SparkSession:
    """A Spark session, its broker session, and the settings last sent.

    What it holds for its user can be had again: SQE's session lives on without it."""

    owner: tuple[str, str]  # issuer and user
    connection: Connection
    broker: BrokerSession
    generation: int
    lock: threading.Lock = field(default_factory=threading.Lock)
    applied: dict[str, str] = field(default_factory=dict)  # the user's settings, as last sent
    users: int = 0  # queries that use it now
    used: float = 0.0  # when the last of them ended
    stuck: int = 0  # queries that only the end of the server ends


class SparkSessions:
    """All Spark sessions of this process. Thread-safe."""

    def __init__(
        self,
        server: ServerAddress,
        broker: Broker,
        session_conf: Mapping[str, str],
        limits: SparkLimits | None = None,
        connect: Callable[[Secret, str], Connection] = Connection,
    ) -> None:
        self._server = server
        self._broker = broker
        self._session_conf = {**MEANING, **session_conf}
        self._limits = limits or SparkLimits()
        self._connect = connect
        self._tidying = threading.Lock()
        self._lock = threading.Lock()
        self._sessions: dict[str, SparkSession] = {}  # by SQE's session
        self._draining: list[SparkSession] = []  # replaced while queries still ran in them
        self._making: dict[str, threading.Lock] = {}
        self._made: dict[int, int] = {}  # by generation
        self._reserved: list[tuple[str, str]] = []  # owners of those that are being made
        self._condemned: set[int] = set()  # generations that work will not leave
        self._strays = Strays()
        self._upkeep = SessionJanitor(self.tidy, self._limits)

    @property
    def count(self) -> int:
        with self._lock:
            return len(self._sessions) + len(self._draining)

    @contextmanager
    def use(self, session: Session, tell: Tell = tell_nobody) -> Iterator[SparkSession]:
        """The session's Spark session, with the session's settings in force. TOO_MANY_SESSIONS
        where all that may be are at work."""
        spark = self._borrow(session, tell)
        try:
            self._apply(spark, session)
            yield spark
        finally:
            self._give_back(spark)

    def settle(self, spark: SparkSession) -> SqeError | None:
        """A connection broke. A server that died is not known to be dead at that very moment:
        whoever is told of it should find a new one with the next query. Why it died, if known."""
        deadline = time.monotonic() + _SETTLE_S
        while self._server.serves(spark.generation) and time.monotonic() < deadline:
            time.sleep(0.05)
        return self._server.why_lost()

    def serves(self, spark: SparkSession) -> bool:
        return self._server.serves(spark.generation)

    def activity(self, spark: SparkSession) -> Activity | None:
        return self._server.activity(spark.generation)

    def free_disk(self, spark: SparkSession) -> None:
        """A disk was full. Files that Spark failed to write stay open there, and keep their room
        although they were deleted, until Java collects its garbage."""
        self._server.collect_garbage(spark.generation)

    def give_up(self, spark: SparkSession, *, stuck: bool) -> None:
        """Work of the session does not end: another server takes over and its own is ended.
        ``stuck``: a query waits for that, and nobody waits for the query."""
        with self._lock:
            spark.stuck += stuck
            self._condemned.add(spark.generation)
        if stuck:  # otherwise it is looked at when the query has given its session back
            self._upkeep.hurry()

    def _borrow(self, session: Session, tell: Tell) -> SparkSession:
        address = self._server.reach(tell)
        with self._lock:
            making = self._making.setdefault(session.id, threading.Lock())
        with making:
            with self._lock:
                spark = self._sessions.get(session.id)
                current = spark is not None and spark.generation == address.generation
                if spark is not None and current:
                    spark.users += 1
                    return spark
                if spark is not None:
                    del self._sessions[session.id]
                    self._draining.append(spark)
            self._drop_drained()
            spark = self._make_room_for(session)
        self._upkeep.start()
        if self._is_worn_out(spark.generation):
            self._upkeep.hurry()
        return spark

    def _give_back(self, spark: SparkSession) -> None:
        with self._lock:
            spark.users -= 1
            spark.used = self._limits.clock()
            condemned = spark.generation in self._condemned
        if self._drop_drained() or condemned:
            self._upkeep.hurry()  # its server may be ended now

    def _make_room_for(self, session: Session) -> SparkSession:
        """A new one, in use. Those in which nothing runs make room for it. Until it is in the
        books, no server is retired: it could be the one that was just reached."""
        owner, made = owner_of(session), None
        with self._lock:
            dropped = [
                *self._make_room(self._limits.sessions_per_user, owner),
                *self._make_room(self._limits.sessions),
            ]
            self._reserved.append(owner)
        try:
            for spark in dropped:
                self._drop(spark)
            made = self._make(session, self._server.reach())
            made.users = 1
            return made
        finally:
            with self._lock:
                self._reserved.remove(owner)
                if made is not None:
                    self._sessions[session.id] = made
                    self._made[made.generation] = self._made.get(made.generation, 0) + 1

    def _make_room(self, most: int, owner: tuple[str, str] | None = None) -> list[SparkSession]:
        """Taken out of the books so that one more fits; the lock is held."""
        counted = {
            key: spark
            for key, spark in self._sessions.items()
            if owner is None or spark.owner == owner
        }
        taken = len(counted) + sum(
            owner is None or reserved == owner for reserved in self._reserved
        )
        idle = sorted((spark.used, key) for key, spark in counted.items() if not spark.users)
        surplus = taken + 1 - most
        if surplus > len(idle):
            raise ResourceError(
                ErrorCode.TOO_MANY_SESSIONS,
                "All Spark sessions that may be open are running queries"
                f"{' of yours' if owner else ''} ({most}).",
                hint="Try again when one of them has ended.",
            )
        return [self._sessions.pop(key) for _, key in idle[: max(0, surplus)]]

    def _make(self, session: Session, address: Address) -> SparkSession:
        broker = self._broker.open_session()
        url = Secret(f"{address.url.reveal()};user_id={url_quote(session.identity.user, safe='')}")
        try:
            connection = self._connect(url, session.identity.user)
            catalog = catalog_conf(self._broker.url, broker.token)
            # Spark hands its session's settings on to its jobs, where its scheduler finds the pool.
            pool = {"spark.scheduler.pool": pool_of(owner_of(session))}
            connection.set_conf({**pool, **self._session_conf, **catalog, **_HIDDEN_KEYS})
        except Exception as error:
            self._broker.close_session(broker)
            raise translate(error, None) from error
        return SparkSession(owner_of(session), connection, broker, address.generation)

    def _apply(self, spark: SparkSession, session: Session) -> None:
        with spark.lock:
            wanted = dict.fromkeys(spark.applied, "")
            wanted |= {key: session.property(name) for name, key in _APPLIED.items()}
            wanted |= session.spark_settings
            for key, value in wanted.items():
                if spark.applied.get(key, "") == value:
                    continue
                value_there = value or self._session_conf.get(key, "")
                try:
                    if value_there:
                        spark.connection.set_conf({key: value_there})
                    else:
                        spark.connection.unset_conf(key)
                except Exception as error:
                    raise translate(error, None) from error
                spark.applied[key] = value

    def tidy(self) -> None:
        """What is idle is given back; a server that has made enough sessions is replaced."""
        with self._tidying:
            with self._lock:
                now = self._limits.clock()
                idle = [
                    key
                    for key, spark in self._sessions.items()
                    if not spark.users and self._limits.too_idle(now - spark.used)
                ]
                dropped = [self._sessions.pop(key) for key in idle]
            for spark in dropped:
                self._drop(spark)
            self._find_strays()
            self._replace()
            self._retire()

    def _find_strays(self) -> None:
        generation = self._server.generation
        activity = self._server.activity(generation) if self._server.serves(generation) else None
        if activity is not None and (stages := self._strays.note_activity(generation, activity)):
            _log.warning("stages %s of Spark belong to no query; it is replaced", sorted(stages))
            with self._lock:
                self._condemned.add(generation)

    def _replace(self) -> None:
        """A worn server is replaced when another is there, a condemned one at once where nobody
        uses it."""
        generation = self._server.generation
        with self._lock:
            condemned = generation in self._condemned
            idle = generation not in self._busy() and not self._reserved
        if condemned and idle:
            self._server.end(generation)
            self._server.reach()  # the next query need not wait for all of the start
        elif condemned or self._is_worn_out(generation):
            self._server.recycle()

    def _busy(self) -> set[int]:
        """The generations that queries use; the lock is held."""
        sessions = [*self._sessions.values(), *self._draining]
        return {spark.generation for spark in sessions if spark.users > spark.stuck}

    def _is_worn_out(self, generation: int) -> bool:
        """Spark never closes what a session's catalog holds: enough of them, and it must end."""
        most = self._limits.recycle_after
        with self._lock:
            return bool(most) and self._made.get(generation, 0) >= most

    def _retire(self) -> None:
        """Ends servers that another took over from, once nothing runs there."""
        current = self._server.generation
        with self._lock:
            old = [key for key, spark in self._sessions.items() if spark.generation != current]
            self._draining += [self._sessions.pop(key) for key in old]
        self._drop_drained()
        with self._lock:
            busy = self._busy()
            over = [g for g in self._made if g != current and g not in busy and not self._reserved]
            for generation in over:
                del self._made[generation]
        for generation in over:
            self._server.retire(generation)

    def release(self, session: Session) -> None:
        """Its queries are cancelled, and end a little later: Spark's session is theirs until then,
        what it may read is not."""
        with self._lock:
            spark = self._sessions.pop(session.id, None)
            self._making.pop(session.id, None)
            if spark is not None:
                self._draining.append(spark)
        if spark is not None:
            self._broker.close_session(spark.broker)
            self._drop_drained()

    def _drop_drained(self) -> bool:
        with self._lock:
            over = [spark for spark in self._draining if not spark.users]
            self._draining = [spark for spark in self._draining if spark.users]
        for spark in over:
            self._drop(spark)
        return bool(over)

    def _drop(self, spark: SparkSession) -> None:
        self._broker.close_session(spark.broker)
        spark.connection.close(server_alive=self._server.serves(spark.generation))

    def close(self) -> None:
        self._upkeep.stop()
        with self._lock:
            sessions = [*self._sessions.values(), *self._draining]
            self._sessions, self._draining = {}, []
        for spark in sessions:
            self._drop(spark)


def owner_of(session: Session) -> tuple[str, str]:
    return session.identity.issuer, session.identity.user


def catalog_conf(url: str, token: Secret) -> dict[str, str]:
    """The session's only catalog: the broker. Set before first use; Spark never reads it again.

    The token is a plain header. Iceberg's own way to send one (``oauth2``) leaves a thread pool
    behind for each catalog, whose shutdown hook keeps the whole Spark session in memory for good:
    about a megabyte for every session that was ever opened."""
    prefix = f"spark.sql.catalog.{CATALOG}"
    return {
        prefix: "org.apache.iceberg.spark.SparkCatalog",
        f"{prefix}.type": "rest",
        f"{prefix}.uri": url,
        f"{prefix}.rest.auth.type": "none",
        f"{prefix}.header.Authorization": f"Bearer {token.reveal()}",
        f"{prefix}.cache-enabled": "false",
        f"{prefix}.rest-metrics-reporting-enabled": "false",
        "spark.sql.defaultCatalog": CATALOG,
    }
