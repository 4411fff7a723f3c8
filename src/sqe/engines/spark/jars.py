"""The pinned Iceberg jars: resolved once by Spark's own ``--packages``, checked, then offline."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from sqe.engines.spark.java import Java
from sqe.engines.spark.trust import trust_flags
from sqe.errors import ErrorCode, UpstreamError

_RESOLVE_TIMEOUT_S = 900
_CHECKED = "checked.json"
_TELLING = re.compile(r"(not found|unresolved|exception|refused|unknown ?host|timed out)", re.I)


@dataclass(frozen=True, slots=True)
class Jar:
    """One artifact of Maven's, and what its bytes must hash to."""

    group: str
    name: str
    version: str
    sha256: str

    @property
    def coordinate(self) -> str:
        return f"{self.group}:{self.name}:{self.version}"

    @property
    def file_name(self) -> str:
        return f"{self.name}-{self.version}.jar"

    @property
    def ivy_name(self) -> str:
        return f"{self.group}_{self.file_name}"


JARS = (
    Jar(
        "org.apache.iceberg",
        "iceberg-spark-runtime-4.1_2.13",
        "1.12.0",
        "3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
    ),
    Jar(
        "org.apache.iceberg",
        "iceberg-aws-bundle",
        "1.12.0",
        "dd7e49ffa4ac9b215bed846581991259e3aec9bb2fa08d6cec029c46cd66d957",
    ),
)


def spark_jars() -> tuple[Path, ...]:
    """Spark's own jars, as pyspark's wheel carries them. Sorted: the class archive needs order."""
    spec = find_spec("pyspark")
    folders = spec.submodule_search_locations if spec else None
    found = sorted(Path(next(iter(folders))).glob("jars/*.jar")) if folders else []
    if not found:
        raise UpstreamError(
            ErrorCode.ENGINE_UNAVAILABLE,
            "PySpark is not installed, or its jars are missing.",
            hint="Run: pip install 'pyspark[connect]'.",
        )
    return tuple(found)


def ensure_jars(
    cache: Path, java: Java, conf: Mapping[str, str], jars: Sequence[Jar] = JARS
) -> tuple[Path, ...]:
    """The jars in ``cache``, each verified; what is missing is fetched first.

    ``conf`` may carry Spark's own ``spark.jars.*`` settings, e.g. ``spark.jars.ivySettings`` for a
    mirror. Raises ENGINE_UNAVAILABLE; a jar that is not the pinned one is never handed out.
    """
    cache.mkdir(parents=True, exist_ok=True)
    with _locked(cache / ".lock"):
        missing = [jar for jar in jars if not (cache / jar.file_name).exists()]
        if missing:
            _resolve(cache, java, conf, missing)
        _check_all(cache, jars)
    return tuple(cache / jar.file_name for jar in jars)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _check_all(cache: Path, jars: Sequence[Jar]) -> None:
    """Hashes what was not hashed yet; a file of unchanged size and time is taken as checked."""
    try:
        checked = dict(json.loads((cache / _CHECKED).read_text()))
    except (OSError, ValueError, TypeError):
        checked = {}
    before = dict(checked)
    for jar in jars:
        state = (cache / jar.file_name).stat()
        mark = [jar.sha256, state.st_size, state.st_mtime_ns]
        if checked.get(jar.file_name) != mark:
            _check(cache / jar.file_name, jar)
            checked[jar.file_name] = mark
    if checked != before:
        part = cache / f"{_CHECKED}.part"
        part.write_text(json.dumps(checked))
        part.replace(cache / _CHECKED)


def _check(path: Path, jar: Jar) -> None:
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest != jar.sha256:
        raise UpstreamError(
            ErrorCode.ENGINE_UNAVAILABLE,
            f"{path} is not the pinned {jar.coordinate}: its SHA-256 is {digest}, "
            f"expected {jar.sha256}. It is not used.",
            hint="Delete the file; SQE fetches it again.",
        )


def _resolve(cache: Path, java: Java, conf: Mapping[str, str], jars: Sequence[Jar]) -> None:
    """Once more where it fails: a registry that does not answer may do so the next moment."""
    try:
        _resolve_once(cache, java, conf, jars)
    except _Unresolved:
        _resolve_once(cache, java, conf, jars)


def _resolve_once(cache: Path, java: Java, conf: Mapping[str, str], jars: Sequence[Jar]) -> None:
    """Spark resolves with Ivy into a scratch folder; only checked files move into the cache."""
    with tempfile.TemporaryDirectory(prefix=".ivy-", dir=cache) as scratch:
        ivy = Path(scratch)
        output = _run_ivy(_command(ivy, java, conf, jars), ivy)
        for jar in jars:
            fetched = ivy / "jars" / jar.ivy_name
            if not fetched.exists():
                raise _unresolved(jar, output)
            _check(fetched, jar)
            shutil.move(fetched, cache / jar.file_name)


def _command(ivy: Path, java: Java, conf: Mapping[str, str], jars: Sequence[Jar]) -> list[str]:
    settings = {k: v for k, v in conf.items() if k.startswith("spark.jars.")}
    settings["spark.jars.ivy"] = str(ivy)
    command = [str(java.executable), "-Xmx512m", *trust_flags(java, ivy), *_proxy_flags()]
    command += ["-cp", os.pathsep.join(map(str, spark_jars()))]
    command += ["org.apache.spark.deploy.SparkSubmit", "--master", "local[1]"]
    command += ["--packages", ",".join(jar.coordinate for jar in jars)]
    for key, value in settings.items():
        command += ["--conf", f"{key}={value}"]
    # SparkSubmit needs something to run once it has resolved: itself, asking for its version.
    return [
        *command,
        "--class",
        "org.apache.spark.deploy.SparkSubmit",
        "spark-internal",
        "--version",
    ]


def _proxy_flags() -> Iterator[str]:
    """Java does not read the proxy variables that every other program does."""
    for scheme in ("http", "https"):
        url = os.environ.get(f"{scheme}_proxy") or os.environ.get(f"{scheme.upper()}_PROXY")
        parts = urlsplit(url or "")
        if parts.hostname:
            yield f"-D{scheme}.proxyHost={parts.hostname}"
            yield f"-D{scheme}.proxyPort={parts.port or 80}"


def _run_ivy(command: list[str], folder: Path) -> str:
    try:
        answer = subprocess.run(  # noqa: S603 - our own command
            command,
            cwd=folder,
            env={"PATH": os.environ.get("PATH", ""), "SPARK_LOCAL_IP": "127.0.0.1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_RESOLVE_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "timed out"
    return answer.stdout


class _Unresolved(UpstreamError):
    pass


def _unresolved(jar: Jar, output: str) -> _Unresolved:
    lines = (line.strip(" \t:") for line in output.splitlines())
    telling = [line for line in lines if _TELLING.search(line) and not line.startswith("at ")]
    why = f" Spark says: {'; '.join(dict.fromkeys(telling[:3]))}" if telling else ""
    return _Unresolved(
        ErrorCode.ENGINE_UNAVAILABLE,
        f"{jar.coordinate} could not be fetched.{why[:600]}",
        hint="Check the network, or copy the jar cache of a machine that has it.",
    )
