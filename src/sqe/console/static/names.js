// The names of everything the user may see: for the tree, the search and completion.

import { lookUp, name } from "/static/api.js";

const cache = new Map();

function once(key, read) {
  if (!cache.has(key)) cache.set(key, read().catch((error) => (cache.delete(key), Promise.reject(error))));
  return cache.get(key);
}

export function forgetNames() {
  cache.clear();
}

export function catalogs() {
  return once("catalogs", async () => (await lookUp("SHOW CATALOGS")).map((row) => row.catalog));
}

export function schemas(catalog) {
  return once(`schemas ${catalog}`, async () =>
    (await lookUp(`SHOW SCHEMAS IN ${name(catalog)}`)).map((row) => row.namespace));
}

export function tables(catalog, schema) {
  return once(`tables ${catalog} ${schema}`, async () => {
    const from = `${name(catalog)}.information_schema.tables`;
    const rows = await lookUp(
      `SELECT table_name, table_type FROM ${from} WHERE table_schema = ? ORDER BY table_name`, [schema]);
    return rows.map((row) => ({ name: row.table_name, view: row.table_type !== "BASE TABLE" }));
  });
}

// Every column of every table: [{catalog, schema, table, columns: [..]}].
export function everything() {
  return once("everything", async () => {
    const found = new Map();
    for (const catalog of await catalogs()) {
      const from = `${name(catalog)}.information_schema.columns`;
      const rows = await lookUp(`SELECT table_schema, table_name, column_name FROM ${from} ORDER BY 1, 2, ordinal_position`).catch(() => []);
      for (const row of rows) {
        const key = [catalog, row.table_schema, row.table_name].join("\0");
        if (!found.has(key)) found.set(key, { catalog, schema: row.table_schema, table: row.table_name, columns: [] });
        found.get(key).columns.push(row.column_name);
      }
    }
    return [...found.values()];
  });
}

export function functions() {
  return once("functions", async () => (await lookUp("SHOW FUNCTIONS")).map((row) => row.function));
}
