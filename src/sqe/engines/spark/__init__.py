"""Spark through Spark Connect: the engine of record.

options  what an embedded server needs to know        conf     its server-wide settings
java     which Java runs it                           trust    which certificates it trusts
jars     the pinned Iceberg jars                      archive  class data sharing for a quick boot
server   the child server and its life                child    one run of it
command  its command line and environment             launch   the small process in between
"""
