-- Expressions over the table nested, one a line. Spark answers each of them for every row.
ai
at
m
st
ast
st.a
st.b
size(ai)
size(NULL)
cardinality(m)
array_contains(ai, 1)
array_contains(ai, NULL)
array_contains(at, '')
element_at(m, 'x')
m['x']
m['none']
try_element_at(ai, 5)
get(ai, 0)
sort_array(ai)
sort_array(ai, false)
array_distinct(ai)
array_min(ai)
array_max(at)
array_join(at, ',')
array_join(at, ',', 'NULL')
slice(ai, 1, 2)
concat(ai, array(9))
ai = array(1, 2, 3)
ai < array(2)
st = named_struct('a', 1, 'b', 'one')
array(1, NULL)
array(1, 2.5)
array()
map('k', 1)
named_struct('x', 1, 'y', 'z')
struct(id, at)
map_keys(m)
map_values(m)
transform(ai, x -> x + 1)
filter(ai, x -> x > 1)
exists(ai, x -> x IS NULL)
aggregate(ai, 0, (a, x) -> a + coalesce(x, 0))
array_position(ai, 3)
arrays_overlap(ai, array(1))
ast[0].x IS NULL
ast.x
coalesce(ai, array(0))
ai IS NULL
forall(ai, x -> x > 0)
forall(ai, x -> x IS NOT NULL)
zip_with(ai, at, (x, y) -> concat(coalesce(x, 0), '-', y))
filter(ai, (x, i) -> i < 2)
transform(ai, (x, i) -> x * i)
transform(at, x -> transform(ai, y -> concat(x, cast(y AS string))))
array_except(ai, array(1, NULL))
array_union(ai, array(7, NULL, 7))
array_intersect(array(NULL, 1, 1, 9), ai)
array_remove(ai, 1)
array_append(ai, NULL)
array_prepend(at, 'z')
flatten(array(ai, array(9)))
flatten(array(ai, NULL))
array_repeat(at, 2)
sequence(1, 5, 2)
sequence(5, 1)
sequence(1, coalesce(id, 1))
array_sort(at)
slice(ai, -2, 1)
slice(ai, 9, 1)
reverse(ai)
reverse(at)
size(array())
size(m)
array() IS NULL
concat(at, at)
array_join(array(NULL, NULL), ',')
array_join(at, NULL)
arrays_overlap(at, array(NULL, 'a'))
arrays_overlap(ai, array())
array_contains(array(), 1)
element_at(m, NULL)
m[NULL]
at[0] IS NULL OR true
get(ai, -1)
get(ai, 99)
get(at, NULL)
st <=> NULL
st = st
ai = ai
ast = ast
ai <=> NULL
ai IN (array(1, 2, 3))
struct(id AS x, st AS y).y.b
named_struct('A', ai).a
cast(ai AS array<string>)
cast(ai AS array<double>)
cast(st AS struct<x:bigint,y:string>)
cast(NULL AS array<int>)
cast(array() AS array<struct<a:int>>)
coalesce(st.a, 0)
if(id > 1, ai, NULL)
CASE WHEN id = 1 THEN array() ELSE ai END
CASE ai WHEN array(1, 2, 3) THEN 'it' END
map_from_arrays(array('a'), array(id))
map_from_entries(array(struct('k' AS a, id AS b)))
map_from_entries(array(struct('k' AS a, id AS b)))['k']
array_distinct(array(2, NULL, 2, NULL, 1))
array_position(array(NULL, 1), 1)
array_min(array(NULL, 3, 2))
array_max(array())
transform(array(st.b), v -> concat(v, v))[0]
