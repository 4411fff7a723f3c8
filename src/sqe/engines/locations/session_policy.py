"""What the keys of one COPY may do."""

from __future__ import annotations

from sqe.catalog.storage.session_policy import Scope, arn_of, scope_of
from sqe.engines.locations.source import ObjectSource
from sqe.model.object_paths import ObjectPath


def scope_of_reads(source: ObjectSource) -> Scope:
    """To read and list what the source names, and nothing beside it."""
    bucket, prefix = arn_of(source.path), source.prefix
    if source.is_pattern or source.is_folder:
        keys = listed = [f"{prefix}*"]
    else:
        keys, listed = [prefix, f"{prefix}/*"], [f"{prefix}/*"]
    return scope_of(
        str(source.path),
        {"Action": "s3:GetObject", "Resource": [f"{bucket}/{key}" for key in keys]},
        {
            "Action": "s3:ListBucket",
            "Resource": bucket,
            "Condition": {"StringLike": {"s3:prefix": listed}},
        },
    )


def scope_of_writes(path: ObjectPath) -> Scope:
    """To write one object, and to look whether it is there."""
    resource = f"{arn_of(path)}/{path.key}"
    return scope_of(str(path), {"Action": ["s3:PutObject", "s3:GetObject"], "Resource": resource})
