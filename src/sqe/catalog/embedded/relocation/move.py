"""Where locations lead after a warehouse has moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqe.catalog.embedded.disks import local_path


@dataclass(frozen=True)
class Move:
    """From any of the ``old`` folders, which are names of one, to ``new``."""

    old: Sequence[str]
    new: str

    def relocate(self, location: str) -> str:
        """As it was, if it is not below an old folder."""
        path = local_path(location)
        root = root_of(path, self.old) if path is not None else None
        if path is None or root is None:
            return location
        return location.removesuffix(path) + self.new + path[len(root) :]

    def relocate_all(self, node: Any) -> Any:
        """Every text of a JSON document that is such a location."""
        if isinstance(node, dict):
            return {key: self.relocate_all(value) for key, value in node.items()}
        if isinstance(node, list):
            return [self.relocate_all(value) for value in node]
        return self.relocate(node) if isinstance(node, str) else node


def root_of(path: str, roots: Sequence[str]) -> str | None:
    """The one that it is or is below of."""
    return next((root for root in roots if path == root or path.startswith(root + "/")), None)


@dataclass(frozen=True)
class MovedFolder:
    """A warehouse whose files are at ``at`` for now, and name each other as ``move`` says."""

    at: Path
    move: Move

    def path_of(self, location: str) -> Path | None:
        """Of a location as it was; None: it is not of the warehouse."""
        path = local_path(location)
        root = root_of(path, self.move.old) if path is not None else None
        if path is None or root is None or ".." in path.split("/"):
            return None
        return self.at / path[len(root) + 1 :]
