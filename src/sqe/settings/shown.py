"""The settings in force, for the log: those that are not the defaults, and no secret."""

from __future__ import annotations

import json
import re
from typing import Any

from sqe.settings.settings import Settings

_STARS = "****"
# Spark's own settings, headers and hashes are plain texts of keys that somebody else chose.
_SECRET_KEY = re.compile(r"key|secret|token|passw|credential|authorization|header", re.IGNORECASE)


def show_settings(settings: Settings) -> str:
    """As JSON. SecretStr prints stars by itself; so do values whose key sounds like a secret."""
    changed = settings.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(_without_secrets(changed), ensure_ascii=False)


def _without_secrets(node: Any, key: str = "") -> Any:
    if isinstance(node, dict):
        return {name: _without_secrets(value, f"{key}.{name}") for name, value in node.items()}
    if isinstance(node, list):
        return [_without_secrets(value, key) for value in node]
    return _STARS if isinstance(node, str) and _SECRET_KEY.search(key) else node
