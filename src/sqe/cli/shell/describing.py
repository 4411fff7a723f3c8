r"""The ``\d`` family: what is in the lakehouse. All of it is spelled as SQL, so that it is answered
as the user, here and on a server."""

from __future__ import annotations

from sqe.cli.shell.meta import Act, Command, Console
from sqe.errors import ErrorCode, UserError


def _sql(alone: str, with_name: str = "") -> Act:
    """Runs one statement without an argument, and another with one."""

    def act(console: Console, argument: str, query: str) -> None:
        if argument and with_name:
            console.runner.show(with_name.format(argument))
        elif alone and not argument:
            console.runner.show(alone)
        else:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT,
                "This command takes no name." if argument else "This command takes a name.",
                hint=r"\? lists the commands.",
            )

    return act


DESCRIBING = (
    Command(
        r"\d",
        "[table]",
        "the columns of a table or view; or what is in this schema",
        _sql("SHOW TABLES", "DESCRIBE TABLE {}"),
        "relation",
    ),
    Command(
        r"\d+",
        "table",
        "columns, partitions, location and properties of a table",
        _sql("", "DESCRIBE TABLE EXTENDED {}"),
        "relation",
    ),
    Command(r"\dt", "[schema]", "tables", _sql("SHOW TABLES", "SHOW TABLES IN {}"), "relation"),
    Command(r"\dv", "[schema]", "views", _sql("SHOW VIEWS", "SHOW VIEWS IN {}"), "relation"),
    Command(
        r"\dm",
        "[schema]",
        "materialized views",
        _sql("SHOW MATERIALIZED VIEWS", "SHOW MATERIALIZED VIEWS IN {}"),
        "relation",
    ),
    Command(r"\dn", "[catalog]", "schemas", _sql("SHOW SCHEMAS", "SHOW SCHEMAS IN {}"), "relation"),
    Command(r"\l", "", "catalogs", _sql("SHOW CATALOGS")),
    Command(
        r"\dp",
        "[table]",
        "grants, all that you may see or those on a table",
        _sql("SHOW GRANTS", "SHOW GRANTS ON TABLE {}"),
        "relation",
    ),
    Command(r"\du", "", "roles", _sql("SHOW ROLES")),
    Command(r"\df", "", "procedures, for CALL", _sql("SHOW PROCEDURES")),
    Command(
        r"\sv",
        "table",
        "the statement that makes a table or view",
        _sql("", "SHOW CREATE TABLE {}"),
        "relation",
    ),
    Command(r"\c", "schema", "work in another schema", _sql("", "USE {}"), "relation"),
)
