"""Rules in a file or folder, of whatever type of source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqe.errors import ErrorCode, UserError
from sqe.policy.rule_set import RuleFile, RuleSet
from sqe.server.policies import SOURCE_TYPES


def open_rules(path: Path) -> RuleSet:
    """By the first type of source that reads files of this form."""
    file = RuleFile(path, _json(path))
    for entry in SOURCE_TYPES:
        try:
            rules = entry.read(file) if entry.read is not None else None
        except ValueError as error:
            raise _unreadable(path, str(error)) from None
        if rules is not None:
            return rules
    raise _unreadable(path, "it is neither JSON nor Cedar")


def _json(path: Path) -> Any:
    if path.is_dir():
        return None
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise _unreadable(path, error.strerror or "it cannot be read") from None
    except ValueError:
        return None


def _unreadable(path: Path, why: str) -> UserError:
    return UserError(ErrorCode.INVALID_ARGUMENT, f"{path}: {why}.")
