"""``python -m sqe`` is ``sqe``."""

from sqe.cli.main import main

if __name__ == "__main__":
    main()
