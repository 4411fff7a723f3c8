"""What the keys of one statement may do: less than the user may, and never more."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from sqe.engines.locations.source import ObjectSource
from sqe.errors import ErrorCode, UserError
from sqe.model.object_paths import ObjectPath

_LONGEST = 2048  # characters that STS takes


@dataclass(frozen=True, slots=True)
class Scope:
    """What keys are for. The store gives the user no more than its own policies do, whatever this
    one says."""

    name: str  # for people
    policy: str


def scope_of_reads(source: ObjectSource) -> Scope:
    """To read and list what the source names, and nothing beside it."""
    bucket, prefix = _arn(source.path), source.prefix
    if source.is_pattern or source.is_folder:
        keys = listed = [f"{prefix}*"]
    else:
        keys, listed = [prefix, f"{prefix}/*"], [f"{prefix}/*"]
    return _scope(
        source.path,
        {"Action": "s3:GetObject", "Resource": [f"{bucket}/{key}" for key in keys]},
        {
            "Action": "s3:ListBucket",
            "Resource": bucket,
            "Condition": {"StringLike": {"s3:prefix": listed}},
        },
    )


def scope_of_writes(path: ObjectPath) -> Scope:
    """To write one object, and to look whether it is there."""
    resource = f"{_arn(path)}/{path.key}"
    return _scope(path, {"Action": ["s3:PutObject", "s3:GetObject"], "Resource": resource})


def _scope(path: ObjectPath, *allowed: Mapping[str, object]) -> Scope:
    statements = [{"Effect": "Allow", **action} for action in allowed]
    policy = {"Version": "2012-10-17", "Statement": statements}
    text = json.dumps(policy, separators=(",", ":"), ensure_ascii=False)
    if len(text) > _LONGEST:
        raise UserError(ErrorCode.INVALID_ARGUMENT, f"{path} is too long a name.")
    return Scope(str(path), text)


def _arn(path: ObjectPath) -> str:
    return f"arn:aws:s3:::{path.bucket}"
