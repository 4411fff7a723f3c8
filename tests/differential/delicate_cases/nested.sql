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
