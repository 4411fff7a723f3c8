// Spark's types by their names, as far as the page treats them differently.

export const NUMBER = /^(tinyint|smallint|int|bigint|float|double|decimal)/;
export const TIME = /^(date|timestamp)/;
export const NESTED = /^(array|map|struct|variant)/;
