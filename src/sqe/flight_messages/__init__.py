"""Flight's and Flight SQL's protobuf messages, for the server and the client.

``Flight_pb2`` and ``FlightSql_pb2`` are written by ``dev/flight_sql_proto.py``.
"""
