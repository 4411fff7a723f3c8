"""Scheduler pools: Spark shares its task slots equally between pools, and each user has one."""

from __future__ import annotations

from hashlib import blake2b

# Spark makes a pool that nobody defined one in which jobs wait for each other, so that a user's
# small write would wait for the same user's large one. Users are not known when a server starts:
# they are spread over pools that are. Two in one pool share its part.
_POOLS = 64
# Of jobs that belong to no query, as the look into a file for its types.
_OTHERS = "default"


def pool_of(owner: tuple[str, str]) -> str:
    """The pool of a user, who is given by issuer and name."""
    digest = blake2b("\0".join(owner).encode("utf-8", "surrogateescape"), digest_size=8).digest()
    return _name(int.from_bytes(digest) % _POOLS)


def allocation_file() -> str:
    """All pools, as Spark's ``spark.scheduler.allocation.file`` has them. Inside a pool, too, each
    job gets its part."""
    pools = (
        f'<pool name="{name}"><schedulingMode>FAIR</schedulingMode>'
        "<weight>1</weight><minShare>0</minShare></pool>"
        for name in (_OTHERS, *map(_name, range(_POOLS)))
    )
    return "\n".join(['<?xml version="1.0"?>', "<allocations>", *pools, "</allocations>", ""])


def _name(number: int) -> str:
    return f"users-{number}"
