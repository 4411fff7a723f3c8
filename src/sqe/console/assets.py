"""The files of the page: our own, and the editor, grid and charts out of a pinned wheel.

The wheel is used as a box of files and never imported. Each file that is served is one whose
SHA-256 we know: a changed one is refused at start.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path

from sqe.errors import ErrorCode, UserError

_WHEEL = "nicegui"
_MANIFEST = "vendor.json"
_KINDS = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class Asset:
    content: bytes
    media_type: str
    tag: str


def read_assets() -> dict[str, Asset]:
    """By the path they are served under. INVALID_SETTINGS where the wheel is not the pinned one."""
    own = files("sqe.console") / "static"
    assets = {
        f"/static/{entry.name}": _asset(entry.name, entry.read_bytes())
        for entry in own.iterdir()
        if Path(entry.name).suffix in _KINDS
    }
    manifest = json.loads((own / _MANIFEST).read_text())
    return assets | read_wheel(_wheel_folder(manifest["version"]), manifest["files"])


def read_wheel(folder: Path, digests: Mapping[str, str]) -> dict[str, Asset]:
    """INVALID_SETTINGS for a file that is not the one whose digest is known."""
    assets = {}
    for name, digest in digests.items():
        content = (folder / name).read_bytes() if (folder / name).is_file() else b""
        if hashlib.sha256(content).hexdigest() != digest:
            raise _not_installed(f"its file {name} is missing or changed")
        served = name.removeprefix("elements/").replace("/dist/", "/")
        assets[f"/vendor/{served}"] = _asset(name, content)
    return assets


def _asset(name: str, content: bytes) -> Asset:
    digest = hashlib.sha256(content).hexdigest()[:16]
    return Asset(content, _KINDS[Path(name).suffix], f'"{digest}"')


def _wheel_folder(version: str) -> Path:
    try:
        wheel = distribution(_WHEEL)
    except PackageNotFoundError:
        raise _not_installed("it is not installed") from None
    if wheel.version != version:
        raise _not_installed(f"it is {wheel.version}, and the console needs {version}")
    return Path(str(wheel.locate_file(_WHEEL)))


def _not_installed(why: str) -> UserError:
    return UserError(
        ErrorCode.INVALID_SETTINGS,
        f"The console takes its editor, grid and charts from the wheel {_WHEEL}: {why}.",
        hint="Install it alone, without what it would bring: "
        f"pip install --no-deps {_WHEEL}==3.18.0; in a clone, `make setup` does.",
    )
