"""The ``sqe`` command: one file per subcommand, each imported only when it is called."""
