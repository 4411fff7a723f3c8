"""``sqe doctor``: what is installed, found and reachable, and what to do."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from sqe.cli.exit_codes import ExitCode
from sqe.cli.invocation import Invocation
from sqe.errors import SqeError, check_engine
from sqe.model.query import QueryRequest

if TYPE_CHECKING:
    from sqe.cli.checks import Check


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="For programs: a JSON array of checks.")
@click.option("--spark", is_flag=True, help="Also start Spark and run a query on it.")
@click.pass_obj
def command(invocation: Invocation, as_json: bool, spark: bool) -> None:
    """Check what SQE needs, and say what to do where something is missing.

    Exit code 0 if nothing failed (warnings do not count), else 5.
    """
    check_engine("sqe doctor")
    checks = []
    for check in _checks(invocation, spark):
        checks.append(check)
        if not as_json:
            _show(check)
    if as_json:
        click.echo(json.dumps([asdict(check) for check in checks], indent=2))
    if any(check.state == "fail" for check in checks):
        raise click.exceptions.Exit(ExitCode.UPSTREAM)


def _checks(invocation: Invocation, spark: bool) -> Iterator[Check]:
    from sqe.cli.checks import Check, all_checks

    try:
        settings = invocation.settings()
    except SqeError as error:
        yield Check("settings", "fail", error.message, error.hint)
        return
    yield from all_checks(settings)
    if spark:
        yield _spark(invocation)


def _spark(invocation: Invocation) -> Check:
    from sqe.cli.checks import Check

    started = time.monotonic()
    try:
        with invocation.session() as (gateway, session):
            gateway.fetch(
                gateway.submit(QueryRequest(session.id, "SET SESSION sqe.engine = spark", "doctor"))
            ).close()
            with gateway.fetch(
                gateway.submit(QueryRequest(session.id, "SELECT 1", "doctor"))
            ) as result:
                rows = sum(batch.num_rows for batch in result)
    except SqeError as error:
        return Check("spark", "fail", error.message, error.hint or "See the home's logs.")
    seconds = time.monotonic() - started
    return Check("spark", "ok", f"started and gave {rows} row in {seconds:.1f} s")


_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


def _show(check: Check) -> None:
    mark = click.style(f"{check.state:4}", fg=_COLOURS[check.state])
    click.echo(f"{mark}  {check.name:9} {check.found}")
    if check.todo:
        click.echo(f"{'':16}-> {check.todo}")
