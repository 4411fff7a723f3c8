"""Secrets in settings: written as they are, or better as a reference to where they are kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator, SecretStr

_MOST_BYTES = 65_536


def is_reference(text: str) -> bool:
    """``env:NAME`` is a variable of SQE's environment, ``file:/path`` the content of a file."""
    return text.startswith(("env:", "file:"))


def read_secret(value: Any) -> Any:
    """The secret that a reference means. ValueError says what is wrong, without the secret."""
    if not isinstance(value, str) or not is_reference(value):
        return value
    kind, _, where = value.partition(":")
    if kind == "env":
        if not os.environ.get(where):
            raise ValueError(f"there is no variable {where} in the environment of SQE")
        return os.environ[where]
    return _content(Path(where))


def _content(path: Path) -> str:
    """Without the line's end that editors put behind it."""
    if not path.is_absolute():
        raise ValueError(f"file:{path} must be the whole path, as file:/run/secrets/name")
    try:
        content = path.read_bytes()
        if len(content) > _MOST_BYTES:
            raise ValueError(f"{path} is too large for a secret")
        return content.decode().rstrip("\r\n")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a text") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None


# Of a setting that is a secret.
SecretText = Annotated[SecretStr, BeforeValidator(read_secret)]


def secret_settings(model: type[BaseModel]) -> frozenset[str]:
    """The names of the settings that are secrets, or tables of them."""
    return frozenset(
        name for name, field in model.model_fields.items() if _holds_secret(field.annotation)
    )


def _holds_secret(annotation: Any) -> bool:
    return annotation is SecretStr or any(map(_holds_secret, get_args(annotation)))
