"""Runs the demo and the tests as on a fresh machine: a clean clone of what is committed, an empty
home, and a PATH with make, Python and the system's basics. No Java, Maven, Go or Node, no caches.

    python3 dev/fresh.py             make demo, then make test
    python3 dev/fresh.py ARGUMENTS   make demo, then pytest with these arguments

Only what says where packages come from is kept of the environment. Needs the standard library.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BASICS = """
    awk basename bash cat chmod cp cut date df dirname echo env expr false find free getent
    git grep gzip head hostname id kill ldd less ln locale ls make mkdir mkfifo mktemp mount
    mv nproc ps pwd readlink realpath rm rmdir sed seq setsid sh sleep sort stat stty tail
    tar tee test timeout touch tr true tty umount uname uniq wc which xargs
""".split()  # noqa: SIM905 - a list of one program a line says no more
# Where packages come from, how they are reached, and where Spark's and Trino's own tests are.
KEPT = (
    *("PIP_", "UV_", "SSL_CERT_", "REQUESTS_CA_", "DEFAULT_ARTIFACT_REPOSITORY"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "LANG", "LC_", "SQE_CORPORA"),
)
CACHES = ("PIP_CACHE_DIR", "UV_CACHE_DIR")


def main(arguments: list[str]) -> int:
    folder = Path(tempfile.mkdtemp(prefix="sqe-fresh-"))
    try:
        environment = make_environment(folder, os.environ)
        clone = folder / "sqe"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        test = ["test", *([f"ARGS={shlex.join(arguments)}"] if arguments else [])]
        for verb in (["demo"], test):
            print(f"== make {' '.join(verb)}", flush=True)
            code = subprocess.run(["make", *verb], cwd=clone, env=environment).returncode
            if code:
                return code
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def make_environment(folder: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of the fresh machine; makes its home and the programs on its PATH."""
    programs, home = folder / "bin", folder / "home"
    programs.mkdir(parents=True)
    home.mkdir()
    folder.chmod(0o711)  # others reach what is theirs in it, as they do in any /tmp
    for name in BASICS:
        found = shutil.which(name)
        if found:
            (programs / name).symlink_to(found)
    # Not a link: an environment that is made through one does not find Python's library.
    python = programs / "python3"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    kept = {
        name: value
        for name, value in environ.items()
        if name.upper().startswith(KEPT) and name not in CACHES
    }
    settings = [Path(environ.get("HOME", "/")) / name for name in (".config/pip", ".pip")]
    files = [path / "pip.conf" for path in settings if (path / "pip.conf").is_file()]
    corpora = ROOT.parent / "shared" / "corpora"
    return {
        **({"PIP_CONFIG_FILE": str(files[0])} if files else {}),
        **({"SQE_CORPORA": str(corpora)} if corpora.is_dir() else {}),
        **kept,
        "HOME": str(home),
        "PATH": str(programs),
        "TERM": "dumb",
        "TMPDIR": str(folder),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
