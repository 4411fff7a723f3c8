"""``sqe why``: which engine would run a statement, for what reason, and what would change it."""

from __future__ import annotations

import json

import click

from sqe.cli.exit_codes import exit_code_of
from sqe.cli.invocation import Invocation
from sqe.errors import SqeError
from sqe.model.query import NOT_SHOWN, QueryRequest, Route


@click.command("why")
@click.argument("text")
@click.option("--json", "as_json", is_flag=True, help="For programs: one JSON object.")
@click.pass_obj
def command(invocation: Invocation, text: str, as_json: bool) -> None:
    """Say which engine would run TEXT and why. Nothing is run.

    Exit code 0 whatever the engine; the codes of `sqe sql` where the statement has an error.
    """
    from sqe.cli.errors import render_error
    from sqe.cli.statements import split

    statements = list(split(text))
    if len(statements) != 1:
        raise click.UsageError("Give one statement.")
    with invocation.session() as (gateway, session):
        try:
            route = gateway.route(QueryRequest(session.id, statements[0].text, source="sqe-why"))
        except SqeError as error:
            click.echo(render_error(error, statements[0]), err=True)
            raise click.exceptions.Exit(exit_code_of(error)) from error
    click.echo(_json(route) if as_json else _words(route))


def _words(route: Route) -> str:
    if route.hidden:
        return f"engine:  not shown\nreason:  {NOT_SHOWN}"
    lines = [f"engine:  {route.engine.value}", f"reason:  {route.reason}"]
    if route.remedy:
        lines.append(f"change:  {route.remedy}")
    return "\n".join(lines)


def _json(route: Route) -> str:
    if route.hidden:
        return json.dumps({"engine": None, "reason": NOT_SHOWN, "change": ""})
    document = {"engine": route.engine.value, "reason": route.reason, "change": route.remedy}
    return json.dumps(document, ensure_ascii=False)
