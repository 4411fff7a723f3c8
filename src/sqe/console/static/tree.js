// Catalogs, schemas, tables: opened as they are looked into.

import { button, errorBox, h } from "/static/dom.js";
import { catalogs, forgetNames, schemas, tables } from "/static/names.js";

export async function treeOf({ onname, ontable }) {
  const refresh = button("Refresh", async () => {
    forgetNames();
    list.replaceChildren(...(await roots(onname, ontable)));
  }, { class: "text" });
  const list = h("ul", { class: "tree", role: "tree", "aria-label": "Catalogs" }, await roots(onname, ontable));
  return h("div", {}, refresh, list);
}

async function roots(onname, ontable) {
  const all = await catalogs();
  return all.map((catalog) => branch(catalog, "catalog", async () =>
    (await schemas(catalog)).map((schema) => branch(schema, "schema", async () =>
      (await tables(catalog, schema)).map((one) => leaf(catalog, schema, one, onname, ontable)))),
  all.length === 1));
}

function branch(title, kind, children, opened = false) {
  const inside = h("ul", { role: "group" });
  const item = h("li", { role: "treeitem", "aria-expanded": "false", class: kind });
  const toggle = async () => {
    const open = item.getAttribute("aria-expanded") !== "true";
    item.setAttribute("aria-expanded", String(open));
    if (!open) return inside.replaceChildren();
    inside.replaceChildren(h("li", { class: "quiet" }, "Loading…"));
    try {
      const found = await children();
      inside.replaceChildren(...(found.length ? found : [h("li", { class: "empty" }, "nothing that you may see")]));
    } catch (error) {
      inside.replaceChildren(h("li", {}, errorBox(error)));
    }
  };
  item.append(button(title, toggle, { class: "text" }), inside);
  if (opened) toggle();
  return item;
}

function leaf(catalog, schema, one, onname, ontable) {
  const full = [catalog, ...schema.split("."), one.name].map(quoted).join(".");
  const act = () => (ontable ? ontable(catalog, schema, one.name) : onname(full));
  const title = ontable ? "Look at it" : "Put its name into the editor";
  const look = ontable ? null : h("a", { href: tableAddress(catalog, schema, one.name), title: "Look at it", "aria-label": `Look at ${one.name}` }, "›");
  return h("li", { role: "treeitem", class: one.view ? "view" : "table" }, button(one.name, act, { class: "text", title }), look);
}

export function tableAddress(...names) {
  return `#/find/${names.map(encodeURIComponent).join("/")}`;
}

function quoted(part) {
  return /^[A-Za-z_]\w*$/.test(part) ? part : "`" + part.replaceAll("`", "``") + "`";
}
