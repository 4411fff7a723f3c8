"""Public: a catalog that behaves like Apache Polaris, for tests of SQE and of its users.

It is SQE's own embedded catalog behind Polaris's contract: bearer tokens, principals and roles,
grants, vended credentials, error bodies, tags, and faults on demand. See docs/guides/testing.md.
"""

from sqe.testing.admin import Admin
from sqe.testing.admin_http import RemoteAdmin
from sqe.testing.catalog import PolarisLikeCatalog
from sqe.testing.faults import Fault, FaultKind
from sqe.testing.options import Options
from sqe.testing.privileges import Privilege
from sqe.testing.tokens import StaticTokens, oidc_tokens
from sqe.testing.vending import S3Keys, S3Storage

__all__ = [
    "Admin",
    "Fault",
    "FaultKind",
    "Options",
    "PolarisLikeCatalog",
    "Privilege",
    "RemoteAdmin",
    "S3Keys",
    "S3Storage",
    "StaticTokens",
    "oidc_tokens",
]
