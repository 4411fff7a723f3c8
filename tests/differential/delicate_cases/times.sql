-- Expressions over the table times, one a line. Spark answers each of them for every row.
dt + 1
dt - 1
dt - dt
dt + n
date_add(dt, n)
date_sub(dt, 1)
date_add(dt, 1Y)
dt - DATE'2024-01-01'
datediff(dt, DATE'2024-01-01')
datediff(ts, dt)
dt + INTERVAL 1 DAY
dt + INTERVAL '1' MONTH
dt + INTERVAL '1' HOUR
dt - INTERVAL '1' YEAR
ts + INTERVAL 1 DAY
ts + INTERVAL 1 MONTH
ts - INTERVAL '90' MINUTE
ntz + INTERVAL 1 DAY
ts - ts
ts > dt
dt = DATE'2024-03-31'
dt = '2024-03-31'
ts > '2000-01-01'
dt BETWEEN '2000-01-01' AND '2024-12-31'
ts = ntz
dt < ntz
dt IN (DATE'1970-01-01', NULL)
add_months(dt, 1)
add_months(dt, n)
add_months(DATE'2024-01-31', 1)
months_between(dt, DATE'2024-02-29')
last_day(dt)
next_day(dt, 'Mon')
year(dt)
month(dt)
day(dt)
quarter(dt)
dayofweek(dt)
weekday(dt)
dayofyear(dt)
weekofyear(dt)
year(ts)
day(ts)
hour(ts)
minute(ts)
second(ts)
hour(ntz)
year(ntz)
extract(year FROM dt)
extract(week FROM dt)
extract(dow FROM dt)
extract(dayofweek_iso FROM dt)
extract(second FROM ts)
extract(yearofweek FROM dt)
date_part('month', dt)
trunc(dt, 'MM')
trunc(dt, 'week')
trunc(dt, 'year')
trunc(dt, 'nonsense')
date_trunc('hour', ts)
date_trunc('day', ts)
date_trunc('week', ts)
date_trunc('month', dt)
date_trunc('millisecond', ts)
date_trunc('MILLISECOND', ntz)
convert_timezone('UTC', 'UTC', ntz)
convert_timezone('UTC', 'Europe/Vienna', ntz)
convert_timezone('Europe/Vienna', 'UTC', ntz)
hour(convert_timezone('UTC', 'UTC', cast(ts as timestamp_ntz)))
date_format(dt, 'yyyy-MM-dd')
date_format(ts, 'HH:mm:ss.SSS')
cast(dt as string)
cast(ts as string)
cast(ntz as string)
cast(ts as date)
cast(dt as timestamp)
cast(ntz as date)
cast(ts as timestamp_ntz)
cast(ntz as timestamp)
cast(ts as bigint)
cast(ts as double)
cast(0 as timestamp)
to_date(ts)
to_date('2024-02-29')
to_timestamp('2024-02-29 12:00:00')
make_date(2024, 2, 29)
unix_date(dt)
date_from_unix_date(n)
unix_timestamp(ts)
unix_seconds(ts)
unix_micros(ts)
from_unixtime(0)
timestamp_seconds(n)
timestampdiff(MONTH, ts, TIMESTAMP'2024-01-31 00:00:00')
timestampadd(MONTH, 1, ts)
from_utc_timestamp(ts, 'America/New_York')
DATE'2024-02-29'
TIMESTAMP'2024-03-31 02:30:00'
TIMESTAMP'2024-10-27 02:30:00'
TIMESTAMP_NTZ'2024-03-31 02:30:00'
INTERVAL '1' DAY
INTERVAL '1-2' YEAR TO MONTH
dt IS NULL
coalesce(dt, DATE'1970-01-01')
coalesce(ts, dt)
greatest(dt, DATE'2000-01-01')
greatest(dt, ts)
if(n > 1, dt, ts)
current_date() > DATE'2024-01-01'
current_date = current_date()
datediff(curdate(), current_date())
now() > TIMESTAMP'2024-01-01 00:00:00Z'
current_timestamp() >= ts
year(current_date()) > 2000
