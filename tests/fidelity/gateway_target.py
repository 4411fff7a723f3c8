"""The corpus through SQE: a gateway and a lakehouse of its own for each file, one Spark for all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from pydantic import SecretStr, ValidationError

from sqe.engines.spark.addresses import EmbeddedAddress
from sqe.engines.spark.options import SparkServerOptions
from sqe.engines.spark.server import SparkServer
from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity
from sqe.model.query import QueryRequest
from sqe.server.build import Server, build
from sqe.sessions.session import Session
from sqe.settings import Settings
from sqe.settings.settings import LogSettings, SparkSettings
from tests.fidelity.corpus import SUITE_CONFS, CorpusFile
from tests.fidelity.kinds import classify
from tests.fidelity.tables import SUITE_TABLES
from tests.fidelity.target import Answer, Connection, TargetError
from tests.small_spark import server_conf

TIME_ZONE = "spark.sql.session.timeZone"
AUTO, LOCAL, SPARK = ENGINES = "auto", "local", "spark"
# What the whole suite sets and users do not. It changes no answer, but the local engine is for
# Spark's defaults. The type TIME, which Spark has outside of its tests only when asked, stays.
KEPT = ("spark.sql.timeType.enabled", "spark.sql.shuffle.partitions")
# On a value that is not its own to judge, the local engine stops; `auto` then asks Spark.
GAVE_UP = "engine gave up: "
# Tables are Iceberg's here, whatever the tests ask for: the format is not what they are about.
FORMAT = re.compile(r"(\s*CREATE\s+TABLE\s.*?)\bUSING\s+(?:parquet|json|csv|orc)\b", re.I | re.S)
SPARKS_CATALOG = re.compile(r"\bspark_catalog\b", re.IGNORECASE)


class GatewayTarget:
    """Use it in a `with` statement: it holds a Spark server."""

    def __init__(self, folder: Path, jars: Path) -> None:
        self._folder = folder
        home = folder / "spark"
        # The archive of classes pays only for a server that is started again.
        options = SparkServerOptions(
            home, jar_cache=jars, master="local[2]", cds=False, extra_conf=server_conf(jars)
        )
        self._spark = SparkServer(options)
        self._homes = 0

    def __enter__(self) -> GatewayTarget:
        self._url = EmbeddedAddress(self._spark).reach().url.reveal()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._spark.stop()

    def connect_to(self, file: CorpusFile, engine: str) -> Connection:
        """``engine`` is for the queries; whatever else the file does goes where it has to."""
        confs = {
            key: value
            for key, value in file.confs
            if key in (TIME_ZONE, *KEPT) or SUITE_CONFS.get(key) != value
        }
        time_zone = confs.pop(TIME_ZONE)
        try:
            spark = SparkSettings(remote=SecretStr(self._url), session_conf=confs)
        except ValidationError as error:
            return RefusedFile(error.errors()[0]["msg"].removeprefix("Value error, "))
        self._homes += 1
        server = build(
            Settings(
                home=self._folder / str(self._homes),
                spark=spark,
                log=LogSettings(audit=False),
            )
        )
        session = server.gateway.open_session(Identity("test_user"))
        session.set_property("sqe.time_zone", time_zone)
        connection = GatewayConnection(server, session, engine)
        connection.make_tables(" ".join(case.sql.lower() for case in file.cases))
        return connection


@dataclass(frozen=True)
class EngineTarget:
    """The same, with every query given to this engine."""

    gateway: GatewayTarget
    engine: str

    def connect(self, file: CorpusFile) -> Connection:
        return self.gateway.connect_to(file, self.engine)


@dataclass(frozen=True)
class RefusedFile:
    """A file whose settings SQE does not take: they change what a text means."""

    reason: str

    def run(self, sql: str) -> Answer:
        raise TargetError(ErrorCode.INVALID_SETTINGS.name, self.reason, refused=True)

    def close(self) -> None:
        """Nothing was opened."""


class GatewayConnection:
    """Spark's tests know their catalog as `spark_catalog`; here it is `lake`."""

    def __init__(self, server: Server, session: Session, engine: str) -> None:
        self._server = server
        self._session = session
        self._engine = engine

    def make_tables(self, statements: str) -> None:
        """Those of the suite's own tables that are named in these statements."""
        for table in SUITE_TABLES:
            if table.name in statements:
                self.run(f"CREATE TABLE {table.name} AS {table.query}")

    def run(self, sql: str) -> Answer:
        gateway = self._server.gateway
        text = SPARKS_CATALOG.sub("lake", FORMAT.sub(r"\1", sql, count=1))
        self._session.set_property("sqe.engine", self._engine if classify(sql).reads else AUTO)
        try:
            query_id = gateway.submit(QueryRequest(self._session.id, text))
            with gateway.fetch(query_id) as result:
                batches = list(result)
        except SqeError as error:
            refused = error.code is ErrorCode.NOT_SUPPORTED or GAVE_UP in error.message
            raise TargetError(error.code.name, str(error.message), refused=refused) from error
        names = (
            column.name.replace("lake.default.", "spark_catalog.default.")
            for column in result.columns
        )
        return Answer(tuple(names), tuple(column.type for column in result.columns), batches)

    def close(self) -> None:
        self._server.close()
