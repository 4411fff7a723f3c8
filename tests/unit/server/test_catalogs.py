"""The catalogs of the settings, put together."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Identity
from sqe.server.catalogs import SettingsCatalogs
from sqe.settings import Settings
from tests.unit.server.certificates import Authority


def settings(home: Path, **remote: Any) -> Settings:
    catalogs = {"own": {}, "polaris": {"type": "rest", "uri": "https://polaris.test", **remote}}
    return Settings.model_validate(
        {"home": home, "default_catalog": "polaris", "catalogs": catalogs}
    )


def test_own_and_others_side_by_side(tmp_path: Path) -> None:
    with closing(SettingsCatalogs(settings(tmp_path))) as made:
        assert made.catalogs.names() == ["own", "polaris"]
        own = made.catalogs.open("own", Identity("ann"))
        assert own is made.catalogs.open("own", Identity("bob"))
        assert own.list_namespaces() == []  # the default schema is of another catalog
        with pytest.raises(UserError, match="Did you mean polaris"):
            made.catalogs.open("polari", Identity("ann"))


def test_authorities_are_looked_for_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"catalogs\.polaris\.authorities") as missing:
        SettingsCatalogs(settings(tmp_path, authorities="ca.pem"))
    assert missing.value.code is ErrorCode.INVALID_SETTINGS
    (tmp_path / "ca.pem").write_bytes(Authority().pem)
    SettingsCatalogs(settings(tmp_path, authorities="ca.pem")).close()
