"""The console sessions that pages show: commands, and what they print."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator


def sessions(page: str) -> list[list[tuple[str, str]]]:
    """The console blocks: in each, commands with what they print."""
    blocks = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    return [list(_commands(block)) for block in blocks]


def _commands(block: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        command = ""
        while lines:  # a command goes on until its quotes are closed
            command += lines.pop(0)
            try:
                shlex.split(command, comments=True)
            except ValueError:
                continue
            break
        yield command, "".join(lines)
