"""What temporary keys may do: less than their owner may, and never more."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqe.errors import ErrorCode, UserError
from sqe.model.object_paths import ObjectPath

_LONGEST = 2048  # characters that STS takes
_OBJECTS = [
    "s3:GetObject",
    "s3:PutObject",
    "s3:DeleteObject",
    "s3:AbortMultipartUpload",
    "s3:ListMultipartUploadParts",
]


@dataclass(frozen=True, slots=True)
class Scope:
    """What keys are for. The store gives the user no more than its own policies do, whatever this
    one says."""

    name: str  # for people
    policy: str


def scope_of(name: str, *allowed: Mapping[str, object]) -> Scope:
    statements = [{"Effect": "Allow", **action} for action in allowed]
    policy = {"Version": "2012-10-17", "Statement": statements}
    text = json.dumps(policy, separators=(",", ":"), ensure_ascii=False)
    if len(text) > _LONGEST:
        raise UserError(ErrorCode.INVALID_ARGUMENT, f"{name} is too long a name.")
    return Scope(name, text)


def scope_of_folders(folders: Iterable[ObjectPath]) -> Scope:
    """To read, list and change what is in the folders, and nothing beside them."""
    places = sorted({folder.folder for folder in folders}, key=str)
    allowed: list[Mapping[str, object]] = [
        {"Action": _OBJECTS, "Resource": [f"{arn_of(one)}/{one.key}*" for one in places]}
    ]
    for bucket in sorted({arn_of(one) for one in places}):
        prefixes = [f"{one.key}*" for one in places if arn_of(one) == bucket]
        listed = {"StringLike": {"s3:prefix": prefixes}}
        allowed.append({"Action": "s3:ListBucket", "Resource": bucket, "Condition": listed})
    return scope_of(", ".join(map(str, places)), *allowed)


def arn_of(path: ObjectPath) -> str:
    return f"arn:aws:s3:::{path.bucket}"
