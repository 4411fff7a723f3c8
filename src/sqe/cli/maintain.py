"""``sqe maintain``: which tables need upkeep and why; does it, and says what was done."""

from __future__ import annotations

import dataclasses
import datetime
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from sqe.cli.exit_codes import exit_code_of
from sqe.cli.invocation import Invocation
from sqe.cli.remote import Remote, server_options

if TYPE_CHECKING:
    from sqe.cli.maintainer import Maintainer, Step, TableReport
    from sqe.maintenance.needs import TableState, Thresholds
    from sqe.settings import MaintenanceSettings


@click.command("maintain")
@click.argument("names", nargs=-1)
@click.option("--dry-run", is_flag=True, help="Only say what is needed; change nothing.")
@click.option("--json", "as_json", is_flag=True, help="For programs: one JSON object per table.")
@click.option("--orphans", is_flag=True, help="Also remove files that no snapshot knows.")
@click.option("--small-files", type=click.IntRange(2), help="Rewrite so many small files.")
@click.option("--delete-ratio", type=float, help="Rewrite when so many rows are deleted, e.g. 0.1.")
@click.option("--delete-files", type=click.IntRange(1), help="Rewrite so many delete files.")
@click.option("--manifests", type=click.IntRange(1), help="Rewrite when so many are too many.")
@click.option("--snapshot-age", type=float, help="Expire snapshots older than so many days.")
@server_options
@click.pass_obj
def command(
    invocation: Invocation,
    /,
    names: tuple[str, ...],
    remote: Remote | None,
    **given: Any,
) -> None:
    """Look at tables, say what they need and why, and do it.

    NAMES are tables or schemas; without any, all tables of the catalog. What is left unsaid comes
    from [maintenance] in the settings. Tables that need nothing are left alone.
    """
    from sqe.cli.maintainer import Maintainer

    thresholds = _thresholds(invocation.settings().maintenance, given)
    failed = None
    with invocation.transport("sqe-maintain", remote=remote) as transport:
        caretaker = Maintainer(transport, thresholds)
        for table in list(caretaker.tables(names)):
            upkeep = _attend(caretaker, table, given["dry_run"], given["as_json"])
            failed = failed or next(iter(upkeep.errors), None)
    if failed is not None:
        raise click.exceptions.Exit(exit_code_of(failed))


def _thresholds(settings: MaintenanceSettings, given: dict[str, Any]) -> Thresholds:
    from sqe.maintenance.needs import Thresholds

    def choose(option: str, setting: Any) -> Any:
        return setting if given[option] is None else given[option]

    return Thresholds(
        small_files=choose("small_files", settings.small_files),
        delete_ratio=choose("delete_ratio", settings.delete_ratio),
        delete_files=choose("delete_files", settings.delete_files),
        manifests=choose("manifests", settings.manifests),
        snapshot_age=datetime.timedelta(days=choose("snapshot_age", settings.snapshot_age_days)),
        orphans=given["orphans"],
    )


def _attend(caretaker: Maintainer, table: str, dry_run: bool, as_json: bool) -> TableReport:
    """One table from the first look to the last word."""
    upkeep = caretaker.look(table)
    if not as_json:
        click.echo(_headline(upkeep))
    if dry_run:
        for step in upkeep.steps:
            if not as_json:
                click.echo(_plan(step))
    else:
        done: Step | None = None
        for number, step in enumerate(caretaker.work(upkeep), start=1):
            _tell(done, as_json)
            of = f"{number}/{len(upkeep.steps)}"
            click.echo(f"  {of} {step.need.procedure}: {step.need.reason}", err=as_json)
            done = step
        _tell(done, as_json)
    if as_json:
        click.echo(json.dumps(_document(upkeep), ensure_ascii=False, default=str))
    elif upkeep.after is not None and upkeep.before is not None:
        click.echo(f"  now {_words(upkeep.after)}")
    return upkeep


def _headline(upkeep: TableReport) -> str:
    if upkeep.before is None:
        return f"{upkeep.table}: {upkeep.error}"
    need = "" if upkeep.steps else "; needs nothing"
    return f"{upkeep.table}: {_words(upkeep.before)}{need}"


def _words(state: TableState) -> str:
    from sqe.model.sizes import size_words

    parts = [_count(state.data_files, "data file"), size_words(state.data_bytes)]
    if state.delete_files:
        parts.append(_count(state.delete_files, "delete file"))
    parts += [_count(state.manifests, "manifest"), _count(state.snapshots, "snapshot")]
    return ", ".join(parts)


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _plan(step: Step) -> str:
    return f"  {step.need.procedure}: {step.need.reason}\n    {step.sql}"


def _tell(step: Step | None, as_json: bool) -> None:
    """What came of a step that is over."""
    if step is None:
        return
    if step.error is not None:
        click.echo(f"      failed: {step.error}", err=True)
        return
    click.echo(f"      {_outcome(step.result or [])}", err=as_json)


def _outcome(rows: Sequence[dict[str, Any]]) -> str:
    """The counts a procedure gives, those that are not zero; or how many rows it gave."""
    if len(rows) == 1 and all(isinstance(value, int) for value in rows[0].values()):
        counts = [
            f"{value:,} {name.removesuffix('_count').replace('_', ' ')}"
            for name, value in rows[0].items()
            if value
        ]
        return ", ".join(counts) or "nothing to do"
    return f"{_count(len(rows), 'file')} removed"


def _document(upkeep: TableReport) -> dict[str, Any]:
    def state(found: TableState | None) -> dict[str, Any] | None:
        return None if found is None else dataclasses.asdict(found)

    return {
        "table": upkeep.table,
        "before": state(upkeep.before),
        "needs": [
            {
                "procedure": step.need.procedure,
                "reason": step.need.reason,
                "sql": step.sql,
                "result": step.result,
                "error": None if step.error is None else str(step.error),
            }
            for step in upkeep.steps
        ],
        "after": state(upkeep.after),
        "error": None if upkeep.error is None else str(upkeep.error),
    }
