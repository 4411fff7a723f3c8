"""Single files from Maven's repositories, fetched by the Ivy that comes with Spark.

Each file alone: no pom is read and nothing that a file depends on is looked for. A registry that
lacks the pom of some dependency's parent can still serve the file.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from xml.sax.saxutils import quoteattr

from sqe.engines.spark.java import Java
from sqe.engines.spark.trust import trust_flags
from sqe.errors import ErrorCode, UpstreamError

_TIMEOUT_S = 900
_LOOK_S = 0.5
_PAUSES_S = (0.5, 3)  # before the second and the third attempt
_TELLING = re.compile(
    r"(not found|exception|refused|unknown ?host|timed out|server (access )?error)", re.I
)
_PASSWORD = re.compile(r"(?<=//)[^/@\s]+@")
_PATTERN = "[organisation]_[artifact]-[revision](-[classifier]).[ext]"


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file of Maven's repositories, and what its bytes must hash to."""

    group: str
    name: str
    version: str
    sha256: str
    classifier: str = ""
    extension: str = "jar"
    size: int = 0  # bytes; 0: not known

    @property
    def coordinate(self) -> str:
        return ":".join(filter(None, (self.group, self.name, self.version, self.classifier)))

    @property
    def file_name(self) -> str:
        parts = filter(None, (self.name, self.version, self.classifier))
        return f"{'-'.join(parts)}.{self.extension}"

    @property
    def ivy_name(self) -> str:
        return f"{self.group}_{self.file_name}"


class NotFetched(UpstreamError):
    """A registry did not answer, or does not have the file."""


Tell = Callable[[str], None]


def tell_nobody(phase: str) -> None:
    """For callers who do not say what they wait for."""


def fetch_artifacts(  # noqa: PLR0913
    folder: Path,
    java: Java,
    ivy: Path,
    conf: Mapping[str, str],
    artifacts: Sequence[Artifact],
    tell: Tell = tell_nobody,
) -> None:
    """Puts each artifact into ``folder`` as its ``ivy_name``, unchecked; ``tell`` is told how much
    has come.

    ``ivy`` is Ivy's jar. Tried three times: a registry that does not answer may do so the next
    moment, and what did come is kept. Raises NotFetched.
    """
    command = _write_command(folder, java, ivy, conf, artifacts)
    for pause in (*_PAUSES_S, None):
        output = _run(command, folder, lambda: tell(_progress(folder, artifacts)))
        missing = [artifact for artifact in artifacts if not (folder / artifact.ivy_name).exists()]
        if not missing:
            return
        if pause is None:
            raise _not_fetched(missing, output)
        time.sleep(pause)


def _write_command(
    folder: Path, java: Java, ivy: Path, conf: Mapping[str, str], artifacts: Sequence[Artifact]
) -> list[str]:
    """Addresses go into files of the private folder: they may carry a password."""
    named = conf.get("spark.jars.ivySettings", "")
    settings = Path(named.removeprefix("file://")).absolute() if named else folder / "settings.xml"
    if not named:
        repositories = conf.get("spark.jars.repositories", "").split(",")
        settings.write_text(_settings(repositories, os.environ))
    (folder / "ivy.xml").write_text(_request(artifacts))
    command = [str(java.executable), "-Xmx256m", *trust_flags(java, folder), *_proxy_flags()]
    command += ["-cp", str(ivy), "org.apache.ivy.Main", "-settings", str(settings)]
    command += ["-cache", str(folder / "cache"), "-ivy", str(folder / "ivy.xml")]
    return [*command, "-retrieve", str(folder / _PATTERN)]


def _settings(repositories: Sequence[str], environ: Mapping[str, str]) -> str:
    """Maven's own folder, the repositories of the settings, then Maven Central or its mirror.

    Ivy knows where Maven Central is; Spark's variable for a mirror counts here as it does there.
    """
    mirror = environ.get("DEFAULT_ARTIFACT_REPOSITORY")
    local = Path(environ.get("HOME") or Path.home()) / ".m2" / "repository"
    roots = [local.as_uri() + "/"] if local.is_dir() else []
    roots += [root.strip() for root in repositories if root.strip()]
    roots += [mirror] if mirror else []
    resolvers = [_resolver(number, root) for number, root in enumerate(roots)]
    resolvers += [] if mirror else [_resolver(len(roots))]
    return (
        '<ivysettings><property name="ivy.checksums" value=""/>'  # ours are SHA-256, and pinned
        '<settings defaultResolver="all"/><timeout-constraints>'
        '<timeout-constraint name="limits" connectionTimeout="10000" readTimeout="60000"/>'
        '</timeout-constraints><resolvers><chain name="all" returnFirst="true">'
        f"{''.join(resolvers)}</chain></resolvers></ivysettings>"
    )


def _resolver(number: int, root: str | None = None) -> str:
    place = f" root={quoteattr(root)}" if root else ""
    return (
        f'<ibiblio name="repository-{number}" m2compatible="true" usepoms="false" '
        f'useMavenMetadata="false" timeoutConstraint="limits"{place}/>'
    )


def _request(artifacts: Sequence[Artifact]) -> str:
    """A module that depends on each of the files and on nothing that they depend on."""
    modules: dict[tuple[str, str, str], list[str]] = {}
    for artifact in artifacts:
        classifier = (
            f" m:classifier={quoteattr(artifact.classifier)}" if artifact.classifier else ""
        )
        modules.setdefault((artifact.group, artifact.name, artifact.version), []).append(
            f"<artifact name={quoteattr(artifact.name)} type={quoteattr(artifact.extension)} "
            f"ext={quoteattr(artifact.extension)}{classifier}/>"
        )
    dependencies = "".join(
        f"<dependency org={quoteattr(group)} name={quoteattr(name)} rev={quoteattr(version)} "
        f'transitive="false" conf="default->*">{"".join(files)}</dependency>'
        for (group, name, version), files in modules.items()
    )
    return (
        '<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">'
        '<info organisation="sqe" module="files"/>'
        '<configurations><conf name="default"/></configurations>'
        f"<dependencies>{dependencies}</dependencies></ivy-module>"
    )


def _proxy_flags() -> Iterator[str]:
    """Java does not read the proxy variables that every other program does."""
    for scheme in ("http", "https"):
        url = os.environ.get(f"{scheme}_proxy") or os.environ.get(f"{scheme.upper()}_PROXY")
        parts = urlsplit(url or "")
        if parts.hostname:
            yield f"-D{scheme}.proxyHost={parts.hostname}"
            yield f"-D{scheme}.proxyPort={parts.port or 80}"


def _progress(folder: Path, artifacts: Sequence[Artifact]) -> str:
    total = sum(artifact.size for artifact in artifacts)
    of = f" of {total / 1e6:.0f}" if total else ""
    return f"fetching Spark's libraries, {_count_bytes(folder) / 1e6:.0f}{of} MB"


def _count_bytes(folder: Path) -> int:
    """Bytes that have come. Ivy writes into its cache, and copies what is complete."""
    size = 0
    for file in folder.glob("cache/**/*.jar*"):
        with suppress(OSError):  # it is renamed when it is complete
            size += file.stat().st_size
    return size


def _run(command: list[str], folder: Path, look: Callable[[], None]) -> str:
    """What it says. ``look`` is called from time to time while it runs."""
    deadline = time.monotonic() + _TIMEOUT_S
    with subprocess.Popen(  # noqa: S603 - our own command
        command,
        cwd=folder,
        env={"PATH": os.environ.get("PATH", "")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            while True:
                look()
                try:
                    return process.communicate(timeout=_LOOK_S)[0]
                except subprocess.TimeoutExpired:
                    if time.monotonic() > deadline:
                        return "timed out"
        finally:
            process.kill()  # nothing happens to one that has ended


def _not_fetched(missing: Sequence[Artifact], output: str) -> NotFetched:
    """Ivy hands out nothing if one file is missing; its output says which."""
    lines = [_PASSWORD.sub("", line.strip(" \t:")) for line in output.splitlines()]
    telling = [line for line in lines if _TELLING.search(line) and not line.startswith("at ")]
    blamed = [
        artifact
        for artifact in missing
        if any(f"{artifact.group}#{artifact.name};{artifact.version}" in line for line in telling)
    ]
    # Why a server was not reached comes last and says more than "not found".
    why = f" Ivy says: {'; '.join(dict.fromkeys(telling[::-1][:3]))}" if telling else ""
    return NotFetched(
        ErrorCode.ENGINE_UNAVAILABLE,
        f"{', '.join(artifact.coordinate for artifact in blamed or missing)} could not be fetched."
        f"{why[:600]}",
        hint="Check the network, or copy the jar cache of a machine that has it.",
    )
