"""What the shell's commands change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.cli.formats import Expanded, OutputFormat

if TYPE_CHECKING:
    from sqe.cli.shell.files import OpenFile


@dataclass
class ShellState:
    output: OutputFormat = OutputFormat.TABLE
    expanded: Expanded = Expanded.AUTO
    limit: int = 1000  # rows shown of a result; 0 is all
    pager: bool = True
    timing: bool = True
    last: str = ""  # the last statement, without its semicolon
    draft: str = ""  # what the next prompt begins with
    file: OpenFile | None = None  # where results go instead of the screen
    leave: bool = False

    def close(self) -> None:
        if self.file is not None:
            file, self.file = self.file, None
            file.keep()
