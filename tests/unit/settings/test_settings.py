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


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("SQE_LIMITS_RUNNING_QUERIES", "SQE_LIMITS__RUNNING_QUERIES"),
        ("SQE_SPARK_DRIVER_MEMORY", "SQE_SPARK__DRIVER_MEMORY"),
        ("SQE_LIMITS__RUNING_QUERIES", "SQE_LIMITS__RUNNING_QUERIES"),
        ("SQE_LIMIT__RUNNING_QUERIES", "SQE_LIMITS__RUNNING_QUERIES"),
        ("SQE_HOMEE", "SQE_HOME"),
    ],
)
def test_a_variable_is_told_its_right_name(variable: str, meant: str) -> None:
    message = refused(environ={variable: "5"})
    assert message.startswith(
        f"Unknown setting {variable} in the environment. Did you mean {meant}?"
    )


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("spark.driver_memory", "10 bananas", "'10 bananas' is no size; write it as 4g or 512m"),
        ("spark.driver_memory", "-4g", "write it as 4g"),
        ("spark.driver_memory", "256m", "256m is less than Spark needs, 512m"),
        ("spark.driver_memory", "900t", "900t is more than this machine has"),
        ("spark.start_timeout_s", "0", "greater than 0"),
        ("spark.session_idle_s", "nan", "finite number"),
        ("local.memory_mb", "-1", "greater than or equal to 0"),
        ("local.memory_mb", "5", "5 MB is less than a query needs, 128"),
        ("local.memory_mb", "900000000", "900000000 MB is more than this machine has"),
        ("local.memory_mb", "4g", "valid integer"),
        ("local.max_bytes", "0", "greater than or equal to 1"),
        ("limits.statement_bytes", "0", "greater than or equal to 1"),
        ("limits.query_timeout_s", "-1", "greater than or equal to 0"),
        ("limits.finished_queries", "-1", "greater than or equal to 0"),
        ("load.upload_mb", "0", "greater than or equal to 1"),
        ("serve.port", "65536", "less than or equal to 65535"),
    ],
)
def test_a_wrong_size_is_refused_with_its_key(key: str, value: str, words: str) -> None:
    variable = "SQE_" + key.replace(".", "__").upper()
    message = refused(environ={variable: value})
    assert message.startswith(f"Setting {key} in the environment: ") and words in message


def test_sizes_that_fit_are_taken() -> None:
    environ = {"SQE_SPARK__DRIVER_MEMORY": "512M", "SQE_LOCAL__MEMORY_MB": "128"}
    settings = load_settings(environ=environ)
    assert (settings.spark.driver_memory, settings.local.memory_mb) == ("512M", 128)


def test_a_file_that_does_not_parse_or_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "sqe.toml"
    assert str(file) in refused(file=file, environ={})
    file.write_text("= nonsense")
    assert "TOML" in refused(file=file, environ={})


def test_a_remote_url_does_not_show_its_token() -> None:
    settings = load_settings(environ={"SQE_SPARK__REMOTE": "sc://h:1/;token=hunter2"})
    assert "hunter2" not in repr(settings)
    assert settings.spark.remote.get_secret_value().endswith("hunter2")
