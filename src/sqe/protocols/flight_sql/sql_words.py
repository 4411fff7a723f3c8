"""The words GetSqlInfo lists: keywords beyond SQL:2003, and functions by what they work on."""

from __future__ import annotations

_KEYWORDS = """
ANALYZE ANTI CATALOGS CLUSTER COPY DATABASES DIV EXPLAIN EXTENDED FILEFORMAT ILIKE LIMIT LOCATION
MATERIALIZED OFFSET OPTIMIZE OVERWRITE PARTITIONED PIVOT QUALIFY REFRESH REPLACE RLIKE SCHEMAS SEMI
SHOW SNAPSHOT SORT TABLES TAG TBLPROPERTIES TEMPORARY TINYINT UNPIVOT USE VARIANT VERSION VIEWS
"""
_NUMERIC = """
abs acos asin atan atan2 bround cbrt ceil ceiling cos cosh cot degrees exp floor greatest least ln
log log10 log2 mod negative pi positive pow power radians rand randn round sign signum sin sinh
sqrt tan tanh width_bucket
"""
_STRING = """
ascii base64 bit_length btrim char char_length chr concat concat_ws contains endswith find_in_set
format_number format_string hex initcap instr lcase left length levenshtein locate lower lpad ltrim
md5 octet_length overlay position regexp_extract regexp_replace repeat replace reverse right rpad
rtrim sha1 sha2 soundex space split split_part startswith substr substring substring_index translate
trim ucase unbase64 unhex upper
"""
_SYSTEM = """
coalesce current_catalog current_database current_schema current_user if ifnull nullif nvl nvl2
typeof user
"""
_DATETIME = """
add_months current_date current_timestamp date_add date_diff date_format date_sub date_trunc
datediff day dayname dayofmonth dayofweek dayofyear extract from_unixtime hour last_day make_date
make_timestamp minute month monthname months_between next_day now quarter second timestampadd
timestampdiff to_date to_timestamp trunc unix_timestamp weekday weekofyear year
"""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


KEYWORDS = _words(_KEYWORDS)
NUMERIC_FUNCTIONS = _words(_NUMERIC)
STRING_FUNCTIONS = _words(_STRING)
SYSTEM_FUNCTIONS = _words(_SYSTEM)
DATETIME_FUNCTIONS = _words(_DATETIME)
