"""The jar cache: what is handed out was checked, and what is checked is not fetched again."""

from __future__ import annotations

import hashlib
import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sqe.engines.spark import ivy, jars
from sqe.engines.spark.ivy import Artifact
from sqe.engines.spark.jars import JARS, ensure_artifacts, spark_jars
from sqe.engines.spark.java import Java
from sqe.errors import ErrorCode, UpstreamError

CONTENT = b"a jar, more or less"
JAR = Artifact("org.example", "thing", "1.0", hashlib.sha256(CONTENT).hexdigest())


@pytest.fixture
def no_java(tmp_path: Path) -> Java:
    """Any attempt to fetch fails at once."""
    script = tmp_path / "java"
    script.write_text("#!/bin/sh\necho 'java.net.ConnectException: Connection refused'\nexit 1\n")
    script.chmod(0o755)
    return Java(script, "17", "settings")


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ivy, "_PAUSES_S", ())


def ivy_java(tmp_path: Path, content: bytes) -> Java:
    """A stand-in for Ivy: writes the artifact where it would."""
    (tmp_path / "artifact").write_bytes(content)
    script = tmp_path / "ivy-java"
    script.write_text(
        "#!/bin/sh\n"
        f"echo run >> {tmp_path}/runs\n"
        f'for a; do d="${{a%/*}}"; done; cp {tmp_path}/artifact "$d/{JAR.ivy_name}"\n'
    )
    script.chmod(0o755)
    return Java(script, "17", "settings")


def fetch(cache: Path, java: Java, conf: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    return ensure_artifacts(cache, java, conf or {}, [JAR])


def test_a_fetched_jar_is_checked_and_placed_flat(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (path,) = fetch(cache, ivy_java(tmp_path, CONTENT))
    assert path == cache / "thing-1.0.jar"
    assert path.read_bytes() == CONTENT
    assert not list(cache.glob(".ivy-*"))


def test_it_is_said_how_much_has_come(tmp_path: Path) -> None:
    java = ivy_java(tmp_path, CONTENT)
    half = (
        'mkdir -p "$d/cache/x"; head -c 3000000 /dev/zero > "$d/cache/x/a.jar.part"\n'
        f"while [ ! -e {tmp_path}/seen ]; do sleep 0.1; done"
    )
    java.executable.write_text(java.executable.read_text().replace("cp ", f"{half}\ncp ", 1))
    said: list[str] = []

    def tell(phase: str) -> None:
        said.append(phase)
        if phase == "fetching Spark's libraries, 3 of 6 MB":
            (tmp_path / "seen").touch()

    ensure_artifacts(tmp_path / "cache", java, {}, [replace(JAR, size=6_000_000)], tell)
    assert said[-1] == "fetching Spark's libraries, 3 of 6 MB"


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


@pytest.mark.usefixtures("no_pauses")
def test_without_a_network_the_error_says_why_and_what_to_do(tmp_path: Path, no_java: Java) -> None:
    with pytest.raises(UpstreamError, match="Connection refused") as raised:
        fetch(tmp_path / "cache", no_java)
    assert "jar cache" in raised.value.hint


@pytest.mark.usefixtures("no_pauses")
def test_addresses_of_repositories_are_in_no_command_and_no_error(tmp_path: Path) -> None:
    address = "http://me:hush@repo.example/"
    script = tmp_path / "java"
    script.write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/command\n'
        f"grep -q '{address}' settings.xml && echo 'Server access error at url {address}a.jar'\n"
    )
    script.chmod(0o755)
    conf = {"spark.jars.repositories": address}
    with pytest.raises(UpstreamError) as raised:
        fetch(tmp_path / "cache", Java(script, "17", "settings"), conf)
    assert "repo.example" in raised.value.message
    assert "hush" not in raised.value.message + (tmp_path / "command").read_text()


def test_sparks_settings_for_ivy_are_ivys(tmp_path: Path, no_java: Java) -> None:
    conf = {"spark.jars.ivySettings": "mirror.xml", "spark.hadoop.fs.s3a.secret.key": "hush"}
    command = ivy._write_command(tmp_path, no_java, Path("ivy.jar"), conf, JARS)
    assert command[command.index("-settings") + 1] == str(Path("mirror.xml").absolute())
    assert not any("hush" in part for part in command)


@pytest.mark.parametrize(
    ("variable", "expected"),
    [("http://mirror.example/maven", ["http://mirror.example/maven"]), ("", [None])],
)
def test_a_mirror_stands_in_for_maven_central(variable: str, expected: list[str | None]) -> None:
    environ = {"DEFAULT_ARTIFACT_REPOSITORY": variable, "HOME": "/nowhere"}
    settings = ElementTree.fromstring(ivy._settings([""], environ))
    assert [one.get("root") for one in settings.iter("ibiblio")] == expected


def test_java_is_told_of_the_proxies_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("http_proxy", raising=False)
    monkeypatch.delenv("HTTP_PROXY", raising=False)
    monkeypatch.setenv("https_proxy", "http://user:hush@proxy.example:3128")
    flags = list(ivy._proxy_flags())
    assert flags == ["-Dhttps.proxyHost=proxy.example", "-Dhttps.proxyPort=3128"]


def test_every_pinned_jar_has_a_whole_hash() -> None:
    assert all(len(bytes.fromhex(jar.sha256)) == 32 for jar in JARS)


def test_sparks_own_jars_come_in_a_fixed_order() -> None:
    found = spark_jars()
    assert list(found) == sorted(found)
    assert any(path.name.startswith("spark-connect_") for path in found)
