"""Uploads: private, bounded, and gone afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.errors import ErrorCode, ResourceError
from sqe.gateway.uploads import Uploads


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
