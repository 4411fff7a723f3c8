"""Errors as people read them: code, place, message, and the piece of text with a caret."""

from __future__ import annotations

import secrets
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.cli.screen import escape_controls
from sqe.errors import ErrorCode, InternalError, SqeError, TextPosition

if TYPE_CHECKING:
    from sqe.cli.invocation import Invocation
    from sqe.cli.statements import SourceStatement

_EXCERPT = 100  # characters of a source line that are shown


def render_error(
    error: SqeError, statement: SourceStatement | None = None, *, several: bool = False
) -> str:
    """``several`` says that the source held more than one statement, so which one matters."""
    where, excerpt = "", ""
    if error.position is not None:
        position = error.position
        if statement is not None:
            excerpt = _excerpt(statement.text, position)
            position = _in_source(position, statement)
        where = f" line {position.line}:{position.column}:"
    hint = f" {error.hint}" if error.hint else ""
    message = escape_controls(error.message + hint, keep="\n")
    lines = [f"error[{error.code.name}]{where} {message}"]
    if excerpt:
        lines.append(excerpt)
    if statement is not None and several:
        lines.append(f"  in statement {statement.number}, which starts at line {statement.line}")
    return "\n".join(lines)


def _in_source(position: TextPosition, statement: SourceStatement) -> TextPosition:
    """A place in the statement as a place in the file it came from."""
    shift = statement.column - 1 if position.line == 1 else 0
    return TextPosition(position.line + statement.line - 1, position.column + shift)


def _excerpt(text: str, position: TextPosition) -> str:
    lines = text.split("\n")
    if not 1 <= position.line <= len(lines):
        return ""
    line = lines[position.line - 1].replace("\t", " ").rstrip("\r")
    column = min(max(position.column - 1, 0), len(line))
    # A long line is cut around the place, so that the caret stays on the screen.
    begin = max(0, column - _EXCERPT // 2)
    shown = escape_controls(line[begin : begin + _EXCERPT])
    caret = len(escape_controls(line[begin:column]))
    width = max(1, min(len(position.fragment.split("\n")[0]), len(shown) - caret))
    return f"    {shown}\n    {' ' * caret}{'^' * width}"


def report_defect(error: Exception, invocation: Invocation | None) -> InternalError:
    """Writes the traceback to the home's logs and gives the error to show instead."""
    reference = secrets.token_hex(4)
    try:
        folder = _logs(invocation)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"defect-{reference}.log"
        path.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
        path.chmod(0o600)
        hint = f"The details are in {path}; please report them."
    except (OSError, SqeError):
        hint = "The details could not be written to the home's logs."
    return InternalError(
        ErrorCode.INTERNAL_ERROR, f"A defect in SQE ({type(error).__name__}).", hint=hint
    )


def _logs(invocation: Invocation | None) -> Path:
    from sqe.cli.invocation import Invocation as Default

    return (invocation or Default()).settings().home / "logs"
