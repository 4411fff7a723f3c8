"""What ``connect`` and ``--server`` are told: a server's URL, or the folder of a lakehouse."""

from __future__ import annotations

import re
from pathlib import Path

from sqe.errors import ErrorCode, UserError

# name:32010, 10.0.0.7:32010, [::1]:32010, ann@lake.example:32010/default
_HOST_AND_PORT = re.compile(r"([^\s/\\@]+@)?([\w.-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}(/.*)?")
# Any of these is in every home that was used, or is the settings of one that will be.
_OF_A_HOME = ("logs", "sqe.toml")


def is_url(target: str) -> bool:
    return "://" in target


def check_server(target: str) -> None:
    """INVALID_ARGUMENT for a server that is named without its scheme."""
    if not is_url(target):
        host = target.rpartition("@")[2]
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{host} is no URL of a server.",
            hint=f"Write grpc+tls://{host}, or grpc://{host} where there is no TLS.",
        )


def refuse_host(target: str) -> None:
    """INVALID_ARGUMENT for a folder whose name looks like a server."""
    if _HOST_AND_PORT.fullmatch(target):
        host = target.rpartition("@")[2]
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{host} looks like a server, and has no scheme.",
            hint=f"Write grpc+tls://{host}, or grpc://{host} where there is no TLS; "
            f"for a folder of that name, ./{host}.",
        )


def check_home(folder: Path) -> None:
    """INVALID_ARGUMENT where there is no lakehouse: a wrong path must not become an empty one."""
    if not is_home(folder) and not _is_empty(folder):
        there = "There is no lakehouse in" if folder.exists() else "There is no folder"
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{there} {folder}.",
            hint="Correct the path, or say create=True to make a new lakehouse there. "
            "A server is grpc+tls://host:port.",
        )


def is_home(folder: Path) -> bool:
    return any((folder / name).exists() for name in _OF_A_HOME)


def _is_empty(folder: Path) -> bool:
    """Somebody has made the folder, for this or for something else that is not there yet."""
    return folder.is_dir() and not any(folder.iterdir())
