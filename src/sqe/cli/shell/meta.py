r"""Commands that begin with a backslash. Most are spellings of SQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqe.cli.formats import OutputFormat


@dataclass
class ShellState:
    """What the commands change."""

    output: OutputFormat = OutputFormat.TABLE
    timing: bool = True
    leave: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """A command's answer: words for the person, SQL to run, or both empty."""

    words: str = ""
    sql: str = ""


@dataclass(frozen=True, slots=True)
class MetaCommand:
    usage: str
    meaning: str
    act: Callable[[ShellState, str], Said]


def run_meta(line: str, state: ShellState) -> Said:
    r"""``line`` begins with a backslash."""
    word, _, argument = line.strip().rstrip(";").partition(" ")
    command = COMMANDS.get(word)
    if command is None:
        return Said(words=rf"There is no command {word}; \? lists them.")
    return command.act(state, argument.strip())


def _help(state: ShellState, argument: str) -> Said:
    rows = [(command.usage, command.meaning) for command in COMMANDS.values()]
    rows.append(("Ctrl-C", "cancel the running query, or forget what was typed"))
    rows.append(("Ctrl-D", "leave"))
    return Said(words="\n".join(f"  {usage:22} {meaning}" for usage, meaning in rows))


def _quit(state: ShellState, argument: str) -> Said:
    state.leave = True
    return Said()


def _describe(state: ShellState, argument: str) -> Said:
    return Said(sql=f"DESCRIBE TABLE {argument}" if argument else "SHOW TABLES")


def _tables(state: ShellState, argument: str) -> Said:
    return Said(sql=f"SHOW TABLES IN {argument}" if argument else "SHOW TABLES")


def _schemas(state: ShellState, argument: str) -> Said:
    return Said(sql=f"SHOW SCHEMAS IN {argument}" if argument else "SHOW SCHEMAS")


def _use(state: ShellState, argument: str) -> Said:
    return Said(sql=f"USE {argument}") if argument else Said(words=r"Say where: \c lake.demo")


def _vertical(state: ShellState, argument: str) -> Said:
    vertical = state.output is not OutputFormat.VERTICAL
    state.output = OutputFormat.VERTICAL if vertical else OutputFormat.TABLE
    return Said(words=f"Rows are shown {'vertically' if vertical else 'as a table'}.")


def _output(state: ShellState, argument: str) -> Said:
    names = [output.value for output in OutputFormat if not output.binary]
    if argument not in names:
        return Said(words=f"The formats are {', '.join(names)}; now: {state.output.value}.")
    state.output = OutputFormat(argument)
    return Said(words=f"Rows are shown as {argument}.")


def _timing(state: ShellState, argument: str) -> Said:
    state.timing = not state.timing
    return Said(words=f"Rows and time are {'shown' if state.timing else 'not shown'}.")


def _explain(state: ShellState, argument: str) -> Said:
    return (
        Said(sql=f"EXPLAIN {argument}") if argument else Said(words=r"Say what: \explain SELECT …")
    )


COMMANDS = {
    r"\?": MetaCommand(r"\?", "this list", _help),
    r"\q": MetaCommand(r"\q", "leave", _quit),
    r"\d": MetaCommand(r"\d [table]", "the columns of a table, or the tables here", _describe),
    r"\dt": MetaCommand(r"\dt [schema]", "the tables of a schema", _tables),
    r"\dn": MetaCommand(r"\dn [catalog]", "the schemas of a catalog", _schemas),
    r"\c": MetaCommand(r"\c catalog.schema", "work in another schema", _use),
    r"\x": MetaCommand(r"\x", "one column per line, or back to tables", _vertical),
    r"\o": MetaCommand(r"\o [format]", "table, csv, json, jsonl or vertical", _output),
    r"\timing": MetaCommand(r"\timing", "show rows and time, or stop doing so", _timing),
    r"\explain": MetaCommand(r"\explain query", "how a query would run", _explain),
}
