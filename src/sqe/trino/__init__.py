"""Everything that is Trino's: its SQL, its metadata relations, its results and its HTTP protocol.

``dialect/`` translates SQL to Spark's, ``metadata/`` has the rows of information_schema and system,
``http/`` is the wire. The core imports none of it; ``server/build.py`` hands it in.
"""
