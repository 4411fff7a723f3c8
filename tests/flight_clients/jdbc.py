"""Arrow's Flight SQL JDBC driver, in a Java of its own that Python drives through py4j.

So the tests need a Java runtime only, no compiler, and one Java serves all of them.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast
from urllib.parse import quote

from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JJavaError

from sqe.engines.spark.ivy import Artifact
from sqe.engines.spark.jars import spark_jars
from sqe.engines.spark.java import Java
from tests.flight_clients.cache import artifact, fetch

DRIVER = artifact(
    "org.apache.arrow:flight-sql-jdbc-driver:18.3.0",
    "3f418b46c880e263558c5de669bdbede2c5d4375527ced116fb29f795b03704c",
)
CLASS = "org.apache.arrow.driver.jdbc.ArrowFlightJdbcDriver"

# java.sql.Types, of which the driver uses these.
TYPES = {
    -7: "BIT",
    -6: "TINYINT",
    -5: "BIGINT",
    -4: "LONGVARBINARY",
    -3: "VARBINARY",
    0: "NULL",
    3: "DECIMAL",
    4: "INTEGER",
    5: "SMALLINT",
    6: "FLOAT",
    8: "DOUBLE",
    12: "VARCHAR",
    16: "BOOLEAN",
    91: "DATE",
    92: "TIME",
    93: "TIMESTAMP",
    2000: "JAVA_OBJECT",
    2003: "ARRAY",
    2014: "TIMESTAMP_WITH_TIMEZONE",
}


class JdbcError(Exception):
    """A SQLException: its message with those of its causes, as a program would print them."""

    def __init__(self, error: Any) -> None:
        messages: list[str] = []
        while error is not None:
            messages.append(str(error.getMessage()))
            error = error.getCause()
        super().__init__("\n".join(messages))


@contextmanager
def errors() -> Iterator[None]:
    """Turns what Java raises into ``JdbcError``."""
    try:
        yield
    except Py4JJavaError as error:
        raise JdbcError(error.java_exception) from None


class Jdbc:
    """``java.sql`` for tests, with one driver."""

    def __init__(self, java: Java, driver: Artifact = DRIVER, name: str = CLASS) -> None:
        (jar,) = fetch("jdbc", java, driver)
        bridge = next(path for path in spark_jars() if path.name.startswith("py4j-"))
        # Without --add-opens Flight's driver fails at its first result, and then hangs.
        command = [str(java.executable), "-Xmx512m", "-XX:TieredStopAtLevel=1"]
        command += ["--add-opens=java.base/java.nio=ALL-UNNAMED", "-Duser.timezone=UTC"]
        command += ["-cp", f"{jar}{os.pathsep}{bridge}", "py4j.GatewayServer"]
        command += ["--die-on-broken-pipe", "--enable-auth", "0"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self._process.stdout is not None
        port, token = (self._process.stdout.readline().decode().strip() for _ in range(2))
        parameters = GatewayParameters(port=int(port), auth_token=token)
        self._gateway = JavaGateway(gateway_parameters=parameters)
        self.java: Any = self._gateway.jvm.java
        self.java.lang.Class.forName(name)

    def connect(self, port: int, options: Mapping[str, object], host: str = "127.0.0.1") -> Any:
        """A ``java.sql.Connection`` to Flight SQL."""
        return self.open(f"arrow-flight-sql://{host}:{port}/", options)

    def open(self, address: str, options: Mapping[str, object]) -> Any:
        """A ``java.sql.Connection``. The options go into the URL, as people write them."""
        words = "&".join(f"{name}={quote(str(value))}" for name, value in options.items())
        with errors():
            return self.java.sql.DriverManager.getConnection(f"jdbc:{address}?{words}")

    def close(self) -> None:
        self._gateway.shutdown()
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def rows(result: Any) -> list[tuple[Any, ...]]:
    """A ``java.sql.ResultSet`` to its end, and closed."""
    with errors():
        width = result.getMetaData().getColumnCount()
        found = []
        while result.next():
            found.append(tuple(result.getObject(i + 1) for i in range(width)))
        result.close()
    return found


@contextmanager
def prepared(connection: Any, text: str) -> Iterator[Any]:
    """A ``java.sql.PreparedStatement``; one left open keeps the connection from closing."""
    with errors():
        statement = connection.prepareStatement(text)
        try:
            yield statement
        finally:
            statement.close()


def change(connection: Any, statement: str) -> int:
    """``executeUpdate``: how many rows it says have changed."""
    with errors():
        made = connection.createStatement()
        count = int(made.executeUpdate(statement))
        made.close()
    return count


def ask(connection: Any, query: str) -> list[tuple[Any, ...]]:
    with errors():
        made = connection.createStatement()
        found = rows(made.executeQuery(query))
        made.close()
    return found


def columns(result: Any) -> list[tuple[str, str]]:
    """Each column's name with the name of its ``java.sql.Types``."""
    described = result.getMetaData()
    return [
        (str(described.getColumnName(i)), TYPES[cast("int", described.getColumnType(i))])
        for i in range(1, described.getColumnCount() + 1)
    ]
