"""Who may know of, see and do what: scopes, privileges, visibility, redaction, ownership.

Denies by default. ``control.AccessControl`` is what the pipe asks; policies are decided behind it.
"""
