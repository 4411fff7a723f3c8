"""``make site``: pages with a search that need no network, and no link that leads nowhere."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from dev.site.build import ROOT, build_site, list_remote_loads
from tests.trino_clients.environments import environment


@pytest.fixture(scope="module")
def programs() -> Path:
    return environment("site")


@pytest.mark.timeout(300)
def test_the_documentation_is_a_site_that_needs_no_network(programs: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = build_site(ROOT, site, programs)
    assert done.returncode == 0, done.stderr
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs").with_suffix(".html")).exists(), page
    assert "passport" in (site / "searchindex.js").read_text()
    assert list(list_remote_loads(site)) == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "link", ["[gone](gone.md)", "[gone](concepts/pipe.md#gone)", "[gone](#gone)"]
)
def test_a_link_that_leads_nowhere_fails_the_build(
    link: str, programs: Path, tmp_path: Path
) -> None:
    make_small_docs(tmp_path / "project", link)
    done = build_site(tmp_path / "project", tmp_path / "site", programs)
    assert done.returncode != 0
    assert "gone" in done.stderr


def make_small_docs(root: Path, text: str) -> None:
    """The repository's pages with only their headings, and ``text`` in one of them."""
    for page in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]:
        copy = root / page.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(page.read_text().partition("\n")[0] + "\n")
    (root / "docs" / "threat-model.md").write_text(f"# Threats\n\n{text}\n")
    shutil.copy(ROOT / "docs" / "concepts" / "packages.svg", root / "docs" / "concepts")


@pytest.mark.parametrize(
    "element",
    [
        '<script src="https://cdn.example.com/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.example.com/x.css">',
        "<style>body { background: url('https://example.com/x.png') }</style>",
        '<style>@import "https://example.com/x.css";</style>',
    ],
)
def test_what_would_load_from_the_network_is_seen(element: str, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(f'<a href="https://example.com">read</a>{element}')
    (load,) = list_remote_loads(tmp_path)
    assert re.search(r"page\.html: .*example\.com", load)
