"""``make site``: `docs/` as a static site with a search, in `build/site`.

    python -m dev.site.build

Sphinx makes it, with MyST for Markdown and the Furo theme, from an environment of its own that
``requirements/site.lock`` pins. Every warning is an error: a link to a page or heading that is not
there, a page that the navigation (`index.md`) lacks. The site works from a folder without network.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
LOCK = ROOT / "requirements" / "site.lock"
# An element that makes a browser load something, or a stylesheet that does. Links that a reader may
# follow are none.
_LOADS = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\bsrc=[\"']?(?:https?:)?//[^>]*>"
    r"|<link\b[^>]*\bhref=[\"']?(?:https?:)?//[^>]*>"
    r"|url\(\s*[\"']?(?:https?:)?//[^)]*\)"
    r"|@import\s+[\"'](?:https?:)?//[^;]*;"
)


def main() -> int:
    site = ROOT / "build" / "site"
    done = build_site(ROOT, site, install_tools(ROOT / "build" / "site-tools"))
    if done.returncode:
        print(done.stderr, "The site was not built.", sep="\n", file=sys.stderr)
        return 1
    loads = sorted(set(list_remote_loads(site)))
    if loads:
        print("The site would load from the network:", *loads, sep="\n", file=sys.stderr)
        return 1
    print(f"Open {site / 'index.html'}")
    return 0


def install_tools(folder: Path) -> Path:
    """The programs of the lock file, in an environment that is made once for each state of it."""
    state = hashlib.sha256(LOCK.read_bytes() + sys.version.encode()).hexdigest()
    stamp = folder / "ready"
    if not stamp.exists() or stamp.read_text() != state:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = (folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check")
        subprocess.run([*pip, "install", "--quiet", "--require-hashes", "-r", LOCK], check=True)
        stamp.write_text(state)
    return folder / "bin"


def build_site(root: Path, site: Path, programs: Path) -> subprocess.CompletedProcess[str]:
    """Builds ``root``'s README and docs into the folder ``site``.

    What is wrong with them is the answer's ``stderr``.
    """
    source = site.with_name(f"{site.name}-source")
    for folder in (source, site):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / "docs", source)
    readme = (root / "README.md").read_text(encoding="utf-8")
    (source / "README.md").write_text(readme.replace("](docs/", "]("), encoding="utf-8")
    shutil.copy(HERE / "index.md", source)
    options = ["--quiet", "--fail-on-warning", "--nitpicky", f"--doctree-dir={source}/.doctrees"]
    return subprocess.run(
        [programs / "sphinx-build", *options, f"--conf-dir={HERE}", source, site],
        check=False,
        text=True,
        stderr=subprocess.PIPE,
    )


def list_remote_loads(site: Path) -> Iterator[str]:
    """Elements of the site that load from the network, with their pages."""
    for path in sorted(site.rglob("*")):
        if path.suffix in (".html", ".css"):
            for match in _LOADS.finditer(path.read_text(encoding="utf-8")):
                yield f"{path.relative_to(site)}: {match[0]}"


if __name__ == "__main__":
    raise SystemExit(main())
