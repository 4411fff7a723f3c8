"""Whether catalogs answer a user: one cheap call to each, all at once, and no long wait."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextvars import copy_context
from threading import Thread

from sqe.catalog.protocol import Catalog
from sqe.errors import ErrorCode, SqeError

_log = logging.getLogger(__name__)
_PATIENCE_S = 5.0
# No catalog has it, so that there is no long answer, and none that was kept from before.
_NO_SCHEMA = ("sqe_probe",)


def states_of(
    names: Sequence[str], open_catalog: Callable[[str], Catalog], seconds: float = _PATIENCE_S
) -> dict[str, str]:
    """By name: "reachable", or why not. A catalog that does not answer in time is not waited for;
    its own time limit ends the call."""
    states: dict[str, str] = {}

    def look(name: str) -> None:
        states[name] = _state(name, open_catalog)

    threads = [
        Thread(target=copy_context().run, args=(look, name), name=f"state-{name}", daemon=True)
        for name in names
    ]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(deadline - time.monotonic(), 0.0))
    late = f"It did not answer within {seconds:g} seconds."
    return {name: states.get(name, late) for name in names}


def _state(name: str, open_catalog: Callable[[str], Catalog]) -> str:
    try:
        open_catalog(name).list_namespaces(_NO_SCHEMA)
    except SqeError as error:
        return "reachable" if error.code is ErrorCode.SCHEMA_NOT_FOUND else error.message
    except Exception as error:  # noqa: BLE001  the state of the others is told all the same
        _log.error("catalog %s cannot be asked: %s", name, type(error).__name__)
        return f"A defect in SQE ({type(error).__name__})."
    return "reachable"
