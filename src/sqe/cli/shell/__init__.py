"""The interactive shell: repl reads, runner runs, commands is the table of backslash commands."""
