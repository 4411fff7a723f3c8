-- Expressions over the table texts, one a line. Spark answers each of them for every row.
upper(s)
lower(s)
initcap(s)
length(s)
octet_length(s)
bit_length(s)
reverse(s)
substring(s, 0, 2)
substring(s, 1, 2)
substring(s, 2)
substring(s, -3)
substring(s, -3, 2)
substring(s, 2, -1)
substring(s, 100, 2)
substring(s, n, 2)
left(s, 2)
left(s, -1)
left(s, 0)
right(s, 2)
right(s, -1)
trim(s)
ltrim(s)
rtrim(s)
trim(BOTH 'a' FROM s)
trim(TRAILING FROM s)
s || t
s || NULL
s || n
concat(s, t, '!')
concat(s, NULL)
concat()
concat_ws('-', s, NULL, t)
concat_ws('-')
replace(s, 'a', 'b')
replace(s, '', 'b')
replace(s, t)
translate(s, 'abc', 'x')
lpad(s, 5, '*')
lpad(s, 5, '')
rpad(s, 3, 'ab')
lpad(s, 12)
repeat(t, 2)
repeat(t, n)
repeat(s, length(t) - 2)
concat(left(s, 1), repeat('*', length(s) - 3), right(s, 2))
instr(s, t)
instr(s, '')
locate('l', s, 4)
locate('', s)
position('o' IN s)
split_part(s, ' ', 1)
split_part(s, ' ', -1)
split(s, ' ')
split(s, '')
substring_index(s, ' ', 1)
ascii(s)
ascii('😀')
chr(65)
chr(256)
startswith(s, t)
endswith(s, '')
contains(s, t)
s LIKE '%o%'
s LIKE '_'
s LIKE ''
s LIKE '%\\%%'
s LIKE '%\%%'
s NOT LIKE '%\_%'
concat('a\_b', 'c\%', s)
s LIKE '100\\%\\_%'
s LIKE '%ß%'
s LIKE 'a\tb%'
s NOT LIKE 'H%'
s ILIKE 'HÉLLO'
s ILIKE 'straSSe'
s LIKE t
s LIKE '%|%%' ESCAPE '|'
s LIKE '%\\\\%'
s LIKE 'a\\b'
s LIKE '%\\_%' ESCAPE '\\'
s = 'it\'s'
concat('a\\b', "c\"d", 'e\'f', '\n\r\t', s)
s LIKE ANY ('a%', 'H%')
s RLIKE '^[A-Z]'
regexp_replace(s, '[aeiou]', '_')
regexp_extract(s, '([a-z]+)', 1)
s = t
s < t
s <=> t
s > 'Z'
s = 'héllo'
s IN ('', 'true')
s BETWEEN 'a' AND 'z'
greatest(s, t)
least(s, 'm')
coalesce(s, 'none')
nullif(s, '')
coalesce(s, n)
cast(s as binary)
bin = X'00'
bin < X'61'
hex(bin)
hex(s)
length(bin)
md5(s)
sha2(s, 256)
crc32(bin)
base64(bin)
'a' 'b'
'it''s'
'tab\there'
'\u00e9'
'\\'
r'\n'
"double"
'a%b'
''
'x' = 'x '
'a' < 'B'
'é' > 'z'
format_string('%s', s)
levenshtein(s, t)
soundex(s)
try_cast(s AS int)
try_cast(s AS double)
try_cast(s AS date)
try_cast(s AS boolean)
try_cast(s AS decimal(10,2))
try_cast(s AS timestamp)
length(concat(s, t))
char_length(upper(s))
nvl2(s, t, 'null')
if(s = '', NULL, s)
CASE WHEN s LIKE 'a%' THEN t ELSE s END
concat('a', cast(NULL as string), ' ')
s NOT LIKE '%'
NOT s LIKE '%o%'
NOT (s NOT LIKE '%o%')
s NOT IN ('', 'true')
s NOT BETWEEN 'a' AND 'z'
lower(upper(s))
upper(lower(s))
lcase(ucase(nvl2(t, ' ', 'ß')))
case when n > 1 then s when true then ' ' end
case when n > 1 then ' ' else '  ' end
s RLIKE 'l+o' AS x
s RLIKE '^[a-z]+$' AS x
s RLIKE 'a.c' AS x
s RLIKE '(ab|bc)+c' AS x
s RLIKE '[^a-y]' AS x
NOT (s RLIKE '.') AS x
s RLIKE '[a-z0-9]+ ?[A-W]' AS x
s RLIKE 'x_y|42' AS x
try_cast(IF(id IN (1, 3, 13, 14, 18, 21), s, '7') AS INT) AS x
try_cast(IF(id IN (1, 3, 13, 14, 18, 21), s, 'x y') AS DECIMAL(10,2)) AS x
try_cast(IF(id < 4, t, NULL) AS BIGINT) AS x
