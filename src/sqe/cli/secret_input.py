"""Secrets typed or piped in, never as an argument, which other users and the history could see; and
secrets written down."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

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


def write_secret(path: Path, secret: Secret) -> None:
    """To a new file that only its owner can read."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"{path} cannot be made: {error.strerror}.",
            hint="Name a file that does not exist yet.",
        ) from error
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(secret.reveal() + "\n")
