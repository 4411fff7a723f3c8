"""The interactive shell: repl reads and runs, meta has the backslash commands."""
