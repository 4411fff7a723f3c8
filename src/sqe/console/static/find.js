// Find a table, and everything there is to know of it that the user may know.

import { lookUp, tableName } from "/static/api.js";
import { button, bytes, count, h, moment, show, table, tabs } from "/static/dom.js";
import { everything } from "/static/names.js";
import { openInAsk } from "/static/ask.js";
import { tableAddress, treeOf } from "/static/tree.js";

const MOST = 200;

export function findPage() {
  const place = h("section", { class: "found" });
  const search = h("input", { type: "search", placeholder: "Search names of tables and columns", "aria-label": "Search" });
  search.addEventListener("input", () => (search.value.trim() ? show(place, () => searchView(search.value.trim())) : welcome(place)));
  const side = h("div", { class: "names" });
  show(side, () => treeOf({ ontable: (...names) => (location.hash = tableAddress(...names)) }));
  const element = h("div", { class: "ask" }, h("aside", { class: "side", "aria-label": "Names" }, search, side), place);
  welcome(place);
  return {
    element,
    open(names) {
      if (names.length === 3) show(place, () => tableView(...names));
    },
  };
}

function welcome(place) {
  place.replaceChildren(h("p", { class: "empty" }, "Choose a table on the left, or search for a name. You see what you may see."));
}

async function searchView(text) {
  const wanted = text.toLowerCase();
  const hits = [];
  for (const { catalog, schema, table: one, columns } of await everything()) {
    const named = `${catalog}.${schema}.${one}`.toLowerCase().includes(wanted);
    const inside = columns.filter((column) => column.toLowerCase().includes(wanted));
    if (named || inside.length) hits.push([catalog, schema, one, inside.join(", ")]);
  }
  if (!hits.length) return h("p", { class: "empty" }, "Nothing that you may see has such a name.");
  const rows = table(["catalog", "schema", "table", "columns"], hits.slice(0, MOST), ([catalog, schema, one]) => (location.hash = tableAddress(catalog, schema, one)));
  return h("div", {}, h("h2", {}, `${count(hits.length)} with “${text}”`), rows);
}

async function tableView(catalog, schema, one) {
  const full = tableName(catalog, schema, one);
  const ask = (title, sql) => openInAsk(title, sql, true);
  const views = {
    Columns: async () => {
      const rows = await lookUp(`DESCRIBE TABLE ${full}`);
      return table(["column", "type", "comment"], rows.map((row) => [row.col_name, row.data_type, row.comment ?? ""]));
    },
    "What I may": () => policyView(full),
    DDL: async () => h("pre", { tabindex: "0" }, Object.values((await lookUp(`SHOW CREATE TABLE ${full}`))[0])[0]),
    Snapshots: () => snapshotsView(full, ask, one),
    "Branches and tags": async () => {
      const rows = await lookUp(`SELECT name, type, snapshot_id FROM ${full}.refs`);
      return table(["name", "type", "snapshot", ""], rows.map((row) => [row.name, row.type.toLowerCase(), row.snapshot_id,
        button("Read it", () => ask(`${one} ${row.name}`, `SELECT * FROM ${full} VERSION AS OF '${row.name.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}' LIMIT 100`))]));
    },
    Files: async () => {
      const [row] = await lookUp(`SELECT count(*) AS files, sum(record_count) AS rows, sum(file_size_in_bytes) AS bytes FROM ${full}.files`);
      return h("dl", {}, facts({ files: count(row.files), rows: count(row.rows ?? 0), size: bytes(row.bytes ?? 0) }));
    },
    Upkeep: async () => {
      const rows = await lookUp(`SHOW MAINTENANCE FOR ${full}`);
      return rows.length ? table(Object.keys(rows[0]), rows.map(Object.values)) : h("p", { class: "empty" }, "Nothing needs to be done.");
    },
  };
  return h("div", {}, h("h1", {}, one), h("p", { class: "quiet" }, `${catalog}.${schema}`),
    h("p", {}, button("Read 100 rows", () => ask(one, `SELECT * FROM ${full} LIMIT 100`), { class: "primary" }), " ",
      button("Write a query", () => openInAsk(one, `SELECT *\nFROM ${full}\nLIMIT 100`))),
    tabs(views));
}

async function snapshotsView(full, ask, one) {
  const rows = await lookUp(`SELECT committed_at, snapshot_id, operation, summary FROM ${full}.snapshots ORDER BY committed_at DESC LIMIT 500`);
  if (!rows.length) return h("p", { class: "empty" }, "Nothing has been written yet.");
  return table(["when", "snapshot", "what", "rows then", ""], rows.map((row) => [
    moment(row.committed_at), row.snapshot_id, row.operation, total(row.summary),
    button("Read as of then", () => ask(`${one} then`, `SELECT * FROM ${full} VERSION AS OF ${row.snapshot_id} LIMIT 100`)),
  ]));
}

function total(summary) {
  try {
    return count(JSON.parse(summary)["total-records"] ?? 0);
  } catch {
    return "";
  }
}

async function policyView(full) {
  const rows = await lookUp(`SHOW EFFECTIVE POLICY ON ${full}`);
  return h("div", {}, h("p", { class: "quiet" }, "What the rules say about you and this table, and which rule says it."),
    table(Object.keys(rows[0] ?? {}), rows.map(Object.values)));
}

function facts(values) {
  return Object.entries(values).map(([title, value]) => [h("dt", {}, title), h("dd", {}, value)]);
}
