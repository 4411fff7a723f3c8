// What runs and what has run: one's own statements; for administrators, everybody's.

import { lookUp } from "/static/api.js";
import { button, bytes, cellContent, count, duration, errorBox, h, moment, show, table } from "/static/dom.js";
import { openInAsk } from "/static/ask.js";

const EVERY_MS = 3000;
const STATES = ["", "QUEUED", "PLANNING", "RUNNING", "FINISHED", "FAILED", "CANCELLED"];
const LIST = "SELECT query_id, state, `user`, engine, source, created, elapsed_time_ms, rows, query " +
  "FROM system.history.queries WHERE source NOT LIKE '%sqe-console-pages%'";

export function watchPage() {
  const place = h("section", { class: "found" });
  const state = h("select", { "aria-label": "State" }, STATES.map((one) => h("option", { value: one }, one ? one.toLowerCase() : "any state")));
  const user = h("input", { placeholder: "user", "aria-label": "User" });
  const text = h("input", { placeholder: "text", "aria-label": "Text of the statement" });
  const listed = h("div", {});
  let timer = 0;

  async function list() {
    const conditions = [];
    const values = [];
    const add = (condition, value) => value && (conditions.push(condition), values.push(value));
    add(" AND state = ?", state.value);
    add(" AND `user` = ?", user.value.trim());
    add(" AND contains(lower(query), ?)", text.value.trim().toLowerCase());
    const rows = await lookUp(`${LIST}${conditions.join("")} ORDER BY created DESC LIMIT 200`, values);
    if (!rows.length) return h("p", { class: "empty" }, "No statement that you may see is like that.");
    return table(["state", "user", "engine", "began", "took", "rows", "statement"], rows.map((row) => Object.assign([
      h("span", { class: `state ${row.state.toLowerCase()}` }, row.state.toLowerCase()), row.user, row.engine ?? "", moment(row.created),
      duration(row.elapsed_time_ms ?? 0), row.rows === null ? "" : count(row.rows), row.query.slice(0, 300)], { id: row.query_id })),
    (row) => (location.hash = `#/watch/${encodeURIComponent(row.id)}`));
  }

  async function refresh() {
    if (!listed.isConnected || document.hidden) return;
    try {
      listed.replaceChildren(await list());
    } catch (error) {
      listed.replaceChildren(errorBox(error));
    }
  }

  for (const field of [state, user, text]) field.addEventListener("input", refresh);
  const overview = h("div", {}, h("div", { class: "choices" }, state, user, text), listed);
  return {
    element: place,
    open([id]) {
      clearInterval(timer);
      if (id) return show(place, () => queryView(id));
      place.replaceChildren(overview);
      show(listed, list);
      timer = setInterval(refresh, EVERY_MS);
    },
  };
}

async function queryView(id) {
  const [row] = await lookUp("SELECT * FROM system.history.queries WHERE query_id = ?", [id]);
  if (!row) return h("p", { class: "empty" }, "There is no such query, or it is not yours to see.");
  const running = !["FINISHED", "FAILED", "CANCELLED"].includes(row.state);
  const shown = Object.entries(row).filter(([key, value]) => value !== null && !["query", "query_id", "error_message"].includes(key));
  const result = h("div", { "aria-live": "polite" });
  const kill = async () => {
    try {
      await lookUp(`KILL QUERY '${id.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`);
      result.replaceChildren(h("p", {}, "It was told to end."));
    } catch (error) {
      result.replaceChildren(errorBox(error));
    }
  };
  return h("div", {}, h("p", {}, h("a", { href: "#/watch" }, "All statements")), h("h1", {}, `Query ${id}`),
    h("pre", { tabindex: "0" }, row.query),
    h("p", {}, button("Open in a sheet", () => openInAsk(undefined, row.query)), " ", running && button("End it", kill)), result,
    row.error_message && errorBox({ code: row.error_code, message: row.error_message }),
    h("dl", {}, shown.map(([key, value]) => [h("dt", {}, key.replaceAll("_", " ")), h("dd", {}, told(key, value))])));
}

function told(key, value) {
  if (["created", "started", "end"].includes(key)) return moment(value);
  if (key.endsWith("_ms")) return duration(value);
  if (key.startsWith("bytes")) return bytes(value);
  return cellContent(value);
}
