"""What the generator draws from: operators and functions by their kinds of arguments and results.

The kind ``decimal`` is any decimal: Spark's rules for precision and scale are part of what is
compared, so the generator does not know them. An argument ``#a|b`` is one
of these literals, with ``~`` for a space.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

WHOLE = ("tinyint", "smallint", "int", "bigint")
FLOATING = ("float", "double")
NUMBERS = (*WHOLE, *FLOATING, "decimal")
MOMENTS = ("date", "timestamp", "timestamp_ntz")
PLAIN = (*NUMBERS, "string", "binary", "boolean", *MOMENTS)
ARRAYS = ("array<int>", "array<string>")
SELECTABLE = (*PLAIN, *ARRAYS, "map<string,int>", "struct<a:int,b:string>")


class Risk(Enum):
    """When an entry may raise an error: which errors come first is not for a query to rely on."""

    NONE = ""
    RANGE = "only on large values"
    ALWAYS = "on ordinary values too"


@dataclass(frozen=True)
class Entry:
    name: str  # as the proven list has it, as far as one can tell
    args: tuple[str, ...]
    result: str
    text: str  # with {0}, {1}, … for the arguments
    risk: Risk = Risk.NONE


def _call(
    name: str, args: str, result: str, risk: Risk = Risk.NONE, text: str = ""
) -> Iterator[Entry]:
    """One entry for each kind that the variable T (``T:int,bigint`` first) can be."""
    variable, _, rest = args.partition(" ") if args.startswith("T:") else ("", "", args)
    for kind in re.split(r",(?![^<]*>)", variable.removeprefix("T:")):
        kinds = tuple(kind if arg == "T" else arg for arg in rest.split())
        holes = ", ".join(f"{{{index}}}" for index in range(len(kinds)))
        yield Entry(
            name, kinds, kind if result == "T" else result, text or f"{name}({holes})", risk
        )


def _infix(name: str, args: str, result: str, risk: Risk = Risk.NONE) -> Iterator[Entry]:
    yield from _call(name, args, result, risk, f"({{0}} {name} {{1}})")


def _words(text: str) -> list[str]:
    return text.split()


def _t(kinds: Iterable[str]) -> str:
    return "T:" + ",".join(kinds)


_MIXED = (
    ("int", "bigint", "bigint"),
    ("tinyint", "int", "int"),
    ("smallint", "tinyint", "smallint"),
    ("int", "double", "double"),
    ("float", "double", "double"),
    ("int", "float", "float"),
    ("decimal", "int", "decimal"),
    ("bigint", "decimal", "decimal"),
    ("decimal", "double", "double"),
)


def _arithmetic() -> Iterator[Entry]:
    for sign in ("+", "-", "*"):
        yield from _infix(sign, f"{_t(NUMBERS)} T T", "T", Risk.RANGE)
        for left, right, result in _MIXED:
            yield from _infix(sign, f"{left} {right}", result, Risk.RANGE)
    for left in ("int", "bigint", "double", "float"):
        yield from _infix("/", f"{left} #2|-3|7", "double", Risk.RANGE)
        yield from _infix("/", f"{left} {left}", "double", Risk.ALWAYS)
    yield from _infix("/", "decimal #2|3.0|-0.7|7.25", "decimal", Risk.RANGE)
    yield from _infix("/", "decimal decimal", "decimal", Risk.ALWAYS)
    yield from _infix("%", f"{_t(NUMBERS)} T #3|-2|5", "T")
    yield from _infix("%", "T:int,bigint,decimal T T", "T", Risk.ALWAYS)
    yield from _infix("div", "T:int,bigint T #2|-3", "bigint", Risk.RANGE)
    yield from _infix("div", "T:int,bigint,decimal T T", "bigint", Risk.ALWAYS)
    yield from _call("pmod", "T:int,bigint,double,decimal T #3|-4", "T")
    yield from _call("mod", "T:int,bigint T #3|-4", "T")
    yield from _call("-", f"{_t(NUMBERS)} T", "T", Risk.RANGE, "(- {0})")
    yield from _call("abs", f"{_t(NUMBERS)} T", "T", Risk.RANGE)
    yield from _call("negative", "T:int,double,decimal T", "T", Risk.RANGE)
    yield from _call("positive", "T:int,double T", "T")
    yield from _call("sign", "T:double,int,decimal T", "double")
    yield from _infix("%", "double double", "double", Risk.ALWAYS)
    for sign in ("&", "|", "^"):
        yield from _infix(sign, f"{_t(WHOLE)} T T", "T")
    yield from _call("~", "T:int,bigint T", "T", text="(~ {0})")
    yield from _call("shiftleft", "T:int,bigint T #1|3|31|33", "T")
    yield from _call("shiftright", "T:int,bigint T #1|3|31|33", "T")
    yield from _call("bit_count", "T:int,bigint T", "int")
    for name in ("try_add", "try_subtract", "try_multiply"):
        yield from _call(name, "T:int,bigint,double,decimal T T", "T")
    yield from _call("try_divide", "T:int,double T T", "double")
    yield from _call("try_divide", "decimal decimal", "decimal")
    yield from _call("try_mod", "T:int,bigint,decimal T T", "T")


def _math() -> Iterator[Entry]:
    for name in _words(
        "sqrt cbrt exp ln log10 log2 log1p expm1 sin cos tan asin acos atan sinh cosh "
        "tanh degrees radians rint signum"
    ):
        yield from _call(name, "double", "double")
    yield from _call("sqrt", "int", "double")
    for name in ("pow", "power", "atan2", "hypot"):
        yield from _call(name, "double double", "double")
    yield from _call("log", "#2|10|0.5 double", "double")
    for name in ("floor", "ceil", "ceiling"):
        yield from _call(name, "T:double,int,bigint T", "bigint")
        yield from _call(name, "decimal", "decimal", Risk.RANGE)
    for name in ("round", "bround"):
        yield from _call(
            name,
            "T:double,float,decimal T",
            "decimal",
            Risk.RANGE,
            f"cast({name}({{0}}) as decimal(38,4))",
        )
        yield from _call(name, "T:double,int,bigint,decimal T #0|1|2|-1|-2", "T", Risk.RANGE)
    yield from _call("isnan", "T:float,double T", "boolean")
    yield from _call("nanvl", "double double", "double")
    yield from _call("round", "double", "double")
    yield from _call("factorial", "#0|1|5|20|21|-1", "bigint")
    yield from _call("hex", "T:int,bigint,string,binary T", "string")
    yield from _call("bin", "bigint", "string")
    yield from _call("conv", "string #10|16|2 #16|10", "string")
    yield from _call("width_bucket", "double #0 #100 #5", "bigint")


def _strings() -> Iterator[Entry]:
    for name in _words(
        "upper lower ucase lcase trim ltrim rtrim btrim reverse initcap soundex md5 sha1"
    ):
        yield from _call(name, "string", "string")
    for name in _words("length char_length character_length octet_length bit_length ascii"):
        yield from _call(name, "string", "int")
    yield from _call("length", "binary", "int")
    yield from _call("octet_length", "binary", "int")
    yield from _infix("||", "string string", "string")
    yield from _call("concat", "string string string", "string")
    yield from _call("concat", "string int date", "string")
    yield from _call("concat_ws", "#'-'|'' string string", "string")
    yield from _call("substring", "string #1|2|0|-3|100 #1|2|0|-1|100", "string")
    yield from _call("substring", "string #1|2|0|-2", "string")
    yield from _call("substring", "string int int", "string")
    yield from _call("substring", "string #2 #3", "string", text="substring({0} from {1} for {2})")
    yield from _call("substr", "string #2|-4 #3", "string")
    for name in ("left", "right"):
        yield from _call(name, "string #0|1|3|-1|100", "string")
    yield from _call("replace", "string string #''|'x'|'ß'", "string")
    yield from _call("replace", "string string", "string")
    yield from _call("translate", "string #'abc'|'éß'|'a😀' #'xy'|''|'123'", "string")
    for name in ("lpad", "rpad"):
        yield from _call(name, "string #0|3|8|-1 #'*'|'ab'|''|'é'", "string")
        yield from _call(name, "string #5", "string")
    yield from _call("repeat", "string #0|1|3|-1", "string")
    yield from _call("instr", "string string", "int")
    yield from _call("locate", "string string", "int")
    yield from _call("locate", "string string #1|2|0|-1", "int")
    yield from _call("position", "string string", "int", text="position({0} in {1})")
    yield from _call("split_part", "string #'~'|'a'|'bc' #1|2|-1|5", "string")
    yield from _call("split_part", "string string #0|1", "string", Risk.ALWAYS)
    yield from _call("substring_index", "string #'~'|'a'|'' #1|2|-1|0", "string")
    yield from _call("chr", "#65|97|233|256|0|-1", "string")
    yield from _call("space", "#0|3|-1", "string")
    yield from _call(
        "overlay", "string #'XX' #2 #1", "string", text="overlay({0} placing {1} from {2} for {3})"
    )
    yield from _call("levenshtein", "string string", "int")
    yield from _call("sha2", "string #256|512|224|0", "string")
    yield from _call("crc32", "binary", "bigint")
    yield from _call("unhex", "#'41'|'4'|'zz'|''", "binary")
    yield from _call("base64", "binary", "string")
    yield from _call("encode", "string #'UTF-8'", "binary")
    yield from _call("decode", "binary #'UTF-8'", "string", Risk.ALWAYS)
    yield from _call("find_in_set", "string #'a,b,o,abc'", "int")
    yield from _call("format_string", "#'%s-%d'|'%05d' string int", "string", Risk.ALWAYS)
    yield from _patterns()


def _patterns() -> Iterator[Entry]:
    yield from _call("trim", "#'a'|'~'|'ao' string", "string", text="trim(both {0} from {1})")
    yield from _call("trim", "#'H'|'~' string", "string", text="trim(leading {0} from {1})")
    yield from _call("split", "string #'~'|'b'|'[ab]'", "array<string>")
    yield from _call("regexp_replace", "string #'[aeiou]'|'a+'|'^' #'_'|''|'<$0>'", "string")
    yield from _call("regexp_extract", "string #'([a-z]+)'|'(\\\\d)(\\\\d)' #0|1", "string")
    yield from _call("regexp_extract", "string #'(.)(b)?'|'^(\\\\S*)\\\\s'|'~(.*)$'", "string")
    yield from _call("regexp_replace", "string #'[^a-z]'|'\\\\s+'|'b{1,2}' #'_'|''|'é'", "string")
    yield from _call("md5", "T:string,binary T", "string")
    yield from _call("trim", "#'H'|'~' string", "string", text="trim(trailing {0} from {1})")
    yield from _call("trim", "string", "string", text="trim(leading from {0})")
    yield from _call("length", "binary", "int")
    yield from _call("octet_length", "binary", "int")


# For the engines' regular expressions. A bar separates literals here, so there is none in them.
_PATTERNS = "|".join(
    f"'{pattern}'"
    for pattern in (
        r"\\d{2,3}",
        r"^\\s*([+-]?\\d{1,6})-(\\d{1,2})\\s*\\z",
        r"[^\\w]",
        r"\\W+$",
        r"(a.)+?b",
        r"[\\x00-\\x20]",
        r"\\S~\\S",
        r"(?:ab)?c",
        r"\\\\",
        r"[~-]",
        r"b*c",
        r"\\.",
        r"a$",
    )
)


def _predicates() -> Iterator[Entry]:
    for sign in ("=", "<>", "<", "<=", ">", ">=", "<=>", "!=", "=="):
        yield from _infix(sign, f"{_t(PLAIN)} T T", "boolean")
    for left, right, _ in _MIXED:
        yield from _infix("=", f"{left} {right}", "boolean")
        yield from _infix("<", f"{left} {right}", "boolean")
    yield from _infix("<", "date timestamp", "boolean")
    yield from _infix("=", "timestamp timestamp_ntz", "boolean")
    for form in ("between", "not between"):
        yield from _call(
            form,
            "T:int,bigint,double,decimal,string,date,timestamp T T T",
            "boolean",
            text=f"({{0}} {form} {{1}} and {{2}})",
        )
    for form in ("in", "not in"):
        yield from _call(
            form,
            "T:int,bigint,decimal,double,string,date T T T",
            "boolean",
            text=f"({{0}} {form} ({{1}}, {{2}}))",
        )
        yield from _call(form, "int int", "boolean", text=f"({{0}} {form} ({{1}}, NULL))")
    for form in ("is null", "is not null"):
        yield from _call(form, f"{_t(SELECTABLE)} T", "boolean", text=f"({{0}} {form})")
    for form in ("is true", "is not true", "is false", "is not false", "is not unknown"):
        yield from _call(form, "boolean", "boolean", text=f"({{0}} {form})")
    for form in ("is distinct from", "is not distinct from"):
        yield from _call(
            form, "T:int,string,double,date T T", "boolean", text=f"({{0}} {form} {{1}})"
        )


def _logic() -> Iterator[Entry]:
    yield from _infix("and", "boolean boolean", "boolean")
    yield from _infix("or", "boolean boolean", "boolean")
    yield from _call("not", "boolean", "boolean", text="(not {0})")
    for name in ("isnull", "isnotnull"):
        yield from _call(name, "T:int,string,double T", "boolean")
    for form in ("like", "not like", "ilike"):
        pattern = "#'%a%'|'a_c%'|''|'%'|'_'|'%\\\\%%'|'H%o'|'%É%'|'%ß%'|'i%'"
        yield from _call(form, f"string {pattern}", "boolean", text=f"({{0}} {form} {{1}})")
    yield from _infix("rlike", "string #'^a'|'[0-9]+'|'.'|'\\\\s'", "boolean")
    yield from _infix("rlike", f"string #{_PATTERNS}", "boolean")
    yield from _call("like", "string string", "boolean", text="({0} like {1})")
    for name in ("startswith", "endswith", "contains"):
        yield from _call(name, "string string", "boolean")
        yield from _call(name, "string #''|'a'|'é'", "boolean")


def _conditionals() -> Iterator[Entry]:
    common = ("int", "bigint", "double", "decimal", "string", "boolean", "date", "timestamp")
    several = _t(common)
    yield from _call(
        "case", f"{several} boolean T T", "T", text="(case when {0} then {1} else {2} end)"
    )
    yield from _call(
        "case",
        f"{several} boolean T boolean T",
        "T",
        text="(case when {0} then {1} when {2} then {3} end)",
    )
    yield from _call(
        "case", f"{several} int T T", "T", text="(case {0} when 1 then {1} when 2 then {2} end)"
    )
    yield from _call("if", f"{several} boolean T T", "T")
    yield from _call("coalesce", f"{several} T T", "T")
    yield from _call("coalesce", "int bigint", "bigint")
    yield from _call("coalesce", "decimal int", "decimal")
    yield from _call("nullif", f"{several} T T", "T")
    yield from _call("nvl", f"{several} T T", "T")
    yield from _call("ifnull", "T:int,string T T", "T")
    yield from _call("nvl2", "T:int,string T T T", "T")
    ordered = _t(kind for kind in common if kind != "boolean")
    yield from _call("greatest", f"{ordered} T T T", "T")
    yield from _call("least", f"{ordered} T T T", "T")
    yield from _call("greatest", "int bigint", "bigint")
    yield from _call("zeroifnull", "T:int,decimal T", "T")
    yield from _call("nullifzero", "int", "int")


def _moments() -> Iterator[Entry]:
    parts = _words("year quarter month day dayofmonth dayofweek weekday dayofyear weekofyear")
    for name in parts:
        yield from _call(name, "T:date,timestamp,timestamp_ntz T", "int")
    for name in ("hour", "minute", "second"):
        yield from _call(name, "T:timestamp,timestamp_ntz T", "int")
    for part in ("year", "month", "day", "week", "doy", "dow", "quarter", "yearofweek"):
        yield from _call("extract", "T:date,timestamp T", "int", text=f"extract({part} from {{0}})")
    for part in ("hour", "minute"):
        yield from _call("extract", "timestamp", "int", text=f"extract({part} from {{0}})")
    yield from _call("extract", "timestamp", "decimal", text="extract(second from {0})")
    for name in ("date_add", "date_sub", "add_months"):
        yield from _call(name, "date #0|1|-1|31|365|-1000", "date")
    yield from _call("dateadd", "date #0|1|-31", "date")
    yield from _infix("+", "date #1|-30|365", "date")
    yield from _infix("-", "date #1|-30|365", "date")
    yield from _call("datediff", "date date", "int")
    yield from _call("date_diff", "date date", "int")
    yield from _call("months_between", "date date", "double")
    yield from _call("months_between", "timestamp timestamp", "double")
    yield from _call("last_day", "date", "date")
    yield from _call("next_day", "date #'Mon'|'SUNDAY'|'fr'", "date")
    yield from _call("trunc", "date #'year'|'MM'|'week'|'quarter'|'day'", "date")
    units = "#'year'|'MONTH'|'week'|'quarter'|'day'|'hour'|'minute'|'second'|'millisecond'"
    yield from _call("date_trunc", f"{units} timestamp", "timestamp")
    yield from _call("make_date", "#2024|1|1969 #1|2|12 #1|28", "date")
    yield from _call("make_date", "int int int", "date", Risk.ALWAYS)
    yield from _call("unix_date", "date", "int")
    yield from _call("date_from_unix_date", "#0|-1|20000|-719162", "date")
    for unit in ("seconds", "millis", "micros"):
        yield from _call(f"unix_{unit}", "timestamp", "bigint")
        yield from _call(f"timestamp_{unit}", "#0|-1|1700000000", "timestamp")
    yield from _call("unix_timestamp", "timestamp", "bigint")
    yield from _call("timestamp_micros", "bigint", "timestamp", Risk.ALWAYS)
    yield from _call("timestamp_seconds", "int", "timestamp")
    made = "try_make_timestamp_ntz({0}, {1}, {2}, 0, 0, 0)"
    numbers = "#2024|1969|9999 #2|12|13|0 #29|31|0"
    yield from _call("try_make_timestamp_ntz", numbers, "timestamp_ntz", text=made)
    yield from _call("try_make_timestamp_ntz", "#2023 int int", "timestamp_ntz", text=made)
    intervals = "#interval 1 day|interval -1 month|interval 1 year 2 months|interval '1' hour"
    for sign in ("+", "-"):
        yield from _moved(
            sign, "date", "#interval '1' day|interval '1' month|interval '2' year", "date"
        )
        yield from _moved(sign, "T:timestamp,timestamp_ntz T", intervals.replace(" ", "~"), "T")
    yield from _call("to_date", "timestamp", "date")
    yield from _call("to_date", "string", "date", Risk.ALWAYS)
    yield from _call("to_timestamp", "string", "timestamp", Risk.ALWAYS)
    formats = "#'yyyy-MM-dd'|'dd/MM/yyyy'|'HH:mm:ss.SSSSSS'|'yyyyMMdd'|'MMM'|'EEEE'|'D'"
    yield from _call("date_format", f"T:date,timestamp T {formats}", "string")
    yield from _call(
        "timestampdiff", "timestamp timestamp", "bigint", text="timestampdiff(HOUR, {0}, {1})"
    )
    yield from _call(
        "timestampdiff", "timestamp timestamp", "bigint", text="timestampdiff(MONTH, {0}, {1})"
    )
    yield from _call("timestampadd", "timestamp", "timestamp", text="timestampadd(DAY, 3, {0})")
    yield from _call(
        "from_utc_timestamp", "timestamp #'Europe/Berlin'|'America/New_York'", "timestamp"
    )
    yield from _call("to_utc_timestamp", "timestamp #'Europe/Berlin'", "timestamp")


def _moved(sign: str, args: str, intervals: str, result: str) -> Iterator[Entry]:
    yield from _infix(sign, f"{args} {intervals.replace(' ', '~')}", result)


SAFE_CASTS = _words(
    "tinyint>smallint tinyint>int smallint>int int>bigint int>double int>float "
    "tinyint>float smallint>float "
    "bigint>double int>decimal int>string bigint>string decimal>double decimal>string "
    "boolean>string boolean>int float>double double>float double>string float>string "
    "date>string date>timestamp timestamp>date timestamp>string timestamp_ntz>string "
    "timestamp>timestamp_ntz timestamp_ntz>timestamp date>timestamp_ntz int>boolean "
    "double>boolean string>binary string>string smallint>string tinyint>string "
    "decimal>boolean decimal>float float>boolean bigint>boolean bigint>float tinyint>double "
    "timestamp_ntz>date boolean>bigint boolean>double boolean>tinyint bigint>bigint "
    "smallint>boolean date>date"
)
RISKY_CASTS = _words(
    "string>tinyint string>int string>bigint string>double string>decimal "
    "string>boolean string>date string>timestamp bigint>int int>tinyint double>int "
    "double>bigint decimal>int double>decimal bigint>decimal int>smallint float>int "
    "decimal>bigint float>tinyint int>timestamp bigint>timestamp timestamp>bigint "
    "double>timestamp timestamp>double string>timestamp_ntz string>float string>smallint "
    "decimal>decimal float>decimal tinyint>decimal bigint>smallint decimal>tinyint "
    "boolean>decimal decimal>smallint smallint>tinyint bigint>tinyint float>bigint"
)
_DECIMALS = ("decimal(10,2)", "decimal(38,4)", "decimal(5,0)", "decimal(20,10)")


# Texts in the forms that the local engine takes; the tables' own are mostly in others.
_PLAIN_TEXTS = {
    "int": "'12'|'-7'|'0'",
    "double": "'1.5'|'-0.25'|'10'",
    "float": "'1.5'|'-0.25'|'10'",
    "decimal": "'1.5'|'-0.25'|'7'",
    "boolean": "'true'|'no'|'~Y~'",
    "date": "'2024-02-29'|'1969-12-31'",
    "timestamp": "'2024-03-31~12:00:00.5'|'1969-12-31~23:59:59'",
    "timestamp_ntz": "'2024-03-31~02:30:00'",
}


def _casts() -> Iterator[Entry]:
    for risk, names in ((Risk.NONE, SAFE_CASTS), (Risk.ALWAYS, RISKY_CASTS)):
        for name in names:
            source, target = name.split(">")
            for exact in _DECIMALS if target == "decimal" else (target,):
                text = f"cast({{0}} as {exact})"
                yield Entry(
                    "cast",
                    (source,),
                    target,
                    text,
                    Risk.RANGE if risk is Risk.NONE and exact != target else risk,
                )
                if risk is Risk.ALWAYS:
                    yield Entry("try_cast", (source,), target, f"try_{text}")
    for target, texts in _PLAIN_TEXTS.items():
        exact = "decimal(10,2)" if target == "decimal" else target
        yield Entry("cast", (f"#{texts}",), target, f"cast({{0}} as {exact})")


def _collections() -> Iterator[Entry]:
    for name in ("size", "cardinality"):
        yield from _call(name, f"{_t(ARRAYS)} T", "int")
    yield from _call("size", "map<string,int>", "int")
    yield from _call("array_contains", "array<int> int", "boolean")
    yield from _call("array_contains", "array<string> string", "boolean")
    yield from _call("array_position", "array<int> int", "bigint")
    for name in ("array_min", "array_max"):
        yield from _call(name, "array<int>", "int")
        yield from _call(name, "array<string>", "string")
    for name in ("sort_array", "array_distinct", "reverse", "array_sort"):
        yield from _call(name, f"{_t(ARRAYS)} T", "T")
    yield from _call("array_join", "array<string> #','|''", "string")
    yield from _call("slice", "array<int> #1|2|-2 #0|1|5", "array<int>")
    yield from _call("array", "int int", "array<int>")
    yield from _call("array", "string string", "array<string>")
    yield from _call("concat", "array<int> array<int>", "array<int>")
    yield from _call("map_keys", "map<string,int>", "array<string>")
    yield from _call("map_values", "map<string,int>", "array<int>")
    yield from _call("element_at", "map<string,int> #'x'|'none'", "int")
    yield from _call("element_at", "array<int> #1|-1|2", "int", Risk.ALWAYS)
    yield from _call("try_element_at", "array<int> #1|-1|7", "int")
    yield from _call("[]", "map<string,int> #'x'|'none'", "int", text="{0}[{1}]")
    yield from _call("[]", "array<int> #0|1|5", "int", Risk.ALWAYS, "{0}[{1}]")
    yield from _call("get", "array<int> #0|1|5|-1", "int")
    yield from _call(".", "struct<a:int,b:string>", "int", text="{0}.a")
    yield from _call(".", "struct<a:int,b:string>", "string", text="{0}.b")
    yield from _call(
        "named_struct",
        "int string",
        "struct<a:int,b:string>",
        text="named_struct('a', {0}, 'b', {1})",
    )
    yield from _call(
        "struct", "int string", "struct<a:int,b:string>", text="struct({0} AS a, {1} AS b)"
    )
    yield from _more_arrays()
    yield from _lambdas()
    yield from _maps()


def _more_arrays() -> Iterator[Entry]:
    for name in ("array_append", "array_prepend", "array_remove", "array_position"):
        result = "bigint" if name == "array_position" else "array<string>"
        yield from _call(name, "array<string> string", result)
    for name in ("array_append", "array_prepend", "array_remove"):
        yield from _call(name, "array<int> int", "array<int>")
    for name in ("array_union", "array_intersect", "array_except"):
        yield from _call(name, f"{_t(ARRAYS)} T T", "T")
    yield from _call("arrays_overlap", f"{_t(ARRAYS)} T T", "boolean")
    yield from _call("concat", "array<string> array<string>", "array<string>")
    yield from _call("array_size", f"{_t(ARRAYS)} T", "int")
    yield from _call("sort_array", f"{_t(ARRAYS)} T #true|false", "T")
    yield from _call("array_join", "array<string> #','|'' #'-'|''", "string")
    yield from _call("array_join", "array<string> string", "string")
    yield from _call("slice", "array<string> #1|3|-1|-9 #0|2|9", "array<string>")
    yield from _call("flatten", f"{_t(ARRAYS)} T T", "T", text="flatten(array({0}, {1}))")
    yield from _call("array_repeat", "int #0|3|-1", "array<int>")
    yield from _call("array_repeat", "string #2", "array<string>")
    yield from _call("sequence", "#1|5 #5|1|3", "array<int>")
    yield from _call("sequence", "int int #1|-1|2", "array<int>", Risk.ALWAYS)
    yield from _call("get", "array<string> int", "string")
    yield from _call("array", "array<int> array<int>", "int", text="size(array({0}, {1}))")
    yield from _call("array", "", "array<int>", text="coalesce(NULL, array(), array(1))")
    yield from _call("=", f"{_t(ARRAYS)} T T", "boolean", text="({0} = {1})")
    yield from _call(
        "<=>", "T:array<int>,struct<a:int,b:string> T T", "boolean", text="({0} <=> {1})"
    )
    yield from _call("split", "string #'~'|'b'|'\\\\.'|'a,' #-1", "array<string>")
    zipped = "cast(arrays_zip(coalesce({0}, array()), coalesce({1}, array())) as {2})"
    kind = "array<struct<x:int,y:string>>"
    for last in (f"size({zipped})", f"try_element_at({zipped}, 2).x"):
        yield from _call("arrays_zip", f"array<int> array<string> #{kind}", "int", text=last)
    yield from _call("cast", "array<int>", "array<string>", text="cast({0} as array<string>)")
    yield from _call("cast", "array<int>", "array<bigint>", text="cast({0} as array<bigint>)")


def _lambdas() -> Iterator[Entry]:
    yield from _call(
        "transform",
        "array<int> int",
        "array<int>",
        text="transform({0}, x -> coalesce(x % 7, {1}))",
    )
    yield from _call(
        "transform",
        "array<string>",
        "array<string>",
        text="transform({0}, (x, i) -> concat(x, cast(i as string)))",
    )
    yield from _call(
        "transform", "array<int>", "array<string>", text="transform({0}, x -> cast(x as string))"
    )
    yield from _call("filter", "array<int> int", "array<int>", text="filter({0}, x -> x > {1})")
    yield from _call(
        "filter", "array<string>", "array<string>", text="filter({0}, (x, i) -> i > 0 OR x IS NULL)"
    )
    for name in ("exists", "forall"):
        yield from _call(name, "array<int> int", "boolean", text=f"{name}({{0}}, x -> x = {{1}})")
        yield from _call(name, "array<string>", "boolean", text=f"{name}({{0}}, x -> x < 'b')")
    yield from _call(
        "zip_with", f"{_t(ARRAYS)} T T", "T", text="zip_with({0}, {1}, (x, y) -> coalesce(y, x))"
    )
    yield from _call(
        "aggregate",
        "array<string> string",
        "string",
        text="aggregate({0}, {1}, (s, x) -> concat(s, coalesce(x, '-')))",
    )
    yield from _call(
        "aggregate",
        "array<string>",
        "int",
        text="aggregate({0}, '', (s, x) -> concat(s, x), s -> length(s))",
    )
    yield from _call("array_distinct", "array<int>", "int", text="size(array_distinct({0}))")


def _maps() -> Iterator[Entry]:
    made = "map_from_arrays(array({0}, concat({0}, 'x')), array({1}, {2}))"
    yield from _call("map_from_arrays", "string int int", "map<string,int>", Risk.ALWAYS, made)
    entries = "map_from_entries(array(struct('x' AS k, {0} AS v), struct('y' AS k, {1} AS v)))"
    yield from _call("map_from_entries", "int int", "map<string,int>", text=entries)
    yield from _call("element_at", "map<string,int> string", "int")
    yield from _call("[]", "map<string,int> string", "int", text="{0}[{1}]")


SCALARS: tuple[Entry, ...] = tuple(
    entry
    for group in (
        _arithmetic, _math, _strings, _predicates, _logic, _conditionals, _moments, _casts,
        _collections,
    )
    for entry in group()
)  # fmt: skip


def by_result(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        found[entry.result].append(entry)
    return dict(found)
