"""The SQLAlchemy dialect: a home by its path, or a server (see ``dialect``)."""
