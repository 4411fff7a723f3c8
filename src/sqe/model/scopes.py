"""What a credential allows, where that is less than its user may do."""

from __future__ import annotations

ALL = "all"
READ = "read"
SCOPES = {
    READ: "statements that read, and those that change nothing but the session",
    ALL: "everything that the user may do",
}
