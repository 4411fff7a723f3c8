"""Keeps secrets that people type into SQL out of logs and records."""

from __future__ import annotations

import re

_KEY = r"[\w.\-]*(?:secret|password|passwd|token|credential|access[._-]?key|api[._-]?key)[\w.\-]*"
_PAIR = re.compile(
    rf"(?P<key>(?P<q>['\"`]?){_KEY}(?P=q))(?P<sign>\s*(?:=>|=|:|\s)\s*)(?P<value>'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\")",
    re.IGNORECASE,
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}")
_JWT = re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*")
_URL_LOGIN = re.compile(r"(?i)(\w+://[^\s/:@']+:)[^\s/@']+@")


def redact(text: str) -> str:
    """The text with values that look like secrets turned to stars."""
    text = _PAIR.sub(lambda m: f"{m['key']}{m['sign']}'****'", text)
    text = _BEARER.sub(lambda m: f"{m[1]} ****", text)
    text = _JWT.sub("****", text)
    return _URL_LOGIN.sub(r"\1****@", text)
