"""COPY (query) TO 'place': the rows of an ordinary, guarded query, written as they come."""

from __future__ import annotations

from sqe.coordinator.unload_places import UnloadPlaces
from sqe.engines.fallback import Engines, run_with_fallback
from sqe.engines.protocol import Run
from sqe.engines.router import Router
from sqe.errors import ErrorCode, InternalError
from sqe.model.query import Column
from sqe.results.stream import ResultStream, result_of_rows
from sqe.rewrite.guarded import GuardedStatement, inner_statement
from sqe.sql.unload import Unload

UNLOAD_COLUMNS = (
    Column("rows", "bigint"),
    Column("files", "bigint"),
    Column("bytes", "bigint"),
)


def unload(
    guarded: GuardedStatement, run: Run, engines: Engines, router: Router, places: UnloadPlaces
) -> ResultStream:
    """Whatever goes wrong, or stops it, leaves no file behind."""
    # Imported here: few statements write files.
    from sqe.coordinator.unload_files import writer_of

    command = guarded.bound.statement.command
    if not isinstance(command, Unload):
        raise InternalError(ErrorCode.INTERNAL_ERROR, "COPY TO without a place.")
    inner, rows = inner_statement(guarded), 0
    with places.new_file(command.place, run, overwrite=command.overwrite) as file:
        routed = router.route(inner, run.session)
        with run_with_fallback(
            routed, engines, run, lambda prepared, run: prepared.run(run)
        ) as result:
            writer = writer_of(command, result, file)
            for batch in result:
                run.cancellation.check()
                writer.write(batch)
                rows += batch.num_rows
        writer.close()
        run.cancellation.check()
        file.flush()
        size = file.tell()
    return result_of_rows(UNLOAD_COLUMNS, [(rows, 1, size)])
