// Elements out of text and attributes. Nothing here takes markup: whatever comes from data is text.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function button(label, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, label);
}

export function table(columns, rows, onrow) {
  const head = h("tr", {}, columns.map((name) => h("th", { scope: "col" }, name)));
  const body = rows.map((row) => {
    const cells = row.map((cell) => h("td", {}, cellContent(cell)));
    if (!onrow) return h("tr", {}, cells);
    const open = () => onrow(row);
    const onkeydown = (event) => event.key === "Enter" && open();
    return h("tr", { class: "link", tabindex: "0", onclick: open, onkeydown }, cells);
  });
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, head), h("tbody", {}, body)));
}

export function cellContent(cell) {
  if (cell === null || cell === undefined) return h("span", { class: "null" }, "NULL");
  if (Array.isArray(cell)) return `${cell[0]}…`;
  return cell instanceof Node ? cell : String(cell);
}

// A row of views of one thing, of which one is shown. `views`: {title: () => element or a promise}.
export function tabs(views, first) {
  const panel = h("div", { class: "panel", role: "tabpanel" });
  const names = Object.keys(views);
  const bar = h("div", { class: "tabs", role: "tablist" });
  const select = (name) => {
    for (const tab of bar.children) tab.setAttribute("aria-selected", String(tab.dataset.name === name));
    show(panel, views[name]);
  };
  for (const name of names) {
    const tab = button(name, () => select(name), { role: "tab" });
    tab.dataset.name = name;
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) bar.children[(names.indexOf(name) + step + names.length) % names.length].focus();
    });
    bar.append(tab);
  }
  select(first ?? names[0]);
  return Object.assign(h("div", { class: "tabbed" }, bar, panel), { select });
}

// What a view gives, as soon as it is there; an error in its words.
export async function show(place, view) {
  const turn = (place.turn = (place.turn ?? 0) + 1);
  place.replaceChildren(h("p", { class: "quiet", role: "status" }, "Loading…"));
  let content;
  try {
    content = await view();
  } catch (error) {
    content = errorBox(error);
  }
  if (place.turn === turn) place.replaceChildren(content);
}

export function errorBox(error) {
  const place = error.line ? `line ${error.line}:${error.column}: ` : "";
  return h("div", { class: "error", role: "alert" },
    h("strong", {}, error.code ?? "ERROR"), h("p", {}, `${place}${error.message}`),
    error.hint && h("p", { class: "hint" }, error.hint));
}

export function dialog(title, content) {
  const box = h("dialog", { "aria-label": title },
    h("header", {}, h("h2", {}, title), button("Close", () => box.close())), content);
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}

// A time in the zone of the browser; UTC when one points at it.
export function moment(text) {
  if (!text) return "";
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return text;
  return h("time", { datetime: time.toISOString(), title: time.toISOString() }, time.toLocaleString());
}

export function duration(milliseconds) {
  const ms = Number(milliseconds);
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export function count(number) {
  return Number(number).toLocaleString();
}

export function bytes(number) {
  let value = Number(number);
  for (const unit of ["B", "KB", "MB", "GB", "TB"]) {
    if (value < 1024 || unit === "TB") return `${value < 10 && unit !== "B" ? value.toFixed(1) : Math.round(value)} ${unit}`;
    value /= 1024;
  }
  return "";
}
