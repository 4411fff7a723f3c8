"""What the expressions of a ``rules.json`` fit, as far as it is certain: names and beginnings.

People write names, several of them between ``|``, and beginnings such as ``hr_.*``. Of whatever
else stands behind a beginning only that is known: what fits begins so.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from sqe.model.java_regex import java_regex

_LONGEST = 1000  # characters; a longer expression is not read
_ANY = (".*", ".+", ".*?", ".+?")  # any more text: a name has no ends of lines
_TOKEN = re.compile(
    r"\\[^A-Za-z0-9]|\\[dDwWsS]|\[(?!\]|\^\])(?:\\.|[^\]\\\[&])+\]|\((?:\?:)?(?!\?)|[^\\\[\]{}(]"
)
_GROUP = re.compile(
    r"(?<!\\)\((?:\?:)?((?:\\[^A-Za-z0-9]|[^\\\[\](){}.^$|?*+])*|\.[*+]\??)\)(?![*+?])"
)
_SPECIAL = frozenset(".^$()?*+")
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


@dataclass(frozen=True)
class Branch:
    """What stands between two ``|``: the text that it begins with, and the expression behind."""

    head: str
    tail: str

    def begins_all_of(self, other: Branch) -> bool:
        if self.tail not in _ANY or not other.head.startswith(self.head):
            return False
        return not self.head or other.shortest >= self.shortest  # no name is empty

    def apart_from(self, other: Branch) -> bool:
        short, long = sorted((self, other), key=lambda branch: len(branch.head))
        return not long.head.startswith(short.head) or (not short.tail and short.head != long.head)

    @property
    def shortest(self) -> int:
        return len(self.head) + self.tail.startswith(".+")


@dataclass(frozen=True)
class NamePattern:
    regex: re.Pattern[str]
    branches: tuple[Branch, ...]

    @property
    def fits_any_name(self) -> bool:
        return any(not branch.head and branch.tail in _ANY for branch in self.branches)

    @property
    def fits_no_name(self) -> bool:
        return not any(branch.head or branch.tail for branch in self.branches)

    def fits_all_of(self, branch: Branch) -> bool:
        if not branch.tail:
            return self.regex.fullmatch(branch.head) is not None
        own = self.branches
        return branch in own or any(each.begins_all_of(branch) for each in own)

    def apart_from(self, other: NamePattern) -> bool:
        pairs = itertools.product(self.branches, other.branches)
        return all(own.apart_from(branch) for own, branch in pairs)


def read_pattern(text: str, ignore_case: bool = False) -> NamePattern | None:
    """None: it is not known what it fits."""
    plain = text
    while (plainer := _GROUP.sub(r"\1", plain)) != plain:
        plain = plainer
    tokens = _TOKEN.findall(plain)
    if len(text) > _LONGEST or not text.isprintable() or "".join(tokens) != plain:
        return None
    try:
        regex = java_regex(text, ignore_case)
    except ValueError:
        return None
    branches = (_branch(part, ignore_case) for part in _parts(tokens))
    return NamePattern(regex, tuple(dict.fromkeys(branches)))


def _parts(tokens: list[str]) -> list[list[str]]:
    """Between the outermost ``|``."""
    parts, depth, closed = [list[str]()], 0, False
    for part in tokens:
        closed = closed or (depth == 0 and bool(parts[-1]))
        depth += part.startswith("(")
        depth -= part == ")"
        if part == "|" and depth == 0:
            parts.append([])
        else:
            parts[-1].append(part)
    if len(parts) == 1 and not closed and tokens[-1:] == [")"]:
        return _parts(tokens[1:-1])
    return parts


def _branch(tokens: list[str], ignore_case: bool) -> Branch:
    if tokens[:1] == ["^"]:
        tokens = tokens[1:]
    if tokens[-1:] == ["$"]:
        tokens = tokens[:-1]
    plain = [*itertools.takewhile(_is_text, tokens)]
    if tokens[len(plain) : len(plain) + 1] in (["*"], ["+"], ["?"]):
        plain.pop()  # it may be missing, or there may be more of it
    head = "".join(token[-1] for token in plain)
    tail = "".join(tokens[len(plain) :])
    return Branch(head.translate(_LOWER) if ignore_case else head, tail)


def _is_text(part: str) -> bool:
    if part.startswith("\\"):
        return not part[-1].isalnum()
    return len(part) == 1 and part not in _SPECIAL
