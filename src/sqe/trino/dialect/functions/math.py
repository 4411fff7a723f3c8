"""Functions of numbers. Both engines' Java and Trino's compute them with the same library, so that
they agree to the last digit or the one before."""

from __future__ import annotations

from sqe.model.trino_types import BIGINT, DOUBLE, INTEGERS, TrinoType
from sqe.trino.dialect import literals
from sqe.trino.dialect.decimals import result_type
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.functions.registry import Bound, Emit, declare, null_for_null
from sqe.trino.dialect.functions.signatures import Bindings
from sqe.trino.dialect.operators import arithmetic
from sqe.trino.dialect.repeated import both_repeated, with_variable
from sqe.trino.dialect.typed import Typed, fail, spark_type, string

INVALID = "INVALID_FUNCTION_ARGUMENT"
_INFINITY, _NAN = "CAST('Infinity' AS DOUBLE)", "CAST('NaN' AS DOUBLE)"

for _name, _description in {
    "acos": "Arc cosine", "asin": "Arc sine", "atan": "Arc tangent", "cbrt": "Cube root",
    "cos": "Cosine", "cosh": "Hyperbolic cosine", "exp": "Euler's number raised to the given power",
    "degrees": "Converts an angle in radians to degrees", "sin": "Sine", "sinh": "Hyperbolic sine",
    "radians": "Converts an angle in degrees to radians", "sqrt": "Square root", "tan": "Tangent",
    "tanh": "Hyperbolic tangent",
}.items():  # fmt: skip
    declare(_name, "(double) -> double", f"{_name}({{0}})", description=_description)

declare("power", "(double, double) -> double", "power({0}, {1})",
        description="Value raised to the power of exponent")  # fmt: skip
declare("pow", "(double, double) -> double", "power({0}, {1})",
        description="Value raised to the power of exponent")  # fmt: skip
declare("e", "() -> double", lambda call: literals.double("2.718281828459045"),
        description="Euler's number")  # fmt: skip
declare("pi", "() -> double", lambda call: literals.double("3.141592653589793"),
        description="The constant Pi")  # fmt: skip
declare("nan", "() -> double", lambda call: literals.double("NaN"),
        description="Constant representing not-a-number")  # fmt: skip
declare("infinity", "() -> double", lambda call: literals.double("Infinity"),
        description="Infinity")  # fmt: skip

# isnan(NULL) is false to Spark.
declare("is_nan", ["(double) -> boolean", "(real) -> boolean"],
        lambda call: with_variable(call.sql(0), lambda x: f"IF({x} IS NULL, NULL, isnan({x}))"),
        description="Test if value is not-a-number")  # fmt: skip
declare("is_infinite", "(double) -> boolean", f"(abs({{0}}) = {_INFINITY})",
        description="Test if value is infinite")  # fmt: skip
# NaN is more than Infinity to Spark.
declare("is_finite", "(double) -> boolean", f"(abs({{0}}) < {_INFINITY})",
        description="Test if value is finite")  # fmt: skip


def _atan2(call: Bound) -> str:
    """Spark takes the sign away from zeros first."""

    def write(y: str, x: str) -> str:
        behind = f"IF(CAST({x} AS STRING) LIKE '-%', 3.141592653589793D, 0D)"
        sign = f"IF(CAST({y} AS STRING) LIKE '-%', -1D, 1D)"
        zero = f"{y} = 0 AND NOT isnan({x})"
        return f"IF({zero}, IF({x} IS NULL, NULL, {behind} * {sign}), atan2({y}, {x}))"

    return both_repeated(call.sql(0), call.sql(1), write)


declare("atan2", "(double, double) -> double", _atan2, description="Arc tangent of given fraction")


# -------------------------------------------------------------------- logarithms


def _logarithm(name: str, sql: str) -> str:
    """Spark's are NULL where Trino's are -Infinity or NaN."""
    return with_variable(
        sql,
        lambda x: (
            f"CASE WHEN {x} > 0 THEN {name}({x}) WHEN {x} = 0 THEN -{_INFINITY} "
            f"WHEN {x} < 0 THEN {_NAN} END"
        ),
    )


declare("ln", "(double) -> double", lambda call: _logarithm("ln", call.sql(0)),
        description="Natural logarithm")  # fmt: skip
declare("log2", "(double) -> double", lambda call: _logarithm("log2", call.sql(0)),
        description="Logarithm to base 2")  # fmt: skip
declare("log10", "(double) -> double", lambda call: _logarithm("log10", call.sql(0)),
        description="Logarithm to base 10")  # fmt: skip


def _log(call: Bound) -> Typed:
    base, value = (Typed(DOUBLE, _logarithm("ln", argument.sql)) for argument in call.arguments)
    return arithmetic("/", value, base, call.at)


declare("log", "(double, double) -> double", _log, description="Logarithm to given base")


# ------------------------------------------------------------------------ remainder


def _mod(call: Bound) -> Typed:
    left, right = call.arguments
    if right.constant == 0 and left.type in INTEGERS:
        raise Refused("GENERIC_INTERNAL_ERROR", "/ by zero")
    return arithmetic("%", left, right, call.at)


def _mod_type(bound: Bindings, kinds: tuple[TrinoType, ...]) -> TrinoType:
    return result_type("%", kinds[0], kinds[1])


_REMAINDER = "Remainder of given quotient"
declare("mod", [f"({kind}, {kind}) -> {kind}" for kind in
                ("tinyint", "smallint", "integer", "bigint", "double", "real")], _mod,
        description=_REMAINDER)  # fmt: skip
declare("mod", "(decimal(p, s), decimal(q, t)) -> decimal(p, s)", _mod, result=_mod_type)


# ---------------------------------------------------------------------- other bases


def _check(tests: list[tuple[str, str]], value: str, kind: TrinoType, at: int) -> str:
    """``value`` unless one of the tests is true; each has the message of its error."""
    cases = " ".join(
        f"WHEN {test} THEN {fail(INVALID, string(message), kind, at)}" for test, message in tests
    )
    return f"CASE {cases} ELSE {value} END"


def _radix(call: Bound) -> int:
    radix = call.arguments[1].constant
    if not isinstance(radix, int):
        raise call.refuse("a radix that is not constant")
    if not 2 <= radix <= 36:
        raise Refused(INVALID, "Radix must be between 2 and 36")
    return radix


def _to_base(call: Bound) -> str:
    radix = _radix(call)
    return with_variable(
        call.sql(0),
        lambda x: (
            f"concat(IF({x} < 0, '-', ''), lower(conv(ltrim('-', CAST({x} AS STRING)), 10, "
            f"{radix})))"
        ),
    )


def _from_base(call: Bound) -> str:
    radix = _radix(call)
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"[:radix]
    most = 0  # digits that the largest bigint has
    while radix**most <= 2**63:
        most += 1

    def write(x: str) -> str:
        number = (
            f"aggregate(split(lower(ltrim('+-', {x})), ''), CAST(0 AS DECIMAL(38,0)), "
            f"(a, d) -> CAST(a * {radix} + instr('{digits}', d) - 1 AS DECIMAL(38,0)))"
        )
        accepted = f"^[+-]?0*[{digits}{digits[10:].upper()}]{{1,{most}}}$"
        signed = f"IF({x} LIKE '-%', -{number}, {number})"
        read = f"IF({x} RLIKE '{accepted}', try_cast({signed} AS BIGINT), NULL)"
        message = f"concat('Not a valid base-{radix} number: ', {x})"
        error = fail(INVALID, message, BIGINT, call.at)
        return f"coalesce({read}, IF({x} IS NULL, NULL, {error}))"

    return with_variable(call.sql(0), write)


declare("to_base", "(bigint, bigint) -> varchar(64)", _to_base,
        description="Convert a number to a string in the given base")  # fmt: skip
declare("from_base", "(varchar(x), bigint) -> bigint", _from_base,
        description="Convert a string in the given base to a number")  # fmt: skip


# -------------------------------------------------------------------------- buckets


def _width_bucket(call: Bound) -> str:
    x, lower, other, count = (argument.sql for argument in call.arguments)
    low, high = f"least({lower}, {other})", f"greatest({lower}, {other})"
    inside = f"CAST(floor({count} * ({x} - {low}) / ({high} - {low}) + 1) AS BIGINT)"
    bucket = f"CASE WHEN {x} < {low} THEN 0L WHEN {x} >= {high} THEN {count} + 1 ELSE {inside} END"
    answer = f"IF({lower} > {other}, {count} - {bucket} + 1, {bucket})"
    unknown = " OR ".join(f"{part} IS NULL" for part in (x, lower, other, count))
    tests = [
        (f"{count} <= 0", "bucketCount must be greater than 0"),
        (f"isnan({x})", "operand must not be NaN"),
        (f"abs({lower}) >= {_INFINITY}", "first bound must be finite"),
        (f"abs({other}) >= {_INFINITY}", "second bound must be finite"),
        (f"{lower} = {other}", "bounds cannot equal each other"),
    ]
    return f"IF({unknown}, NULL, {_check(tests, answer, BIGINT, call.at)})"


def _width_bucket_of_bins(call: Bound) -> str:
    """Bins out of order are always refused; Trino notices only some."""

    def write(x: str, bins: str) -> str:
        tests = [
            (f"size({bins}) = 0", "Bins cannot be an empty array"),
            (f"isnan({x})", "Operand cannot be NaN"),
            (f"exists({bins}, b -> abs(b) >= {_INFINITY})", "Bin value must be finite"),
            (f"{bins} <> array_sort({bins})", "Bin values are not sorted in ascending order"),
        ]
        bucket = f"CAST(size(filter({bins}, b -> b <= {x})) AS BIGINT)"
        unknown = f"{x} IS NULL OR {bins} IS NULL"
        return f"IF({unknown}, NULL, {_check(tests, bucket, BIGINT, call.at)})"

    return both_repeated(call.sql(0), call.sql(1), write)


declare("width_bucket", "(double, double, double, bigint) -> bigint", _width_bucket,
        description="The bucket number of a value given a lower and upper bound and the number of "
        "buckets")  # fmt: skip
declare("width_bucket", "(double, array(double)) -> bigint", _width_bucket_of_bins,
        description="The bucket number of a value given an array of bins")  # fmt: skip


# --------------------------------------------------------------------------- wilson


def _wilson(sign: str) -> Emit:
    def emit(call: Bound) -> str:
        successes, trials, z = (argument.sql for argument in call.arguments)
        n, p = f"CAST({trials} AS DOUBLE)", f"(CAST({successes} AS DOUBLE) / {trials})"
        root = f"sqrt({p} * (1 - {p}) / {n} + {z} * {z} / (4 * {n} * {n}))"
        middle = f"{p} + {z} * {z} / (2 * {n})"
        answer = f"({middle} {sign} {z} * {root}) / (1 + {z} * {z} / {n})"
        tests = [
            (f"{successes} < 0", "number of successes must not be negative"),
            (f"{trials} <= 0", "number of trials must be positive"),
            (f"{successes} > {trials}",
             "number of successes must not be larger than number of trials"),
            (f"{z} < 0", "z-score must not be negative"),
        ]  # fmt: skip
        far = fail("NOT_SUPPORTED", string("wilson_interval: a z-score so large"), DOUBLE)
        answer = f"IF({z} >= 1E10D, {far}, {answer})"
        return _check(tests, answer, DOUBLE, call.at)

    return emit


declare("wilson_interval_lower", "(bigint, bigint, double) -> double", null_for_null(_wilson("-")),
        description="Binomial confidence interval lower bound using Wilson score")  # fmt: skip
declare("wilson_interval_upper", "(bigint, bigint, double) -> double", null_for_null(_wilson("+")),
        description="Binomial confidence interval upper bound using Wilson score")  # fmt: skip


# -------------------------------------------------------------------------- random


def _random_below(call: Bound) -> str:
    name = spark_type(call.returns, call.at)
    bound = call.sql(0)
    wrong = fail(INVALID, string("bound must be positive"), call.returns, call.at)
    return f"IF({bound} <= 0, {wrong}, CAST(floor(rand() * {bound}) AS {name}))"


def _random_between(call: Bound) -> str:
    name = spark_type(call.returns, call.at)
    start, stop = call.sql(0), call.sql(1)
    message = string("start value must be less than stop value")
    wrong = fail(INVALID, message, call.returns, call.at)
    width = f"(CAST({stop} AS DOUBLE) - {start})"
    picked = f"least({stop} - 1, {start} + floor(rand() * {width}))"
    return f"IF({start} >= {stop}, {wrong}, CAST({picked} AS {name}))"


_BELOW = "A pseudo-random number between 0 and value (exclusive)"
_BETWEEN = "A pseudo-random number between start and stop (exclusive)"
for _name in ("random", "rand"):
    declare(_name, "() -> double", "rand()", deterministic=False,
            description="A pseudo-random value")  # fmt: skip
    for _kind in ("tinyint", "smallint", "integer", "bigint"):
        declare(_name, f"({_kind}) -> {_kind}", null_for_null(_random_below), deterministic=False,
                description=_BELOW)  # fmt: skip
        declare(_name, f"({_kind}, {_kind}) -> {_kind}", null_for_null(_random_between),
                deterministic=False, description=_BETWEEN)  # fmt: skip
