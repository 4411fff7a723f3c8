"""The pinned Iceberg jars: fetched once, checked, then offline."""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from sqe.engines.spark.ivy import Artifact, Tell, fetch_artifacts, tell_nobody
from sqe.engines.spark.java import Java
from sqe.errors import ErrorCode, UpstreamError

_CHECKED = "checked.json"

JARS = (
    Artifact(
        "org.apache.iceberg",
        "iceberg-spark-runtime-4.1_2.13",
        "1.12.0",
        "3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
        size=48_309_426,
    ),
    Artifact(
        "org.apache.iceberg",
        "iceberg-aws-bundle",
        "1.12.0",
        "dd7e49ffa4ac9b215bed846581991259e3aec9bb2fa08d6cec029c46cd66d957",
        size=69_034_612,
    ),
)


def spark_jars() -> tuple[Path, ...]:
    """Spark's own jars, as pyspark's wheel carries them. Sorted: the class archive needs order."""
    spec = find_spec("pyspark")
    folders = spec.submodule_search_locations if spec else None
    jars = sorted(Path(next(iter(folders))).glob("jars/*.jar")) if folders else []
    if not jars:
        raise UpstreamError(
            ErrorCode.ENGINE_UNAVAILABLE,
            "PySpark is not installed, or its jars are missing.",
            hint="Run: pip install 'pyspark[connect]'.",
        )
    return tuple(jars)


def ensure_artifacts(
    cache: Path,
    java: Java,
    conf: Mapping[str, str],
    artifacts: Sequence[Artifact] = JARS,
    tell: Tell = tell_nobody,
) -> tuple[Path, ...]:
    """The files in ``cache``, each verified; what is missing is fetched first, and ``tell`` told
    how much of it is there.

    ``conf`` may carry Spark's own settings for where jars come from: ``spark.jars.repositories``,
    or ``spark.jars.ivySettings``, which then says everything. Raises ENGINE_UNAVAILABLE; a file
    that is not the pinned one is never handed out.
    """
    cache.mkdir(parents=True, exist_ok=True)
    with _lock(cache / ".lock"):
        missing = [artifact for artifact in artifacts if not (cache / artifact.file_name).exists()]
        if missing:
            _fetch(cache, java, conf, missing, tell)
        _check_all(cache, artifacts)
    return tuple(cache / artifact.file_name for artifact in artifacts)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _check_all(cache: Path, artifacts: Sequence[Artifact]) -> None:
    """Hashes what was not hashed yet; a file of unchanged size and time is taken as checked."""
    try:
        checked = dict(json.loads((cache / _CHECKED).read_text()))
    except (OSError, ValueError, TypeError):
        checked = {}
    before = dict(checked)
    for artifact in artifacts:
        path = cache / artifact.file_name
        state = path.stat()
        mark = [artifact.sha256, state.st_size, state.st_mtime_ns]
        if checked.get(path.name) != mark:
            _check(path, artifact)
            checked[path.name] = mark
    if checked != before:
        part = cache / f"{_CHECKED}.part"
        part.write_text(json.dumps(checked))
        part.replace(cache / _CHECKED)


def _check(path: Path, artifact: Artifact) -> None:
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest != artifact.sha256:
        raise UpstreamError(
            ErrorCode.ENGINE_UNAVAILABLE,
            f"{path} is not the pinned {artifact.coordinate}: its SHA-256 is {digest}, "
            f"expected {artifact.sha256}. It is not used.",
            hint="Delete the file; SQE fetches it again.",
        )


def _fetch(
    cache: Path, java: Java, conf: Mapping[str, str], artifacts: Sequence[Artifact], tell: Tell
) -> None:
    """Into a scratch folder; only checked files move into the cache."""
    with tempfile.TemporaryDirectory(prefix=".ivy-", dir=cache) as scratch:
        folder = Path(scratch)
        ivy = next(path for path in spark_jars() if path.name.startswith("ivy-"))
        fetch_artifacts(folder, java, ivy, conf, artifacts, tell)
        for artifact in artifacts:
            fetched = folder / artifact.ivy_name
            _check(fetched, artifact)
            shutil.move(fetched, cache / artifact.file_name)
