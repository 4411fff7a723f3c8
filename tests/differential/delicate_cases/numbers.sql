-- Expressions over the table numbers, one a line. Spark answers each of them for every row.
ti + 0Y
d5 / 3
d5 / d5 IS NULL OR true
d18 * d5
d18 / 7
d18 * 1.5
d5 + d18
d5 - d3810 IS NULL
d5 % 3
d5 * d5
d3838 * 0.5
d3838 + 0
d38 IS NULL
-d38
-d5
cast(d5 as int)
cast(d5 as bigint)
cast(d18 as decimal(20,2))
cast(d5 as double)
cast(d18 as string)
cast(d3838 as string)
cast(d38 as string)
cast(d5 as float)
cast(d5 as boolean)
cast(db as string)
cast(f as string)
cast(f as double)
cast(db as float)
cast(i as double) / 3
i / 3
bi / 3
i % 3
i % -3
-7 % 3
bi % 5
bi div 7
i div -2
db % 3
db / 3
f / 3
f + 1
db = 0.0
db = -0.0
db <=> double('NaN')
db > 1
db >= double('NaN')
db < double('NaN')
db = double('NaN')
db IN (0.0D, double('NaN'))
db BETWEEN 0 AND 1
f = db
i = d5
bi = d38
d5 = d18
ti = bi
i = db
greatest(db, 0.0D)
least(db, -0.0D)
greatest(ti, si, i, bi)
greatest(i, d5)
least(i, NULL)
coalesce(i, bi)
coalesce(d5, i)
coalesce(d5, d18)
coalesce(i, 1.5)
coalesce(NULL, i)
nullif(i, 1)
nullif(db, double('NaN'))
nullif(bi, i)
if(b, i, bi)
if(b, d5, i)
if(i > 1, d5, d18)
CASE WHEN b THEN 1 WHEN NOT b THEN 2.5 END
CASE WHEN b THEN ti ELSE 1000 END
CASE i WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'many' END
round(db, 1)
round(d5, 1)
round(d5, 0)
round(d5, -1)
round(2.5D)
round(-2.5D)
round(0.125D, 2)
bround(2.5D)
round(f, 1)
round(si, -1)
ceil(d5)
floor(d5)
ceil(d18)
floor(d3810)
floor(db)
ceil(db)
floor(i)
sqrt(db)
ln(db)
log10(db)
exp(db)
pow(db, 2)
pow(0.0D, 0.0D)
sign(db)
signum(d5)
abs(db)
abs(f)
isnan(db)
i & 255
i | 1
i ^ -1
~i
shiftleft(i, 31)
shiftleft(i, 33)
shiftright(bi, 65)
1 + 1
1.0 + 2.00
1.10 * 1.10
1 / 3
1.0 / 3
2 / 3.000
1e2
1.5e-3
0.1D + 0.2D
0.1 + 0.2
100000 * 10L
3 % 2.5
2147483648
9223372036854775807
-9223372036854775808
99999999999999999999
1L + 1.5F
1Y + 1S
true AND NULL
false AND NULL
true OR NULL
NOT NULL
NULL = NULL
NULL <=> NULL
1 IN (2, NULL)
1 NOT IN (2, NULL)
b IS TRUE
b IS NOT FALSE
b = true
b > false
NULL
typeof(1)
try_cast('x' AS int)
try_cast('128' AS tinyint)
try_cast('1.9' AS int)
try_cast(' 12 ' AS int)
try_cast('1e3' AS int)
try_cast('1e3' AS double)
try_cast('0x1F' AS int)
try_cast('+5' AS int)
try_cast('' AS int)
try_cast('inf' AS double)
try_cast('nan' AS double)
try_cast('NaN' AS float)
try_cast('1d' AS double)
try_cast('1_000' AS int)
try_cast('t' AS boolean)
try_cast('yes' AS boolean)
try_cast('1' AS boolean)
try_cast('on' AS boolean)
try_cast('2020-1-5' AS date)
try_cast('2020-02-30' AS date)
try_cast('2020' AS date)
try_cast('20200105' AS date)
try_cast('2020-01-01 12:00:00' AS date)
try_cast('2020-01-01T12:00:00Z' AS timestamp)
try_cast('2020-01-01 25:00:00' AS timestamp)
try_cast('123.456' AS decimal(5,2))
try_cast('123456' AS decimal(5,2))
try_cast('1.005' AS decimal(5,2))
try_cast(db AS int)
try_cast(db AS bigint)
try_cast(bi AS int)
try_cast(db AS decimal(10,2))
try_cast(d5 AS tinyint)
cast(1.9 as int)
cast(-1.9 as int)
cast(2.5D as int)
cast(1.999999 as decimal(3,2))
cast(0.005 as decimal(3,2))
cast(-0.005 as decimal(3,2))
cast(1e10 as bigint)
cast(true as int)
cast(0 as boolean)
cast('true' as boolean)
cast(1 as string)
cast(1.0 as string)
cast(1e7 as string)
cast(1e-5 as string)
cast(100000000D as string)
cast(0.001D as string)
cast(true as string)
cast(-0.0D as string)
cast(1.10 as string)
try_divide(i, 0)
try_add(i, 1)
try_subtract(bi, 1)
try_multiply(i, 2)
-128Y
-32768S
cast(-128Y as smallint)
-2L
- 2
cast(0Y as int)
mod(id, 3)
i IS NOT NULL
abs(cast(NULL as decimal(10,2)))
cast(NULL as string)
coalesce(cast(NULL as int), NULL)
cast(cast(i as bigint) as string)
d5 * d5 * d5
(d5 + 1) * (d18 - 1)
avg(d5) OVER (PARTITION BY b)
cast(1 as int) + d5
d5 - cast(1 as smallint)
cast(2 as bigint) * d5
d5 / cast(3 as int)
d18 / cast(7 as tinyint)
d18 % cast(7 as bigint)
1::int + d5
d5 + 1Y
d5 + 1S
d5 / 3L
d5 / -3L
d5 / (3)
d5 / -(3)
d5 + (1 + 1)
d5 = cast(1 as int)
cast(1 as int) > d3838
1 > d3838
1 = d3838
d3838 < 1
d3838 >= cast(1 as bigint)
coalesce(d5, cast(1 as int))
coalesce(d5, 1)
i < 99999999999999999999.5
i > -99999999999999999999.5
i >= 99999999999999999999.5
bi <= 9223372036854775807.5
bi < -9223372036854775808.5
bi <= 9223372036854775806.5
bi > -9223372036854775807.5
i > 0.5
-0.5 >= i
ti <= -0.5
si BETWEEN -0.5 AND 0.5
i = 0.5
d5 > 0.0000001
d5 + 0.0000001
0 + cast(bi as float)
abs(d38) - db
try_cast(d3838 as smallint)
cast(d3838 as int)
cast(ti as float)
cast(si as float)
transform(array(d5), v -> v + 1)[0] AS x
transform(array(i), v -> transform(array(si), w -> IF(v > w, v, w))[0])[0] AS x
transform(array(NULL), v -> v IS NULL)[0] AS x
transform(array(d18 * 2), once1 -> CASE WHEN once1 IS NULL THEN 'none' WHEN once1 > d5 THEN CAST(once1 AS STRING) ELSE 'less' END)[0] AS x
CAST(replace(CAST(d5 AS STRING), '.', '') AS DECIMAL(38,0)) AS x
CAST(replace(CAST(d18 AS STRING), '.', '') AS DECIMAL(38,0)) AS x
CAST(replace(CAST(d38 AS STRING), '.', '') AS DECIMAL(38,0)) AS x
CAST(replace(CAST(d3810 AS STRING), '.', '') AS DECIMAL(38,0)) AS x
CAST(replace(CAST(d3838 AS STRING), '.', '') AS DECIMAL(38,0)) AS x
CAST(concat(CAST(ti AS STRING), 'E-2') AS DECIMAL(5,2)) AS x
CAST(concat(CAST(i AS STRING), 'E-4') AS DECIMAL(38,4)) AS x
CAST(concat(CAST(bi AS STRING), 'E-17') AS DECIMAL(38,17)) AS x
CAST(concat(CAST(d38 AS STRING), 'E-38') AS DECIMAL(38,38)) AS x
CAST(concat(CAST(d38 AS STRING), 'E-6') AS DECIMAL(38,6)) AS x
CAST(i AS DECIMAL(20,0)) div 7BD AS x
7BD div (2BD * abs(CAST(i AS DECIMAL(34,0))) + 1BD) AS x
CAST(bi AS DECIMAL(34,0)) div CAST(-3 AS DECIMAL(5,0)) AS x
CAST(bi AS DECIMAL(34,0)) div si AS x
CAST(db AS STRING) LIKE '-%' AS x
CAST(f AS STRING) LIKE '-%' AS x
CAST('NaN' AS DOUBLE) AS x
-CAST('Infinity' AS DOUBLE) AS x
IF(db > 1, CAST('-Infinity' AS DOUBLE), db) AS x
isnan(CAST('NaN' AS DOUBLE)) AS x
CASE WHEN i IN (SELECT id FROM tame) THEN 'in' WHEN i IS NULL THEN 'none' ELSE 'out' END AS x
