"""What a server tells Prometheus."""

from __future__ import annotations

from pydantic import Field

from sqe.settings.strict import Strict


class MetricsSettings(Strict):
    """The metrics of a server, for Prometheus; docs/reference/metrics.md lists them. Whoever
    reaches the health endpoint may read them."""

    enabled: bool = Field(True, description="serve `/metrics` beside the health endpoint")
    users: bool = Field(
        False, description="also count queries by user: then their names are in the metrics"
    )
