"""A real Prometheus: the machine's, or unpacked from Debian's package."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from dev.stack.fetch import coming, run, tool

PACKAGE = "prometheus"
_READY_S = 60.0


@dataclass(frozen=True)
class Programs:
    prometheus: Path
    promtool: Path


def programs(cache: Path) -> Programs:
    """StackError where they cannot be had."""
    found = shutil.which("prometheus"), shutil.which("promtool")
    if found[0] and found[1]:
        return Programs(Path(found[0]), Path(found[1]))
    kept = cache / "prometheus"
    if not kept.is_dir():
        with coming(kept) as made:
            run([tool("apt-get", "Debian's apt"), "download", PACKAGE], made.parent)
            for package in made.parent.glob("*.deb"):
                run([tool("dpkg", "dpkg"), "-x", str(package), str(made)], made.parent)
    return Programs(kept / "usr/bin/prometheus", kept / "usr/bin/promtool")


@dataclass(frozen=True)
class Prometheus:
    """One that scrapes."""

    url: str

    def ask(self, query: str) -> list[dict[str, Any]]:
        """Its answer to a query, of which AssertionError if it does not understand it."""
        asked = urllib.parse.urlencode({"query": query})
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/query?{asked}", timeout=30) as answer:
                document = json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(f"{query}: {error.read().decode()}") from None
        assert document["status"] == "success"
        result: list[dict[str, Any]] = document["data"]["result"]
        return result

    def wait_for(self, query: str, seconds: float = _READY_S) -> list[dict[str, Any]]:
        """Until there is an answer that is not empty."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with suppress(OSError):
                if result := self.ask(query):
                    return result
            time.sleep(0.25)
        raise AssertionError(f"nothing for {query}")


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@contextmanager
def scraping(found: Programs, folder: Path, target: str, rules: Path) -> Iterator[Prometheus]:
    """``target``: address and port of the server that is scraped every half second."""
    port = free_port()
    config = {
        "global": {"scrape_interval": "500ms", "evaluation_interval": "1s"},
        "rule_files": [str(rules)],
        "scrape_configs": [{"job_name": "sqe", "static_configs": [{"targets": [target]}]}],
    }
    file = folder / "prometheus.yml"
    file.write_text(yaml.safe_dump(config))
    command = [
        str(found.prometheus),
        f"--config.file={file}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
        try:
            yield Prometheus(f"http://127.0.0.1:{port}")
        finally:
            process.terminate()
            process.wait(30)
