"""Secrets typed or piped in: never an argument, which other users and the history could see."""

from __future__ import annotations

import json
import re
import sys

import click

from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Secret

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def read_secret(what: str, *, shortest: int, twice: bool) -> Secret:
    """From a prompt that does not show it, or the first line of stdin."""
    if sys.stdin.isatty():
        text = click.prompt(what, hide_input=True, confirmation_prompt=twice, err=True)
    else:
        text = sys.stdin.readline().rstrip("\r\n")
    if len(text) < shortest:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"A {what.lower()} needs at least {shortest} characters.",
            hint="Type it at the prompt, or pipe it in as one line.",
        )
    return Secret(text)


def user_section(user: str | None) -> str:
    """The header above a user's lines in sqe.toml, where the user is known."""
    if user is None:
        return ""
    name = user if _BARE.fullmatch(user) else json.dumps(user, ensure_ascii=False)
    return f"[auth.users.{name}]\n"
