"""The text an engine gets: the user's own, after all rewrites of ``rules.TEXT_REWRITES``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sqe.binding.bound import BoundStatement
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.rendering import Names, Rendering
from sqe.rewrite.rules import TEXT_REWRITES
from sqe.sql.splice import Edit, Spliced, splice

_WORD = re.compile(r"\w")


def render(
    guarded: GuardedStatement, names: Names, changes: Sequence[Edit] = (), *, checked: bool = True
) -> Spliced:
    """See ``Rendering``."""

    def text_of(inner: BoundStatement, changes: Sequence[Edit]) -> str:
        return render(replace(guarded, bound=inner), names, changes).text

    rendering = Rendering(guarded, names, text_of, changes, checked)
    edits: Sequence[Edit] = ()
    for rewrite in TEXT_REWRITES:
        edits = rewrite(guarded.bound, edits, rendering)
    text = guarded.bound.statement.text
    # A place may be named twice, once for each thing that is done with the table there.
    return splice(text, dict.fromkeys(_add_spaces(text, edit) for edit in edits))


def _add_spaces(text: str, edit: Edit) -> Edit:
    """Behind a name in back quotes, or a parenthesis, a word may follow at once; behind a plain
    name or a word it may not."""
    start, end = edit.span.start, edit.span.end
    follows = start > 0 and _WORD.match(text, start - 1) and _WORD.match(edit.text)
    before = " " if follows and start == end else ""
    ended = text[:end].endswith("`") or (start == end and _WORD.match(edit.text[-1:]))
    behind = " " if ended and _WORD.match(text, end) else ""
    return Edit(edit.span, f"{before}{edit.text}{behind}")
