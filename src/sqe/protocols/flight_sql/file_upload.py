"""Files of a client as they are, for statements of its session to load.

A DoPut to the path ``sqe.files``: the schema's metadata says which file it is, each batch brings
the next piece of it, and the answer is the name that COPY INTO … FROM 'upload://name' takes.
"""

from __future__ import annotations

import json
import os

import pyarrow as pa

from sqe.errors import ErrorCode, UserError
from sqe.gateway.uploads import ClientFile, Upload, Uploads, no_room
from sqe.protocols.flight_sql.reading import Put

PATH = [b"sqe.files"]
_ABOUT = b"sqe.file"
_CHECK_EVERY = 64 * 1024 * 1024


def receive_file(uploads: Uploads, session_id: str, put: Put) -> str:
    """The name of our copy."""
    file, size = _read_announcement(put.schema)
    with uploads.keep(session_id, file) as upload:
        written = _write(upload, put)
        if written != size:
            raise UserError(
                ErrorCode.INVALID_FILE,
                f"{file.path} has {size:,} bytes, and {written:,} came.",
                hint="Was it changed while it was sent? Send it again.",
            )
    return upload.path.name


def _read_announcement(schema: pa.Schema) -> tuple[ClientFile, int]:
    try:
        told = json.loads((schema.metadata or {})[_ABOUT])
        file = ClientFile(str(told["path"]), int(told["changed"]))
        if schema.types == [pa.binary()]:
            return file, int(told["size"])
    except (KeyError, ValueError, TypeError):
        pass
    raise UserError(ErrorCode.INVALID_ARGUMENT, "What the client sent is not a file.")


def _write(upload: Upload, put: Put) -> int:
    written = unchecked = 0
    try:
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
        with os.fdopen(os.open(upload.path, flags, 0o600), "wb") as copy:
            for batch in put.batches():
                for piece in batch.column(0):
                    content = piece.as_buffer()
                    if content is not None:
                        copy.write(content)
                        written += content.size
                        unchecked += content.size
                if unchecked > _CHECK_EVERY:
                    copy.flush()
                    upload.check()
                    unchecked = 0
            copy.flush()
            upload.check()
    except OSError as error:
        raise no_room(error) from error
    return written
