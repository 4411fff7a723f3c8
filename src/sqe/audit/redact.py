"""Keeps secrets that people type into SQL out of logs and records."""

from __future__ import annotations

import re
from functools import lru_cache

# Begins at the telling word itself, so that a long text is read once: a pattern that could begin
# at every letter takes minutes on a megabyte.
_PAIR = re.compile(
    r"(?P<key>(?:secret|password|passwd|token|credential|access[._-]?key|api[._-]?key)"
    r"[\w.\-]{0,64}+['\"`]?)"
    r"(?P<sign>\s{0,8}(?:=>|=|:)?\s{0,8})"
    r"(?P<value>'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\")",
    re.IGNORECASE,
)
# Without quotes of its own: in the value of another key, or in the query of an address.
_INSIDE = re.compile(
    r"(?P<key>(?:secret|password|passwd|token|credential|access[._-]?key|api[._-]?key)"
    r"[\w.\-]{0,64}+=)[^\s'\"`&;,()]+",
    re.IGNORECASE,
)
# What people give a catalog as a text may be a secret, whatever the property is called.
_CATALOG = re.compile(r"(?i)\b(?:create|alter)\s{1,8}catalog\b")
_GIVEN = re.compile(r"'(?!(?:env|file):[^']*')(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\"(?!\s{0,8}=)")
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}")
_JWT = re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*")
_URL_LOGIN = re.compile(r"(?i)(?<!\w)(\w{1,32}://[^\s/:@']{1,1000}:)[^\s/@']{1,4000}@")


_SHORT = 4_096  # characters


def redact(text: str) -> str:
    """The text with values that look like secrets turned to stars."""
    return _redact_again(text) if len(text) <= _SHORT else _redact(text)


@lru_cache(maxsize=256)
def _redact_again(text: str) -> str:
    """Each statement is written several times."""
    return _redact(text)


def _redact(text: str) -> str:
    if _CATALOG.search(text):
        text = _GIVEN.sub("'****'", text)
    text = _PAIR.sub(lambda m: f"{m['key']}{m['sign']}'****'", text)
    text = _INSIDE.sub(r"\g<key>****", text)
    text = _BEARER.sub(lambda m: f"{m[1]} ****", text)
    text = _JWT.sub("****", text)
    return _URL_LOGIN.sub(r"\1****@", text)
