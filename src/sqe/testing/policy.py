"""The policy that limits vended credentials to a table's files, in Polaris's shape."""

from __future__ import annotations

import json
import re

from sqe.catalog.protocol import Json
from sqe.catalog.storage.bucket import s3_path

_WILD = re.compile(r"[*?$]")


def locations_of(metadata: Json) -> list[str]:
    """Where a table's files may be, without what is below another of them."""
    properties = metadata.get("properties") or {}
    asked = [metadata["location"]]
    asked += [properties[k] for k in ("write.data.path", "write.metadata.path") if k in properties]
    locations = {location.rstrip("/") for location in asked}
    return sorted(
        place for place in locations if not any(place.startswith(f"{o}/") for o in locations)
    )


def inside(location: str, locations: list[str]) -> bool:
    path = s3_path(location)
    return path is not None and any(path.startswith(f"{s3_path(o)}/") for o in locations)


def session_policy(locations: list[str], *, write: bool) -> str:
    """The inline policy of AssumeRole: write, list, bucket location, read, in this order."""
    paths = [path.partition("/") for path in map(s3_path, locations) if path is not None]
    objects = [f"arn:aws:s3:::{bucket}/{_literal(key)}/*" for bucket, _, key in paths]
    statements: list[Json] = []
    if write:
        statements.append(_allow(["s3:PutObject", "s3:DeleteObject"], objects))
    buckets = sorted({bucket for bucket, _, _ in paths})
    for bucket in buckets:
        prefixes = [f"{_literal(key)}/*" for name, _, key in paths if name == bucket]
        condition = {"StringLike": {"s3:prefix": _simplify(prefixes)}}
        listing = _allow(["s3:ListBucket"], [f"arn:aws:s3:::{bucket}"])
        statements.append({**listing, "Condition": condition})
    for bucket in buckets:
        statements.append(_allow(["s3:GetBucketLocation"], [f"arn:aws:s3:::{bucket}"]))
    statements.append(_allow(["s3:GetObject", "s3:GetObjectVersion"], objects))
    policy = {"Version": "2012-10-17", "Statement": statements}
    return json.dumps(policy, separators=(",", ":"))


def _allow(actions: list[str], resources: list[str]) -> Json:
    return {"Effect": "Allow", "Action": _simplify(actions), "Resource": _simplify(resources)}


def _simplify(values: list[str]) -> str | list[str]:
    return values[0] if len(values) == 1 else values


def _literal(key: str) -> str:
    """What a policy would take for a pattern, as itself."""
    return _WILD.sub(lambda match: f"${{{match.group()}}}", key)
