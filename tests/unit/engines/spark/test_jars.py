"""The jar cache: what is handed out was checked, and what is checked is not fetched again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from sqe.engines.spark import jars
from sqe.engines.spark.jars import JARS, Jar, ensure_jars, spark_jars
from sqe.engines.spark.java import Java
from sqe.errors import ErrorCode, UpstreamError

CONTENT = b"a jar, more or less"
JAR = Jar("org.example", "thing", "1.0", hashlib.sha256(CONTENT).hexdigest())


@pytest.fixture
def no_java(tmp_path: Path) -> Java:
    """Any attempt to fetch fails at once."""
    script = tmp_path / "java"
    script.write_text("#!/bin/sh\necho 'java.net.ConnectException: Connection refused'\nexit 1\n")
    script.chmod(0o755)
    return Java(script, "17", "settings")


def ivy_java(tmp_path: Path, content: bytes) -> Java:
    """A stand-in for Ivy: writes the artifact where Spark would."""
    (tmp_path / "artifact").write_bytes(content)
    script = tmp_path / "ivy-java"
    script.write_text(
        "#!/bin/sh\n"
        f"echo run >> {tmp_path}/runs\n"
        'for a in "$@"; do case "$a" in spark.jars.ivy=*) d="${a#*=}";; esac; done\n'
        f'mkdir -p "$d/jars"; cp {tmp_path}/artifact "$d/jars/{JAR.ivy_name}"\n'
    )
    script.chmod(0o755)
    return Java(script, "17", "settings")


def fetch(cache: Path, java: Java, conf: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    return ensure_jars(cache, java, conf or {}, [JAR])


def test_a_fetched_jar_is_checked_and_placed_flat(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (path,) = fetch(cache, ivy_java(tmp_path, CONTENT))
    assert path == cache / "thing-1.0.jar"
    assert path.read_bytes() == CONTENT
    assert not list(cache.glob(".ivy-*"))


def test_a_registry_that_does_not_answer_is_asked_once_more(tmp_path: Path) -> None:
    java = ivy_java(tmp_path, CONTENT)
    head, rest = java.executable.read_text().split("\n", 1)
    once = f"[ -e {tmp_path}/asked ] || {{ touch {tmp_path}/asked; exit 1; }}"
    java.executable.write_text(f"{head}\n{once}\n{rest}")
    (path,) = fetch(tmp_path / "cache", java)
    assert path.read_bytes() == CONTENT


def test_the_second_time_nothing_is_fetched(tmp_path: Path, no_java: Java) -> None:
    cache = tmp_path / "cache"
    fetch(cache, ivy_java(tmp_path, CONTENT))
    assert fetch(cache, no_java) == (cache / "thing-1.0.jar",)


def test_a_fetched_jar_with_another_hash_never_reaches_the_cache(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with pytest.raises(UpstreamError, match=r"not the pinned org\.example:thing:1\.0") as raised:
        fetch(cache, ivy_java(tmp_path, b"something else"))
    assert raised.value.code is ErrorCode.ENGINE_UNAVAILABLE
    assert not (cache / "thing-1.0.jar").exists()


def test_a_jar_changed_in_the_cache_is_refused(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    java = ivy_java(tmp_path, CONTENT)
    (path,) = fetch(cache, java)
    path.write_bytes(CONTENT[::-1])
    os.utime(path, ns=(1, 1))
    with pytest.raises(UpstreamError, match="It is not used"):
        fetch(cache, java)


def test_a_jar_is_hashed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    java = ivy_java(tmp_path, CONTENT)
    fetch(cache, java)
    monkeypatch.setattr(jars, "_check", lambda *_: pytest.fail("hashed again"))
    fetch(cache, java)


def test_damaged_memory_of_checks_means_checking_again(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    java = ivy_java(tmp_path, CONTENT)
    fetch(cache, java)
    (cache / "checked.json").write_text("{broken")
    assert fetch(cache, java)


def test_without_a_network_the_error_says_why_and_what_to_do(tmp_path: Path, no_java: Java) -> None:
    with pytest.raises(UpstreamError, match="Connection refused") as raised:
        fetch(tmp_path / "cache", no_java)
    assert "jar cache" in raised.value.hint


def test_only_jar_settings_reach_the_resolution(tmp_path: Path, no_java: Java) -> None:
    conf = {"spark.jars.ivySettings": "mirror.xml", "spark.hadoop.fs.s3a.secret.key": "hush"}
    command = jars._command(tmp_path, no_java, conf, JARS)
    assert "spark.jars.ivySettings=mirror.xml" in command
    assert not any("hush" in part for part in command)


def test_java_is_told_of_the_proxies_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("http_proxy", raising=False)
    monkeypatch.delenv("HTTP_PROXY", raising=False)
    monkeypatch.setenv("https_proxy", "http://user:hush@proxy.example:3128")
    flags = list(jars._proxy_flags())
    assert flags == ["-Dhttps.proxyHost=proxy.example", "-Dhttps.proxyPort=3128"]


def test_every_pinned_jar_has_a_whole_hash() -> None:
    assert all(len(bytes.fromhex(jar.sha256)) == 32 for jar in JARS)


def test_sparks_own_jars_come_in_a_fixed_order() -> None:
    found = spark_jars()
    assert list(found) == sorted(found)
    assert any(path.name.startswith("spark-connect_") for path in found)
