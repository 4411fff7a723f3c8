"""A Hive metastore, out of the jars that come with PySpark: 2.3.10, on a Derby of its own."""

from __future__ import annotations

import socket
from importlib.util import find_spec
from pathlib import Path

from dev.stack.fetch import SHORT_LIVED, fetch, java
from dev.stack.places import HOST, Places
from dev.stack.processes import Command
from sqe.engines.spark.ivy import Artifact

# Its log wants this one, which PySpark leaves out.
_DISRUPTOR = Artifact(
    "com.lmax",
    "disruptor",
    "3.4.4",
    "1524ed31f13bcabee1b6146e67be30c6317cb94fcd0c7c2f7c7a1f3e82087c51",
)
_SETTINGS = {
    "datanucleus.schema.autoCreateAll": "true",
    # The pool of the default settings is not among the jars, and locks would wait for it for ever.
    "datanucleus.connectionPoolingType": "hikaricp",
    "hive.metastore.schema.verification": "false",
    "hive.async.log.enabled": "false",
    # Makes the tables of locks, which nothing else does on a Derby.
    "hive.in.test": "true",
    "hive.txn.timeout": "300s",
}


class Hive:
    name = "hive"
    needs: tuple[str, ...] = ()

    def __init__(self, places: Places) -> None:
        self._places = places
        self.port = places.port(19083)

    def prepare(self) -> None:
        fetch(_DISRUPTOR, self._places.cache)

    def command(self, folder: Path) -> Command:
        address = f"jdbc:derby:;databaseName={folder}/derby;create=true"
        settings = {
            **_SETTINGS,
            "javax.jdo.option.ConnectionURL": address,
            "hive.metastore.warehouse.dir": str(folder / "warehouse"),
        }
        text = "".join(
            f"<property><name>{name}</name><value>{value}</value></property>\n"
            for name, value in settings.items()
        )
        file = f"<configuration>\n{text}</configuration>\n"
        (folder / "hive-site.xml").write_text(file)
        spec = find_spec("pyspark")
        assert spec is not None and spec.origin is not None
        jars = Path(spec.origin).parent / "jars" / "*"
        path = f"{folder}:{self._places.cache / _DISRUPTOR.file_name}:{jars}"
        arguments = (
            str(java() / "bin" / "java"),
            SHORT_LIVED,
            "-Xms64m",
            "-Xmx384m",
            f"-Dderby.stream.error.file={folder}/derby.log",
            "-cp",
            path,
            "org.apache.hadoop.hive.metastore.HiveMetaStore",
            "-p",
            str(self.port),
        )
        return Command(arguments, {}, file)

    def ready(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex((HOST, self.port)) == 0

    def provision(self) -> None:
        """It is used as it is."""
