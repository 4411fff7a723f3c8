"""``sqe catalog``: whether a catalog of the settings does what it is needed for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sqe.cli.exit_codes import ExitCode, exit_code_of
from sqe.cli.invocation import Invocation
from sqe.errors import check_engine

if TYPE_CHECKING:
    from sqe.server.catalog_check import CatalogTrial, CheckedStep

_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


@click.group("catalog")
def command() -> None:
    """Try the catalogs of the settings."""


@command.command("test")
@click.argument("name")
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with your token of the identity provider, for catalogs that are shown it.",
)
@click.option("--table", metavar="SCHEMA.TABLE", help="Try this table, not the first with rows.")
@click.option("--write", is_flag=True, help="Also make a table in --schema, and drop it.")
@click.option("--schema", help="Where --write makes its table.")
@click.option("--json", "as_json", is_flag=True, help="For programs: a JSON array of steps.")
@click.pass_obj
def test(
    invocation: Invocation,
    /,
    name: str,
    as_json: bool,
    **wanted: Any,
) -> None:
    """Try every step of using a catalog as you, and say which fails, why, and what to do.

    The steps: reach the catalog, log in, list schemas, load a table, take the keys to its files,
    read one byte of one; with --write, create a table and drop it. The catalog NAME is one of the
    settings of this home; policies of SQE are not asked. On a server, SHOW CATALOGS EXTENDED says
    whether its catalogs answer you.

    \b
    sqe catalog test lake
    sqe catalog test polaris --token-file token.txt --write --schema scratch

    Exit code 0 if no step failed, else the one of the first that did.
    """
    check_engine("sqe catalog test")
    from sqe.server.catalog_check import try_catalog

    trial = _trial(name, **wanted)
    steps = []
    for step in try_catalog(invocation.settings_in_home(), trial):
        steps.append(step)
        if not as_json:
            _show(step)
    if as_json:
        click.echo(json.dumps([_document(step) for step in steps], indent=2, ensure_ascii=False))
    failed = [step for step in steps if step.state == "fail"]
    if failed:
        error = failed[0].error
        raise click.exceptions.Exit(exit_code_of(error) if error else ExitCode.UPSTREAM)


def _trial(
    name: str, token_file: Path | None, table: str | None, write: bool, schema: str | None
) -> CatalogTrial:
    from sqe.client.embedded import current_user
    from sqe.model.identity import Secret
    from sqe.server.catalog_check import CatalogTrial

    if write != (schema is not None):
        raise click.UsageError("--write and --schema belong together.")
    token = None
    if token_file is not None:
        token = Secret(token_file.read_text(encoding="utf-8").strip())
    return CatalogTrial(
        name, current_user(), token, _parts(table, "--table", 2), _parts(schema, "--schema", 1)
    )


def _parts(name: str | None, option: str, least: int) -> tuple[str, ...] | None:
    """Of a dotted name. A part that has a dot in it cannot be written here."""
    if name is None:
        return None
    parts = tuple(name.split("."))
    if not all(parts) or len(parts) < least:
        form = "SCHEMA.TABLE" if least > 1 else "SCHEMA"
        raise click.UsageError(f"{option} takes {form}, without the catalog's name.")
    return parts


def _document(step: CheckedStep) -> dict[str, Any]:
    code = step.error.code.name if step.error is not None else None
    return {
        "step": step.name,
        "state": step.state,
        "text": step.text,
        "todo": step.todo,
        "code": code,
    }


def _show(step: CheckedStep) -> None:
    from sqe.cli.screen import escape_controls

    mark = click.style(f"{step.state:4}", fg=_COLOURS[step.state])
    click.echo(f"{mark}  {step.name:9} {escape_controls(step.text)}")
    if step.todo:
        click.echo(f"{'':16}-> {escape_controls(step.todo)}")
