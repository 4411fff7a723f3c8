"""Files of this machine, sent to a server as they are, for statements of the session to load."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.flight as flight

from sqe.client.flight.errors import foreign_errors
from sqe.errors import ErrorCode, UserError

if TYPE_CHECKING:
    from sqe.client.flight.transport import FlightTransport

_PIECE = 1024 * 1024


def send_file(transport: FlightTransport, path: str, sent: Callable[[int], None]) -> str:
    """What COPY INTO takes for it. ``sent`` is told how many bytes more have gone."""
    try:
        with open(path, "rb") as content, foreign_errors(transport.address):
            state = os.fstat(content.fileno())
            about = {"path": path, "size": state.st_size, "changed": state.st_mtime_ns}
            schema = pa.schema([("piece", pa.binary())], {"sqe.file": json.dumps(about)})
            writer, answers = transport.client.do_put(
                flight.FlightDescriptor.for_path("sqe.files"), schema, transport.options()
            )
            with writer:
                while piece := content.read(_PIECE):
                    batch = pa.record_batch([pa.array([piece], pa.binary())], schema=schema)
                    writer.write_batch(batch)
                    sent(len(piece))
                writer.done_writing()
                answer = answers.read()
    except OSError as error:
        raise UserError(
            ErrorCode.INVALID_FILE, f"{path} cannot be read: {error.strerror}."
        ) from error
    return f"upload://{answer.to_pybytes().decode()}" if answer is not None else ""
