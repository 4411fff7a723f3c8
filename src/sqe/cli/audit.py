"""``sqe audit``: whether the audit log is as it was written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sqe.cli.exit_codes import ExitCode
from sqe.cli.invocation import Invocation

if TYPE_CHECKING:
    from sqe.audit.chain import Verdict

_SHOWN = 20  # lines that are named


@click.group("audit")
def command() -> None:
    """Check the audit log."""


@command.command("verify")
@click.argument(
    "path", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--contains", metavar="DIGEST", default="", help="A digest that an earlier check has printed."
)
@click.pass_obj
def verify(invocation: Invocation, /, path: Path | None, contains: str) -> None:
    """Check the chain of digests of a file: that of the home, if none is named. Files with a number
    behind this name, which it goes on after, are checked with it.

    A line that was changed, removed, added or moved breaks it. Keep the digest that is printed
    somewhere else, and show it the next time: that the end was cut off, or the whole file written
    anew, shows by the digest that is not in it any more.

    \b
    sqe audit verify
    sqe audit verify --contains 4f2a…e1
    """
    from sqe.audit.chain import verify_all
    from sqe.server.sinks import AUDIT_FILE

    path = path or invocation.settings().home / AUDIT_FILE
    if not path.exists():
        raise click.UsageError(f"There is no audit log {path}.")
    verdicts = verify_all(path, contains.strip().lower())
    for file, verdict in verdicts:
        _tell_faults(verdict, "" if len(verdicts) == 1 else f"{file.name}, ")
    contained = any(verdict.contains for _, verdict in verdicts)
    if not contained:
        click.echo(f"the digest {contains} is not in the file: it was cut or replaced", err=True)
    if not contained or any(verdict.faults for _, verdict in verdicts):
        raise click.exceptions.Exit(ExitCode.USER_ERROR)
    lines = sum(verdict.lines for _, verdict in verdicts)
    where = "" if len(verdicts) == 1 else f" in {len(verdicts):,} files"
    last = verdicts[-1][1].last
    click.echo(f"{lines:,} lines{where}, as they were written. The last digest: {last}")


def _tell_faults(verdict: Verdict, where: str) -> None:
    for number, why in verdict.faults[:_SHOWN]:
        click.echo(f"{where}line {number}: {why}", err=True)
    if len(verdict.faults) > _SHOWN:
        click.echo(f"{where}and {len(verdict.faults) - _SHOWN:,} more", err=True)
    if verdict.unchained:
        click.echo(f"{where}{verdict.unchained:,} lines are older than the chain", err=True)
