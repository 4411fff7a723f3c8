"""``new_user`` of an impersonation rule: a regular expression with references to what
``original_user`` has captured of the name of who asks."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqe.model.java_regex import java_regex, literal

_PART = re.compile(r"\\.|\$(?:\{([A-Za-z][A-Za-z0-9]*)\}|(\d+))?", re.DOTALL)


class Template:
    """ValueError: a reference to a group that is not there, or no regular expression.

    What is captured stands for itself: in Trino it would be read as a regular expression, so that
    who is named ``.*`` could be anybody.
    """

    def __init__(self, text: str, original: re.Pattern[str] | None) -> None:
        self._text = text
        self._original = original
        self._fill(lambda group: "x")

    def admits(self, user: str, wanted: str) -> bool:
        """Whether the rule is about ``user`` taking the name of ``wanted``."""
        match = self._original.fullmatch(user) if self._original is not None else None
        if self._original is not None and match is None:
            return False
        filled = self._fill(lambda group: (match[group] or "") if match is not None else "")
        return filled.fullmatch(wanted) is not None

    def _fill(self, captured: Callable[[str | int], str]) -> re.Pattern[str]:
        original = self._original
        if original is None:  # nothing is captured, and a $ is the end of the name
            return java_regex(self._text)

        def put(part: re.Match[str]) -> str:
            if part[0].startswith("\\"):
                return part[0]
            if part[1] in original.groupindex:
                return literal(captured(part[1]))
            digits = part[2] or ""
            # As many of the digits as name a group; the others stand for themselves.
            for length in range(len(digits), 0, -1):
                if int(digits[:length]) <= original.groups:
                    return literal(captured(int(digits[:length]))) + digits[length:]
            raise ValueError("new_user refers to a group that original_user does not have")

        return java_regex(_PART.sub(put, self._text))
