"""Settings: strict, and clear about what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.settings import load_settings


def refused(**kwargs: object) -> str:
    with pytest.raises(UserError) as raised:
        load_settings(**kwargs)  # type: ignore[arg-type]
    assert raised.value.code is ErrorCode.INVALID_SETTINGS
    return str(raised.value)


def test_later_sources_win(tmp_path: Path) -> None:
    file = tmp_path / "sqe.toml"
    file.write_text('default_schema = "a"\n[limits]\nnesting = 10\nview_depth = 5\n')
    environ = {"SQE_LIMITS__NESTING": "20", "SQE_HOME": str(tmp_path)}
    settings = load_settings(file, {"default_schema": "c"}, environ)
    assert settings.limits.nesting == 20
    assert settings.limits.view_depth == 5
    assert settings.default_schema == "c"
    assert settings.home == tmp_path


def test_an_unknown_key_is_named_with_the_nearest(tmp_path: Path) -> None:
    file = tmp_path / "sqe.toml"
    file.write_text("[limits]\nnestin = 10\n")
    message = refused(file=file, environ={})
    assert "nestin" in message
    assert "nesting" in message
    assert "sqe.toml" in message


def test_a_bad_value_is_named(tmp_path: Path) -> None:
    assert "nesting" in refused(environ={"SQE_LIMITS__NESTING": "many"})


def test_a_file_that_does_not_parse_or_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "sqe.toml"
    assert str(file) in refused(file=file, environ={})
    file.write_text("= nonsense")
    assert "TOML" in refused(file=file, environ={})


def test_a_remote_url_does_not_show_its_token() -> None:
    settings = load_settings(environ={"SQE_SPARK__REMOTE": "sc://h:1/;token=hunter2"})
    assert "hunter2" not in repr(settings)
    assert settings.spark.remote.get_secret_value().endswith("hunter2")
