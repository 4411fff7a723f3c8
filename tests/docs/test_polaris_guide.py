"""The settings of the guide to Polaris and Nessie are settings that SQE takes."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from sqe.settings import RestCatalogSettings, Settings

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "polaris.md"


def test_the_settings_are_taken(tmp_path: Path) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    polaris, nessie = (
        Settings.model_validate({**tomllib.loads(block), "home": tmp_path}) for block in blocks
    )
    for settings, name in ((polaris, "lake"), (nessie, "nessie")):
        assert isinstance(settings.catalogs[name], RestCatalogSettings)
    assert list(polaris.auth.oidc) == ["main"]
