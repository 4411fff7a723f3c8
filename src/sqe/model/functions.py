"""Functions that people write in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqe.model.names import RelationName, quote

# Keys of ``SqlFunction.origin``: the function in Trino's SQL, and whether only statements in that
# may call it, because its types are not Spark's.
TRINO_FUNCTION = "trino.function"
TRINO_ONLY = "trino.only"


@dataclass(frozen=True, slots=True)
class FunctionParameter:
    """``type`` as it was written; ``default``: an expression, or None where it must be given."""

    name: str
    type: str
    default: str | None = None
    comment: str = ""


@dataclass(frozen=True)
class SqlFunction:
    """``name`` is None of a temporary function, which lives in a session and has one part.

    ``body`` is an expression, or a query where ``is_query``. Tables and functions of a kept
    function's body are named in full, so that it means the same to everybody. ``written`` is the
    body as its author wrote it.
    """

    short_name: str
    name: RelationName | None
    parameters: tuple[FunctionParameter, ...]
    returns: str  # a type; empty for a table function
    body: str
    is_query: bool = False
    columns: tuple[FunctionParameter, ...] = ()  # of a table function
    written: str = ""
    comment: str = ""
    deterministic: bool | None = None  # as its author says; None: nothing is said
    owner: str = ""
    created_at: float = 0.0
    # What it was before it was translated, by key: signatures and texts of another dialect.
    origin: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_table(self) -> bool:
        return not self.returns

    @property
    def shown_name(self) -> str:
        return str(self.name) if self.name is not None else quote(self.short_name)

    @property
    def result(self) -> str:
        """What it returns, in words of SQL."""
        if not self.is_table:
            return self.returns
        columns = ", ".join(f"{quote(column.name)} {column.type}" for column in self.columns)
        return f"TABLE ({columns})"
