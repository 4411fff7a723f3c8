"""A warehouse in S3, reached with keys that are given, never with those of the environment."""

from __future__ import annotations

import contextlib
import uuid
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sqe.errors import ErrorCode, UpstreamError
from sqe.model.identity import Secret

if TYPE_CHECKING:
    from pyarrow.fs import S3FileSystem
    from pyiceberg.io import FileIO

_SCHEMES = ("s3://", "s3a://", "s3n://")


@dataclass(frozen=True, slots=True)
class S3Keys:
    access_key: str
    secret_key: Secret


def s3_path(location: str) -> str | None:
    """``bucket/key`` of a location, or None where it is not in S3 or not clearly one object."""
    for scheme in _SCHEMES:
        if location.startswith(scheme):
            path = location[len(scheme) :].rstrip("/")
            parts = path.split("/")
            plain = all(part and part not in (".", "..") for part in parts)
            return path if plain and "\0" not in path else None
    return None


class Bucket:
    """The part of a bucket below a location, as ``s3://bucket/lake``."""

    def __init__(
        self, root: str, keys: S3Keys, *, endpoint: str, region: str = "us-east-1"
    ) -> None:
        path = s3_path(root)
        if path is None:
            raise ValueError("the location of a warehouse in S3 begins with s3://bucket")
        self._path = path
        self._keys = keys
        self._endpoint = endpoint
        self._region = region

    @property
    def root(self) -> str:
        return f"s3://{self._path}"

    def holds(self, location: str) -> bool:
        path = s3_path(location)
        return path is not None and path.startswith(self._path + "/")

    def reserve(self, location: str) -> str:
        """S3 has no folders that only one of two can make, so the name is made unique."""
        return f"{location}-{uuid.uuid4().hex[:8]}"

    def release(self, location: str) -> None:
        """Nothing was made."""

    def reads(self, location: str) -> bool:
        """Not the whole of S3: these keys may open what is other people's."""
        return self.holds(location)

    def read(self, location: str) -> bytes:
        """STORAGE_UNAVAILABLE unless the storage says that there is no such file."""
        try:
            with self._files.open_input_file(_path(location)) as file:
                content: bytes = file.read()
        except FileNotFoundError:
            raise
        except OSError:
            raise UpstreamError(
                ErrorCode.STORAGE_UNAVAILABLE,
                f"The storage did not give the file {location}.",
                hint="Check that the warehouse's endpoint answers and its keys are good.",
            ) from None
        return content

    def write(self, location: str, content: bytes) -> None:
        """One PUT: S3 shows all of an object or nothing, and answers when it is durable."""
        with self._files.open_output_stream(_path(location)) as stream:
            stream.write(content)

    def exists(self, location: str) -> bool:
        from pyarrow.fs import FileType

        path = s3_path(location)
        return path is not None and self._files.get_file_info(path).type is FileType.File

    def remove(self, location: str) -> None:
        self._files.delete_file(_path(location))

    def remove_folder(self, location: str) -> None:
        if self.holds(location):
            with contextlib.suppress(OSError):
                self._files.delete_dir_contents(_path(location), missing_dir_ok=True)
                self.remove_leftovers(location)

    def remove_leftovers(self, location: str) -> None:
        """The empty object by which pyarrow keeps a folder that it has taken files from."""
        if self.holds(location):
            with contextlib.suppress(OSError):
                self._files.delete_dir(_path(location))

    def io(self) -> FileIO:
        from pyiceberg.io.pyarrow import PyArrowFileIO

        properties = {
            "s3.access-key-id": self._keys.access_key,
            "s3.secret-access-key": self._keys.secret_key.reveal(),
            "s3.region": self._region,
            "s3.endpoint": self._endpoint,
        }
        return PyArrowFileIO(properties)

    @cached_property
    def _files(self) -> S3FileSystem:
        from pyarrow.fs import S3FileSystem

        parts = urlsplit(self._endpoint)
        return S3FileSystem(
            access_key=self._keys.access_key,
            secret_key=self._keys.secret_key.reveal(),
            region=self._region,
            connect_timeout=5,
            request_timeout=30,
            background_writes=False,
            allow_delayed_open=True,
            scheme=parts.scheme,
            endpoint_override=parts.netloc,
        )


def _path(location: str) -> str:
    path = s3_path(location)
    if path is None:
        raise ValueError(location)
    return path
