"""``policy.opa``: an Open Policy Agent. Its rules cannot be read from here, only asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.policy.source_type import SourceParts, SourceType
from sqe.settings.policy import OpaSettings

if TYPE_CHECKING:
    from sqe.policy.opa.source import OpaSource


def _make(opa: OpaSettings, parts: SourceParts) -> OpaSource:
    from sqe.policy.opa.source import OpaSource  # HTTP is not needed without it

    return OpaSource(opa)


OPA = SourceType("opa", _make)
