"""Puts into the client's wheel what the engine's wheel leaves out: one list says both."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ClientFiles(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root).parents[1]
        wheel = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
        for name in wheel["targets"]["wheel"]["exclude"]:
            path = root / name
            for file in [path] if path.is_file() else path.rglob("*"):
                if file.is_file() and file.suffix != ".pyc":
                    build_data["force_include"][str(file)] = str(file.relative_to(root / "src"))
