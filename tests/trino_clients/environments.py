"""Environments of Python for clients whose pins are not SQE's, kept between test runs."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flight_clients.cache import CACHE

_LOCKS = Path(__file__).parents[2] / "requirements"
# Read before the tests' environment is taken away: where packages are installed from.
_ENVIRONMENT = dict(os.environ)


def environment(name: str) -> Path:
    """The programs of ``requirements/<name>.lock``, in a folder made once for each state of it.

    Tests of what cannot be installed are left out.
    """
    lock = _LOCKS / f"{name}.lock"
    state = hashlib.sha256(lock.read_bytes() + sys.version.encode()).hexdigest()[:12]
    made = CACHE / f"{name}-{state}"
    if not (made / "ready").exists():
        shutil.rmtree(made, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", made], check=True, env=_ENVIRONMENT)
        command = [str(made / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        command += ["--require-hashes", "-r", str(lock)]
        done = subprocess.run(command, capture_output=True, text=True, env=_ENVIRONMENT)
        if done.returncode:
            pytest.skip(f"{lock.name} could not be installed: {done.stderr.strip()[-300:]}")
        (made / "ready").touch()
    return made / "bin"
