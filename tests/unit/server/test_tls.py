"""TLS files: what is wrong with them is said before anybody connects, and changes are noticed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from sqe.errors import ErrorCode, UserError
from sqe.http.tls import Tls
from sqe.server.tls import TlsFiles, TlsWatch
from sqe.settings import TlsSettings
from tests.unit.server.certificates import Authority, Pair, key_pem

AUTHORITY = Authority()
SETTINGS = TlsSettings(certificate=Path("cert.pem"), key=Path("key.pem"))


def put(home: Path, pair: Pair) -> None:
    (home / "cert.pem").write_bytes(pair.certificate)
    (home / "key.pem").write_bytes(pair.key)


def refused(files: TlsFiles) -> str:
    with pytest.raises(UserError) as raised:
        files.read()
    assert raised.value.code is ErrorCode.INVALID_SETTINGS
    return str(raised.value)


def test_files_in_the_home_are_found_and_read(tmp_path: Path) -> None:
    pair = AUTHORITY.server()
    put(tmp_path, pair)
    assert TlsFiles(SETTINGS, tmp_path).read() == Tls(pair.certificate, pair.key)


def test_without_settings_there_is_no_tls(tmp_path: Path) -> None:
    assert TlsFiles(TlsSettings(), tmp_path).read() is None


def test_the_authorities_of_clients_are_read(tmp_path: Path) -> None:
    put(tmp_path, AUTHORITY.server())
    (tmp_path / "ca.pem").write_bytes(AUTHORITY.pem)
    settings = SETTINGS.model_copy(update={"client_authorities": tmp_path / "ca.pem"})
    tls = TlsFiles(settings, Path("/nowhere") / tmp_path).read()
    assert tls is not None
    assert tls.client_authorities == AUTHORITY.pem
    (tmp_path / "ca.pem").write_text("no certificate")
    message = refused(TlsFiles(settings, tmp_path))
    assert f"tls.client_authorities: {tmp_path / 'ca.pem'} has no certificate" in message


def test_a_missing_file_is_named_with_its_setting(tmp_path: Path) -> None:
    message = refused(TlsFiles(SETTINGS, tmp_path))
    assert message == f"tls.certificate: {tmp_path / 'cert.pem'} cannot be read: " + (
        "No such file or directory."
    )


def test_a_key_of_another_certificate_is_refused(tmp_path: Path) -> None:
    put(tmp_path, Pair(AUTHORITY.server().certificate, AUTHORITY.server().key))
    message = refused(TlsFiles(SETTINGS, tmp_path))
    assert f"tls.key: {tmp_path / 'key.pem'} is not the key of" in message


@pytest.mark.parametrize(
    ("days", "why"), [((-9, -1), "expired on"), ((1, 9), "is not valid before")]
)
def test_a_certificate_that_is_not_valid_today_is_refused(
    tmp_path: Path, days: tuple[float, float], why: str
) -> None:
    put(tmp_path, AUTHORITY.server(since=days[0], until=days[1]))
    assert why in refused(TlsFiles(SETTINGS, tmp_path))


def test_what_is_not_a_key_is_refused_without_being_shown(tmp_path: Path) -> None:
    pair = AUTHORITY.server()
    locked = key_pem(ec.generate_private_key(ec.SECP256R1()), b"hunter2")
    for key, why in ((b"hunter2 is no key", "no private key"), (locked, "by a password")):
        put(tmp_path, Pair(pair.certificate, key))
        message = refused(TlsFiles(SETTINGS, tmp_path))
        assert why in message
        assert "hunter2" not in message


def test_a_key_does_not_show_in_what_was_read(tmp_path: Path) -> None:
    put(tmp_path, AUTHORITY.server())
    assert "PRIVATE" not in repr(TlsFiles(SETTINGS, tmp_path).read())


class Watched:
    """A watch over a folder, and what it handed over."""

    def __init__(self, home: Path, every_s: float = 60.0) -> None:
        files = TlsFiles(SETTINGS, home)
        in_use = files.read()
        assert in_use is not None
        self.handed: list[Tls] = []
        self.taken = threading.Event()
        self.fail: Callable[[], None] = lambda: None
        self.watch = TlsWatch(files, in_use, self._take, every_s)

    def _take(self, tls: Tls) -> None:
        self.fail()
        self.handed.append(tls)
        self.taken.set()


def test_changed_files_are_handed_over_once(tmp_path: Path) -> None:
    put(tmp_path, AUTHORITY.server())
    watched = Watched(tmp_path)
    watched.watch.look()
    assert watched.handed == []
    new = AUTHORITY.server()
    put(tmp_path, new)
    watched.watch.look()
    watched.watch.look()
    assert watched.handed == [Tls(new.certificate, new.key)]


def test_half_a_change_is_not_taken_until_it_is_whole(tmp_path: Path) -> None:
    put(tmp_path, AUTHORITY.server())
    watched, new = Watched(tmp_path), AUTHORITY.server()
    (tmp_path / "cert.pem").write_bytes(new.certificate)
    watched.watch.look()
    (tmp_path / "key.pem").unlink()
    watched.watch.look()
    assert watched.handed == []
    (tmp_path / "key.pem").write_bytes(new.key)
    watched.watch.look()
    assert len(watched.handed) == 1


def test_a_reload_that_failed_is_tried_again(tmp_path: Path) -> None:
    put(tmp_path, AUTHORITY.server())
    watched = Watched(tmp_path)
    put(tmp_path, AUTHORITY.server())

    def fail() -> None:
        raise OSError("the port is taken")

    watched.fail = fail
    watched.watch.look()
    watched.fail = lambda: None
    watched.watch.look()
    assert len(watched.handed) == 1


def test_a_reload_that_failed_does_not_wait_for_the_next_look(tmp_path: Path) -> None:
    put(tmp_path, AUTHORITY.server())
    watched, failures = Watched(tmp_path, every_s=3600), 0

    def fail() -> None:
        nonlocal failures
        failures += 1
        if failures < 2:
            raise OSError("the port is taken")

    watched.fail = fail
    put(tmp_path, AUTHORITY.server())
    watched.watch.look()
    watched.watch.start()
    assert watched.taken.wait(30)
    watched.watch.stop()


def test_the_thread_looks_by_itself_and_stops(tmp_path: Path) -> None:
    put(tmp_path, AUTHORITY.server())
    watched = Watched(tmp_path, every_s=0.01)
    watched.watch.start()
    put(tmp_path, AUTHORITY.server())
    assert watched.taken.wait(20)
    watched.watch.stop()
    assert "tls-watch" not in {thread.name for thread in threading.enumerate()}
