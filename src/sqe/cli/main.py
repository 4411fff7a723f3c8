"""The command group. Imports click and nothing heavy: ``sqe --help`` must answer at once."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from pathlib import Path
from typing import Any

import click

from sqe import __version__
from sqe.cli.exit_codes import ExitCode, exit_code_of
from sqe.cli.invocation import Invocation
from sqe.errors import SqeError, check_engine, disk_full, is_disk_full

# name -> (module that has it as ``command``, the line in `sqe --help`)
COMMANDS = {
    "sql": ("sqe.cli.sql", "Run SQL from the command line, a file or stdin."),
    "load": ("sqe.cli.load", "Load files into a table."),
    "shell": ("sqe.cli.shell.command", "Type SQL and see answers."),
    "why": ("sqe.cli.why", "Say which engine would run a statement, and why."),
    "queries": ("sqe.cli.queries", "List, show and end queries, running and past."),
    "top": ("sqe.cli.top", "Watch what runs."),
    "maintain": ("sqe.cli.maintain", "Find the tables that need upkeep, and do it."),
    "backup": ("sqe.cli.backup", "Copy a home while it is in use."),
    "restore": ("sqe.cli.restore", "Make a home of such a copy, or check the copy."),
    "serve": ("sqe.cli.serve", "Run the gateway until it is stopped."),
    "console": ("sqe.cli.console", "Run the page where people ask, look and understand."),
    "password": ("sqe.cli.password", "Make the line of sqe.toml for a user's password."),
    "token": ("sqe.cli.token", "Make a token for a user, and its line of sqe.toml."),
    "policy": ("sqe.cli.policy", "Explain, test, compare and check who may do what."),
    "audit": ("sqe.cli.audit", "Check that nobody has changed the audit log."),
    "apikey": ("sqe.cli.apikey", "Make, list and revoke keys for programs."),
    "login": ("sqe.cli.login", "Log in to a server through its identity provider."),
    "logout": ("sqe.cli.logout", "End such a login."),
    "whoami": ("sqe.cli.whoami", "Say who you are on a server."),
    "demo": ("sqe.cli.demo.command", "Make a small lakehouse and take a tour of it."),
    "catalog": ("sqe.cli.catalog", "Try a catalog step by step, and say what is wrong with it."),
    "config": ("sqe.cli.config", "Say whether a server would start with the settings."),
    "doctor": ("sqe.cli.doctor", "Say what is installed, found and reachable, and what to do."),
}

_PARAMETERS = "sqe.cli.parameters"  # of the subcommand, in click's own notes


class LazyGroup(click.Group):
    """Imports a subcommand when it is called, and turns every error into words and a code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)  # noqa: S101 - tells mypy
        ctx.meta[_PARAMETERS] = [parameter.name for parameter in command.params]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return self._invoke_with_engine(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            ctx.exit(ExitCode.CANCELLED)
        except SqeError as error:
            from sqe.cli.errors import render_error

            click.echo(render_error(error), err=True)
            ctx.exit(exit_code_of(error))
        except BrokenPipeError:
            # Whoever read our output has seen enough (`sqe sql … | head`). Python would complain
            # once more when it flushes stdout at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(ExitCode.OK)
        except Exception as error:  # noqa: BLE001 - the last line of defence: no traceback
            from sqe.cli.errors import render_error, report_defect

            known: SqeError = (
                disk_full("the output")
                if is_disk_full(error)
                else report_defect(error, ctx.find_object(Invocation))
            )
            click.echo(render_error(known), err=True)
            ctx.exit(exit_code_of(known))

    def _invoke_with_engine(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError:
            name = f"sqe {ctx.invoked_subcommand}"
            if "server" in ctx.meta.get(_PARAMETERS, ()):
                check_engine(f"{name} without --server", "Give --server, or run")
            check_engine(name)
            raise


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the lakehouse, logs and caches  [env: SQE_HOME]",
)
@click.option(
    "--config",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Settings file (TOML)  [env: SQE_CONFIG]",
)
@click.version_option(
    __version__, "-v", "--version", prog_name="sqe", message="%(prog)s %(version)s"
)
@click.pass_context
def cli(ctx: click.Context, home: Path | None, config: Path | None) -> None:
    """SQE: SQL over an Iceberg lakehouse, every query as the person who sent it."""
    invocation = ctx.find_object(Invocation) or Invocation()
    ctx.obj = invocation.at(home, config)


def main() -> None:
    # Imports make thousands of objects that stay; nothing is gained by looking through them.
    gc.disable()
    cli(prog_name="sqe")


if __name__ == "__main__":
    main()
