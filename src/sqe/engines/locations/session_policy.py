"""What the keys of one statement may do: less than the user may, and never more."""

from __future__ import annotations

import json

from sqe.engines.locations.source import ObjectSource

LONGEST = 2048  # characters that STS takes


def session_policy(source: ObjectSource) -> str:
    """Reads and lists what the source names, and nothing beside it. The store gives the user no
    more than its own policies do, whatever this one says."""
    bucket = f"arn:aws:s3:::{source.path.bucket}"
    prefix = source.prefix
    if source.is_pattern or source.is_folder:
        keys = [f"{prefix}*"]
        listed = [f"{prefix}*"]
    else:
        keys = [prefix, f"{prefix}/*"]
        listed = [f"{prefix}/*"]
    statements = [
        {
            "Effect": "Allow",
            "Action": "s3:GetObject",
            "Resource": [f"{bucket}/{key}" for key in keys],
        },
        {
            "Effect": "Allow",
            "Action": "s3:ListBucket",
            "Resource": bucket,
            "Condition": {"StringLike": {"s3:prefix": listed}},
        },
    ]
    policy = {"Version": "2012-10-17", "Statement": statements}
    return json.dumps(policy, separators=(",", ":"), ensure_ascii=False)
