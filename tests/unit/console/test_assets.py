"""The files out of the wheel are the ones that are known."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from sqe.console.assets import read_assets, read_wheel
from sqe.errors import UserError

_NAME = "elements/editor/dist/index.js"


def test_all_files_of_the_page_are_there() -> None:
    assets = read_assets()
    for path in ("/static/index.html", "/static/style.css", "/vendor/aggrid/index.js"):
        assert assets[path].content


def test_a_known_file_is_served_without_the_wheels_own_folders(tmp_path: Path) -> None:
    (tmp_path / _NAME).parent.mkdir(parents=True)
    (tmp_path / _NAME).write_bytes(b"good")
    assets = read_wheel(tmp_path, {_NAME: hashlib.sha256(b"good").hexdigest()})
    assert assets["/vendor/editor/index.js"].content == b"good"


@pytest.mark.parametrize("content", [b"changed", None])
def test_a_changed_or_missing_file_is_refused(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / _NAME).parent.mkdir(parents=True)
        (tmp_path / _NAME).write_bytes(content)
    with pytest.raises(UserError, match="missing or changed"):
        read_wheel(tmp_path, {_NAME: hashlib.sha256(b"good").hexdigest()})
