"""Uploads: private, bounded, and gone afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.errors import ErrorCode, ResourceError
from sqe.gateway.uploads import ClientFile, Uploads


def test_a_file_is_gone_however_the_block_ends(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path / "uploads", 100)
    assert not (tmp_path / "uploads").exists()  # nothing is made before it is needed
    with uploads.new(".x") as first, uploads.new(".x") as second:
        assert first.path != second.path
        first.path.write_bytes(b"rows")
        first.check()
    with pytest.raises(ValueError, match="broken"), uploads.new(".x") as third:
        third.path.write_bytes(b"rows")
        raise ValueError("broken")
    assert not list((tmp_path / "uploads").rglob("*.x"))
    uploads.close()
    assert list((tmp_path / "uploads").iterdir()) == []


def test_a_file_does_not_grow_for_ever(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path, 10)
    with uploads.new("") as upload:
        upload.path.write_bytes(b"x" * 11)
        with pytest.raises(ResourceError) as raised:
            upload.check()
    assert raised.value.code is ErrorCode.DISK_FULL
    uploads.close()


def test_a_folder_that_cannot_be_made_is_a_full_disk_not_a_defect(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ResourceError), Uploads(tmp_path / "file" / "x", 10).new(""):
        pass


def test_a_file_of_a_client_is_kept_for_its_session_alone(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path, 100)
    with uploads.keep("s1", ClientFile("/there/a b/people.CSV.gz", 7)) as upload:
        upload.path.write_bytes(b"rows")
        assert uploads.of_session("s1") == frozenset()  # not before it is whole
    assert upload.path.name.endswith(".csv.gz")
    assert upload.path.stat().st_mtime_ns == 7
    assert uploads.of_session("s1") == {str(upload.path)}
    assert uploads.of_session("s2") == frozenset()
    with pytest.raises(ValueError, match="broken"), uploads.keep("s1", ClientFile("x", 1)) as half:
        half.path.write_bytes(b"ro")
        raise ValueError("broken")
    assert not half.path.exists()
    uploads.end_session("s1")
    assert not upload.path.exists()
    assert uploads.of_session("s1") == frozenset()
    uploads.close()


def test_the_same_file_of_a_client_has_the_same_name_but_for_its_number(tmp_path: Path) -> None:
    first, second = ClientFile("/a/x.csv", 1).suffix, ClientFile("/a/x.csv", 2).suffix
    assert first == second != ClientFile("/b/x.csv", 1).suffix
