"""Settings of the history of queries."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sqe.settings.strict import Strict


class HistorySettings(Strict):
    """What `sqe serve` keeps of queries that have ended, in its own database: what
    `system.history.queries` shows. Commands that run in a process of their own keep nothing."""

    enabled: bool = Field(True, description="keep it at all")
    keep_days: float = Field(30.0, ge=0, description="older queries are deleted; 0 is never")
    keep_mb: int = Field(
        1024, ge=0, description="the oldest are deleted when all take more; 0 is no limit"
    )
    delay_s: float = Field(
        0.5, ge=0.01, description="how long a query may have run, or ended, before it is written"
    )
    profile: Literal["off", "slow", "all"] = Field(
        "slow",
        description="of which queries the plan and the operators' figures are kept: of none, of"
        " slow and failed ones, or of all",
    )
    slow_s: float = Field(10.0, ge=0, description="how long a slow query takes at least")
    waiting: int = Field(
        10_000,
        ge=1,
        description="queries that wait to be written while the database cannot be used; what is"
        " more is lost, counted and logged",
    )
