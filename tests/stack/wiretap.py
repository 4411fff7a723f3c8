"""Every secret that went over the wire in a test, and every place where it must not be."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_SECRETS = re.compile(
    rb'"(access_token|refresh_token|id_token|s3\.access-key-id|s3\.secret-access-key'
    rb'|s3\.session-token)"\s*:\s*"([^"]+)"'
)


@dataclass
class Wiretap:
    """Give ``listen`` to fronts as what they do with bodies: it changes none."""

    heard: dict[str, set[bytes]] = field(default_factory=dict)  # by the name of the field

    def listen(self, body: bytes) -> bytes:
        for name, value in _SECRETS.findall(body):
            self.heard.setdefault(name.decode(), set()).add(value)
        return body

    def secrets(self, *others: str) -> set[bytes]:
        """All of them. Of a token its signature is enough: a text may quote only a part."""
        whole = {value for values in self.heard.values() for value in values}
        tokens = {v for name, values in self.heard.items() if "_token" in name for v in values}
        signatures = {token.rsplit(b".", 1)[-1] for token in tokens}
        return whole | signatures | {other.encode() for other in others}


def places_with(secrets: Iterable[bytes], places: Iterable[tuple[str, bytes]]) -> set[str]:
    """The names of the places in which one of the secrets is."""
    wanted = list(secrets)
    return {name for name, content in places if any(secret in content for secret in wanted)}


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*"):
        if path.is_file():
            yield str(path.relative_to(folder)), path.read_bytes()


def processes(root: int) -> Iterator[tuple[str, bytes]]:
    """What anybody with the same rights can see of a process and of its descendants."""
    for pid in family(root):
        for what in ("environ", "cmdline"):
            try:
                yield f"{pid} {what}", Path(f"/proc/{pid}/{what}").read_bytes()
            except OSError:
                continue
    everything = subprocess.run(
        ["ps", "-Aww", "-o", "pid=,args="], capture_output=True, check=True
    ).stdout
    yield "ps", everything


def family(root: int) -> set[int]:
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text()
            except OSError:
                continue
            parents[int(folder.name)] = int(stat.rpartition(")")[2].split()[1])
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found
