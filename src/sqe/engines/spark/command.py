"""The command line, environment and files of one embedded server."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqe.engines.spark.archive import ClassArchive
from sqe.engines.spark.conf import POOLS_FILE, server_conf
from sqe.engines.spark.java import Java
from sqe.engines.spark.options import SparkServerOptions
from sqe.engines.spark.pools import allocation_file
from sqe.engines.spark.trust import trust_flags
from sqe.model.identity import Secret

_MAIN = "org.apache.spark.sql.connect.service.SparkConnectServer"
_INHERITED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
# What bin/spark-submit opens, without its jdk.incubator.vector, which not every Java carries.
_OPENED = (
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.lang.reflect",
    "java.base/java.io",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.base/sun.nio.cs",
    "java.base/sun.security.action",
    "java.base/sun.util.calendar",
    "java.security.jgss/sun.security.krb5",
)
# The launcher learns the port from the one line that is let through at INFO.
_LOG4J = """\
status = error
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{yyyy-MM-dd'T'HH:mm:ss.SSS} %p %c{1}: %m%n%ex
logger.connect.name = org.apache.spark.sql.connect.service.SparkConnectServer
logger.connect.level = info
logger.native.name = org.apache.hadoop.util.NativeCodeLoader
logger.native.level = error
# Iceberg's Java client renews keys in two ways and warns that the one which SQE leaves out fails.
logger.s3.name = org.apache.iceberg.aws.s3.S3FileIO
logger.s3.level = error
logger.conf.name = org.apache.spark.SparkConf
logger.conf.level = error
"""


@dataclass(frozen=True, slots=True)
class Runtime:
    """What was found for a start: the Java, the jars in class path order, the class archive."""

    java: Java
    jars: Sequence[Path]
    archive: ClassArchive | None


def prepare(options: SparkServerOptions, runtime: Runtime, work: Path) -> list[str]:
    """Writes the server's files into ``work`` and answers the command that uses them.

    The flags are in a file only the owner can read: settings may hold secrets, and a command line
    can be read by everyone on the machine.
    """
    for name in ("local", "java", "warehouse"):
        (work / name).mkdir()
    (work / "log4j2.properties").write_text(_LOG4J)
    (work / POOLS_FILE).write_text(allocation_file())
    arguments = work / "java.args"
    arguments.touch(mode=0o600)
    arguments.write_text("\n".join(map(_quote, _flags(options, runtime, work))))
    return [str(runtime.java.executable), f"@{arguments}", _MAIN]


def environment(runtime: Runtime, work: Path, token: Secret) -> dict[str, str]:
    """Only what Java needs: no key, token or profile of SQE's own environment gets in."""
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return {
        **inherited,
        "CLASSPATH": os.pathsep.join(map(str, runtime.jars)),
        "HOME": str(work),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_HOSTNAME": "127.0.0.1",
        "SPARK_USER": "sqe",
        "HADOOP_USER_NAME": "sqe",
        # A query must never fall back to the machine's own cloud role.
        "AWS_EC2_METADATA_DISABLED": "true",
        "SPARK_CONNECT_AUTHENTICATE_TOKEN": token.reveal(),
    }


def _flags(options: SparkServerOptions, runtime: Runtime, work: Path) -> list[str]:
    properties: Mapping[str, str] = {
        "java.io.tmpdir": str(work / "java"),
        "user.home": str(work),
        "log4j2.configurationFile": str(work / "log4j2.properties"),
        "io.netty.tryReflectionSetAccessible": "true",
        "jdk.reflect.useDirectMethodHandle": "false",
        "java.net.preferIPv6Addresses": "false",
        **server_conf(options, work),
    }
    return [
        # First, so that what SQE says after it holds.
        *shlex.split(options.extra_conf.get("spark.driver.extraJavaOptions", "")),
        f"-Xmx{options.heap}",
        "-Xss4m",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:-UsePerfData",
        "-XX:+StartAttachListener",  # activity.py asks there
        "-XX:-CreateCoredumpOnCrash",  # memory holds the keys of running queries
        f"-XX:ErrorFile={options.logs}/spark-crash.log",
        *(runtime.archive.flags() if runtime.archive else ()),
        *trust_flags(runtime.java, options.scratch),
        *(f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED),
        *(f"-D{key}={value}" for key, value in properties.items()),
    ]


def _quote(argument: str) -> str:
    """One line of a Java argument file."""
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
