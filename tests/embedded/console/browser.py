"""A real Chromium: the machine's, or Debian's, which is installed where that is possible."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_INSTALL_S = 480
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@cache
def find_chromium() -> str | None:
    """The command; None where there is none and none can be had."""
    return _on_path() or _install()


def _on_path() -> str | None:
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


def _install() -> str | None:
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return None
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"],
    ):
        try:
            subprocess.run(
                command, env=environment, capture_output=True, timeout=_INSTALL_S, check=True
            )
        except (subprocess.SubprocessError, OSError):
            return None
    return _on_path()
