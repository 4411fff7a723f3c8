"""Makes `.venv` from the lock files. Needs only Python 3.11 and its standard library.

    python3 dev/bootstrap.py          everything in requirements/dev.lock, and SQE itself, editable
    python3 dev/bootstrap.py tools    only the installer (what `make lock` needs)

Every file is checked against the hashes in the lock. uv does the work because it takes half the
time; it is told the same index, certificates and wheel folders as pip, and where it still fails,
pip does the work. A stamp in the environment makes a second run instant.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
STAMP = ENVIRONMENT / ".sqe-setup"
BOOTSTRAP_LOCK = ROOT / "requirements" / "bootstrap.lock"
DEV_LOCK = ROOT / "requirements" / "dev.lock"
# A wheel of which the console serves some files; what the wheel itself would need is left out.
CONSOLE_LOCK = ROOT / "requirements" / "console.lock"
# The engine and its client: two distributions of one version, from the same sources.
PROJECTS = (ROOT, ROOT / "clients" / "python")

# What pip is told, and the name under which uv is told the same.
UV_NAMES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
}


def main(arguments: list[str]) -> int:
    wanted = fingerprint()
    if STAMP.is_file() and STAMP.read_text() == wanted and PYTHON.exists():
        return 0
    try:
        make_environment()
        if arguments == ["tools"]:
            return 0
        install()
    except subprocess.CalledProcessError as error:
        return complain(f"set-up failed: {' '.join(map(str, error.cmd))}")
    STAMP.write_text(wanted)
    return 0


def fingerprint() -> str:
    """Changes when the environment would: locks, project table, version, interpreter."""
    projects = [tomllib.loads((path / "pyproject.toml").read_text()) for path in PROJECTS]
    parts = [
        BOOTSTRAP_LOCK.read_text(),
        DEV_LOCK.read_text(),
        CONSOLE_LOCK.read_text(),
        json.dumps([[one["build-system"], one["project"]] for one in projects], sort_keys=True),
        version(),
        sys.version,
        str(ROOT),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def version() -> str:
    for node in ast.parse((ROOT / "src" / "sqe" / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__version__":
            return str(ast.literal_eval(node.value))
    raise SystemExit("src/sqe/__init__.py has no __version__")


def make_environment() -> None:
    if not usable(PYTHON):
        say("making .venv")
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        try:
            run(sys.executable, "-m", "venv", ENVIRONMENT)
        except subprocess.CalledProcessError:
            say("Python's venv module is incomplete here; on Debian install python3-venv.")
            raise
    say("installing the installer")
    pip("install", "--require-hashes", "-r", BOOTSTRAP_LOCK)


def usable(python: Path) -> bool:
    if not python.exists():
        return False
    check = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
    return subprocess.run([python, "-c", check], capture_output=True).returncode == 0


def install() -> None:
    started = time.monotonic()
    say("installing the locked packages (Spark is 450 MB; a minute or two the first time)")
    # Source packages are built with the locked build tools, not with whatever is newest today.
    locked = ["install", "--no-build-isolation", "--require-hashes", "-r", str(DEV_LOCK)]
    try:
        uv(*locked, "--compile-bytecode")  # as pip does: without it, every first start is slow
    except (subprocess.CalledProcessError, OSError):
        say("uv could not; trying pip")
        pip(*locked)
    pip("install", "--require-hashes", "--no-deps", "-r", CONSOLE_LOCK)
    for project in PROJECTS:
        pip("install", "--no-build-isolation", "--no-deps", "--editable", project)
    run(PYTHON, "-m", "compileall", "-q", ROOT / "src")
    say(f"ready in {time.monotonic() - started:.0f} s")


def pip(*arguments: str | Path) -> None:
    run(PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments)


def uv(*arguments: str | Path) -> None:
    settings = pip_settings()
    command = [ENVIRONMENT / "bin" / "uv", "pip", "--quiet", "--no-config", *arguments]
    if settings.get("no-index", "").lower() in {"1", "true", "yes", "on"}:
        command.append("--no-index")
    told = {UV_NAMES[name]: value for name, value in settings.items() if name in UV_NAMES}
    if "UV_FIND_LINKS" in told:
        told["UV_FIND_LINKS"] = ",".join(told["UV_FIND_LINKS"].split())
    # The developer's own uv settings win over what is derived from pip's.
    run(*command, "--python", PYTHON, environment={**told, **os.environ})


def pip_settings() -> dict[str, str]:
    """What pip's files and variables say about installing; several values are several words."""
    listing = subprocess.run(
        [PYTHON, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    sections: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for line in listing.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if section in sections:
            sections[section][name] = " ".join(str(ast.literal_eval(value)).split())
    return sections["global"] | sections["install"] | sections[":env:"]


def run(*command: str | Path, environment: dict[str, str] | None = None) -> None:
    subprocess.run(command, check=True, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL)


def say(message: str) -> None:
    print(f"setup: {message}", file=sys.stderr, flush=True)


def complain(message: str) -> int:
    say(message)
    return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
