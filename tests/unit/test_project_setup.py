"""`make setup`: the same index and certificates for both installers, and a stamp that is right."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "dev" / "bootstrap.py"


@pytest.fixture
def bootstrap(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("bootstrap", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "PYTHON", Path(sys.executable))
    return module


def test_variables_win_over_pips_files(
    bootstrap: ModuleType, isolated_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration = isolated_home / "pip.conf"
    configuration.write_text("[global]\nindex-url = first\ntrusted-host =\n  one\n  two\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(configuration))
    assert bootstrap.pip_settings()["index-url"] == "first"
    monkeypatch.setenv("PIP_INDEX_URL", "second")
    assert bootstrap.pip_settings()["index-url"] == "second"
    assert bootstrap.pip_settings()["trusted-host"] == "one two"


def test_the_stamp_changes_with_a_lock(
    bootstrap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = bootstrap.fingerprint()
    assert before == bootstrap.fingerprint()
    changed = tmp_path / "dev.lock"
    changed.write_text("other==1\n")
    monkeypatch.setattr(bootstrap, "DEV_LOCK", changed)
    assert bootstrap.fingerprint() != before
