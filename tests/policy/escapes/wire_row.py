"""One trick over the wire. ``{s}`` is the schema, as in ``row``; ``{files}`` is where the table's
files lie, ``{loadable}`` a folder that COPY may read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.policy.escapes.clients import Wires

FLIGHT, HTTP = "Flight SQL", "Trino's protocol"


@dataclass(frozen=True)
class WireEscape:
    """``must``: SAME, QUIET, or the code of the refusal, as in ``Escape``. ``act`` is done in the
    schema it is given, and answers whatever the user was told."""

    shown: str
    tries: str
    must: str
    over: str
    act: Callable[[Wires, str], object]


def played(
    must: str, tries: str, over: str, *moves: tuple[str, Callable[[Wires, str], object]]
) -> list[WireEscape]:
    return [WireEscape(shown, tries, must, over, act) for shown, act in moves]


def asked(must: str, tries: str, *texts: str | tuple[str, Sequence[Any]]) -> list[WireEscape]:
    """Statements over Flight SQL, with values for their markers."""
    found = []
    for one in texts:
        text, values = (one, None) if isinstance(one, str) else one
        shown = text if values is None else f"{text} -- with {', '.join(map(repr, values))}"
        found.append((shown, _asking(text, values)))
    return played(must, tries, FLIGHT, *found)


def prepared(must: str, tries: str, *texts: str) -> list[WireEscape]:
    """Statements that are prepared over Flight SQL, and not run."""
    moves = [(f"CreatePreparedStatement: {text}", _preparing(text)) for text in texts]
    return played(must, tries, FLIGHT, *moves)


def sent(must: str, tries: str, *texts: str, **headers: str) -> list[WireEscape]:
    """Statements of Trino's protocol, with headers of the client's choice."""
    said = "".join(f"{name.replace('_', '-')}: {value} | " for name, value in headers.items())
    return played(must, tries, HTTP, *[(said + text, _sending(text, headers)) for text in texts])


def _asking(text: str, values: Sequence[Any] | None) -> Callable[[Wires, str], object]:
    return lambda wires, schema: wires.eve.ask(wires.placed(text, schema), values)


def _preparing(text: str) -> Callable[[Wires, str], object]:
    return lambda wires, schema: wires.eve.prepared(wires.placed(text, schema))


def _sending(text: str, headers: dict[str, str]) -> Callable[[Wires, str], object]:
    def send(wires: Wires, schema: str) -> object:
        given = {name: wires.placed(value, schema) for name, value in headers.items()}
        return wires.eve_trino.ask(wires.placed(text, schema), **given)

    return send
