"""What SQE itself remembers, in one SQL database: SQLite in the home, or PostgreSQL."""
