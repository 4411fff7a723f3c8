"""``sqe policy``: why somebody may do something, tests of policies, what a change changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sqe.cli.exit_codes import ExitCode
from sqe.cli.invocation import Invocation
from sqe.model.identity import Identity
from sqe.model.rules import Privilege

if TYPE_CHECKING:
    from sqe.server.policy_tools import PolicyTools

_PART = re.compile(r"`((?:[^`]|``)+)`|([^.`]+)")
_PRIVILEGES = [
    one.value
    for one in (
        Privilege.SELECT,
        Privilege.INSERT,
        Privilege.UPDATE,
        Privilege.DELETE,
        Privilege.CREATE,
        Privilege.DROP,
        Privilege.ALTER,
        Privilege.OWN,
        Privilege.SHOW,
    )
]
_as_json = click.option("--json", "as_json", is_flag=True, help="For programs: JSON.")
_RULES = click.Path(exists=True, path_type=Path)


@click.group("policy")
def command() -> None:
    """Explain, test, compare and check the rules of who may do what.

    For administrators: what is read is the home's own database, the files that the settings name,
    and SQE's own catalogs. Nobody logs in.
    """


@command.command("explain")
@click.option("--user", required=True, help="Who asks.")
@click.option("--group", "groups", multiple=True, help="A group they are in; may be repeated.")
@click.option("--role", "roles", multiple=True, help="A role they have; may be repeated.")
@click.option("--claim", "claims", multiple=True, help="A claim, as department=it; repeatable.")
@click.option("--table", required=True, help="The table or view, with its catalog and schema.")
@click.option(
    "--privilege", type=click.Choice(_PRIVILEGES), default="select", show_default=True, help="What."
)
@_as_json
@click.pass_obj
def explain(
    invocation: Invocation, /, table: str, privilege: str, as_json: bool, **who: Any
) -> None:
    """Say what each source of rules decides, and by which rule.

    \b
    sqe policy explain --user ann --group staff --table lake.hr.emp
    sqe policy explain --user ann --table hr.emp --privilege insert --json
    """
    claims = tuple(_claim(text) for text in who["claims"])
    groups, roles = frozenset(who["groups"]), frozenset(who["roles"])
    identity = Identity(who["user"], groups, roles, claims=claims)
    with _desk(invocation) as desk:
        explained = desk.explain(identity, _parts(table), Privilege(privilege))
    if as_json:
        click.echo(json.dumps(explained.json(), ensure_ascii=False))
    else:
        for line in explained.words():
            click.echo(line)


@command.command("test")
@click.argument("files", nargs=-1, required=True, type=_RULES)
@_as_json
@click.pass_obj
def test(invocation: Invocation, /, files: tuple[Path, ...], as_json: bool) -> None:
    """Run the cases of FILES and say which answers are not as expected. Exit code 1 if any is.

    \b
    cases:
      - name: staff see their own department
        user: ann
        groups: [staff]
        claims: {department: it}
        query: SELECT id, ssn FROM hr.emp ORDER BY id
        expect:
          rows: [[2, "***2"], [3, "***3"]]
      - name: nobody else sees anything
        user: zoe
        query: SELECT * FROM hr.emp
        expect: denied
    """
    from sqe.cli.policy_cases import failures, read_cases

    cases = [case for file in files for case in read_cases(file)]
    problems = failures(invocation, cases)
    if as_json:
        reports = [
            {
                "case": policy_case.name,
                "user": policy_case.user,
                "problem": problems.get(policy_case.place),
            }
            for policy_case in cases
        ]
        click.echo(json.dumps(reports, ensure_ascii=False))
    for policy_case in cases if not as_json else ():
        problem = problems.get(policy_case.place)
        mark = click.style("FAIL", fg="red") if problem else click.style("ok  ", fg="green")
        click.echo(f"{mark}  {policy_case.name} ({policy_case.user})")
        for line in (problem or "").splitlines():
            click.echo(f"      {line}")
    if problems:
        click.echo(f"{len(problems)} of {len(cases)} cases failed.", err=True)
        raise click.exceptions.Exit(ExitCode.USER_ERROR)


@command.command("diff")
@click.argument("old", type=_RULES)
@click.argument("new", type=_RULES)
@_as_json
def diff(old: Path, new: Path, as_json: bool) -> None:
    """Say who gains or loses what with the rules NEW in place of OLD.

    Each is a rules.json, a file or folder of Cedar policies (with an entities.json, if there is
    one), or what `sqe policy export` wrote. Compared are the users, groups and roles, and the
    catalogs, schemas and tables that either names; `*` stands for all others.
    """
    from sqe.server.policy_changes import changes

    differences = list(changes(old, new))
    if as_json:
        click.echo(json.dumps([change.json() for change in differences], ensure_ascii=False))
        return
    for change in differences:
        click.echo(str(change))
    if not differences:
        click.echo("No difference was found.", err=True)


@command.command("lint")
@click.argument("rules", required=False, type=_RULES)
@_as_json
@click.pass_obj
def lint(invocation: Invocation, /, rules: Path | None, as_json: bool) -> None:
    """Find rules that do nothing or cannot work. Exit code 1 if there are any.

    Without RULES, those of the settings are checked, also against the tables that there are: rules
    that are never reached, that name what is not there, masks that do not fit their column, filters
    that are no expression, roles that nobody has. With RULES (see `sqe policy diff`), the rules
    alone.
    """
    if rules is not None:
        from sqe.server.policy_files import open_rules

        findings = sorted(open_rules(rules).findings)
    else:
        with _desk(invocation) as desk:
            findings = desk.lint()
    if as_json:
        reports = [
            {"where": finding.where, "kind": finding.kind, "finding": finding.words}
            for finding in findings
        ]
        click.echo(json.dumps(reports, ensure_ascii=False))
    for finding in findings if not as_json else ():
        click.echo(str(finding))
    if findings:
        raise click.exceptions.Exit(ExitCode.USER_ERROR)
    click.echo("Nothing was found.", err=True)


@command.command("export")
@click.pass_obj
def export(invocation: Invocation) -> None:
    """Write the rules made with SQL to stdout, as JSON, for `sqe policy diff`."""
    with _desk(invocation) as desk:
        click.echo(desk.text("sql", "rules"))


@command.command("cedar-schema")
@click.option(
    "--entities", is_flag=True, help="The catalogs, schemas and tables there are instead."
)
@click.pass_obj
def cedar_schema(invocation: Invocation, /, entities: bool) -> None:
    """Write the schema that Cedar policies are checked against, for editors and Cedar's own tools.

    With --entities: what SQE's own catalogs have, as Cedar's entities in JSON.
    """
    with _desk(invocation) as desk:
        text = desk.text("cedar", "entities" if entities else "schema")
        click.echo(text, nl=entities)


@contextmanager
def _desk(invocation: Invocation) -> Iterator[PolicyTools]:
    from sqe.server.policy_tools import PolicyTools

    desk = PolicyTools(invocation.settings())
    try:
        yield desk
    finally:
        desk.close()


def _parts(name: str) -> tuple[str, ...]:
    """Of ``lake.hr.`odd name` ``."""
    parts = [part[1].replace("``", "`") if part[1] else part[2] for part in _PART.finditer(name)]
    if not parts or _PART.sub("", name).strip("."):
        raise click.BadParameter("write catalog.schema.table", param_hint="--table")
    return tuple(parts)


def _claim(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise click.BadParameter("write name=value", param_hint="--claim")
    return name, value
