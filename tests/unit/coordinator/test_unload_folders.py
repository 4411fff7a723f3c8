"""Where COPY … TO may write, and that it leaves a whole file or none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sqe.coordinator.unload_folders import UnloadFolders
from sqe.coordinator.unload_places import UnloadPlaces
from sqe.engines.protocol import Run
from sqe.errors import AccessError, ErrorCode, SqeError
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.sessions.store import SessionStore


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def write(folders: UnloadFolders, place: object, *, overwrite: bool = False) -> None:
    with folders.new_file(str(place), overwrite=overwrite) as file:
        file.write(b"rows")


def refused(folders: UnloadFolders, place: object) -> ErrorCode:
    with pytest.raises(SqeError) as raised:
        write(folders, place)
    return raised.value.code


def test_a_file_is_written_whole_under_its_name(out: Path) -> None:
    folders = UnloadFolders([out])
    with folders.new_file(f"file://{out}/a.csv", overwrite=False) as file:
        file.write(b"rows")
        assert not (out / "a.csv").exists()
    assert os.listdir(out) == ["a.csv"]
    assert (out / "a.csv").read_bytes() == b"rows"


def test_nothing_is_left_of_a_file_that_fails(out: Path) -> None:
    with (
        pytest.raises(ValueError, match="broken"),
        UnloadFolders([out]).new_file(f"{out}/a.csv", overwrite=False) as file,
    ):
        file.write(b"ro")
        raise ValueError("broken")
    assert os.listdir(out) == []


def test_a_file_is_replaced_only_where_that_is_said(out: Path) -> None:
    (out / "a.csv").write_text("before")
    assert refused(UnloadFolders([out]), out / "a.csv") is ErrorCode.INVALID_ARGUMENT
    assert (out / "a.csv").read_text() == "before"
    write(UnloadFolders([out]), out / "a.csv", overwrite=True)
    assert (out / "a.csv").read_text() == "rows"
    assert os.listdir(out) == ["a.csv"]


def test_one_that_comes_meanwhile_is_not_replaced_either(out: Path) -> None:
    with (
        pytest.raises(SqeError, match="is there already"),
        UnloadFolders([out]).new_file(f"{out}/a.csv", overwrite=False) as file,
    ):
        file.write(b"rows")
        (out / "a.csv").write_text("theirs")
    assert (out / "a.csv").read_text() == "theirs"
    assert os.listdir(out) == ["a.csv"]


def test_a_link_is_not_followed_but_replaced(out: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (out / "a.csv").symlink_to(secret)
    assert refused(UnloadFolders([out]), out / "a.csv") is ErrorCode.INVALID_ARGUMENT
    with pytest.raises(SqeError, match="is no file"):
        write(UnloadFolders([out]), out / "a.csv", overwrite=True)
    assert secret.read_text() == "secret"


def test_places_outside_of_the_folders_are_refused(out: Path, tmp_path: Path) -> None:
    home = out / "home"
    home.mkdir()
    (out / "way").symlink_to(tmp_path)
    folders = UnloadFolders([out], never=[home])
    denied = ErrorCode.ACCESS_DENIED
    for place in (
        tmp_path / "a.csv",
        f"{out}/../a.csv",
        out / "way" / "a.csv",
        home / "a.csv",
        "/nowhere/at/all/a.csv",
        f"{out}x/a.csv",
    ):
        assert refused(folders, place) is denied, place
    assert refused(UnloadFolders(), out / "a.csv") is denied
    for place in ("a.csv", f"{out}/", f"{out}/.a.csv", f"{out}/none/a.csv", f"{out}/a\0b"):
        assert refused(folders, place) is ErrorCode.INVALID_ARGUMENT, place
    assert refused(folders, "hdfs://bucket/a.csv") is ErrorCode.NOT_SUPPORTED
    assert sorted(os.listdir(out)) == ["home", "way"]


def test_object_stores_are_refused_until_the_settings_name_locations(out: Path) -> None:
    session = SessionStore(SchemaName("lake", ("s",))).open(Identity("alice"))
    places = UnloadPlaces(UnloadFolders([out]))
    with pytest.raises(AccessError, match="not set up") as raised:
        places.new_file("s3://bucket/a.csv", Run("q", session), overwrite=False)
    assert "[locations.NAME]" in raised.value.hint
