// Where people write SQL and see answers. What is in the tabs is kept in this browser.

import { call, lookUp, run } from "/static/api.js";
import { button, count, duration, errorBox, h, moment, show } from "/static/dom.js";
import { makeEditor } from "/static/editor.js";
import { resultView } from "/static/results.js";
import { treeOf } from "/static/tree.js";

const KEEP = "sqe-tabs";
let pending = null; // text that another page wants in a new tab

export function openInAsk(title, text, runNow = false) {
  pending = { title, text, runNow };
  location.hash = "#/ask";
}

export function askPage() {
  const sheets = [];
  let active = null;
  const tabBar = h("div", { class: "sheets", role: "tablist", "aria-label": "Sheets" });
  const work = h("section", { class: "work" });
  const side = h("aside", { class: "side", "aria-label": "Names" });
  const element = h("div", { class: "ask" }, side, h("div", { class: "desk" }, tabBar, work));

  const save = () => localStorage.setItem(KEEP, JSON.stringify({
    sheets: sheets.map(({ title, text }) => ({ title, text })), active: sheets.indexOf(active) }));

  function add(title, text) {
    const sheet = makeSheet(title ?? `Sheet ${sheets.length + 1}`, text ?? "", save);
    sheets.push(sheet);
    select(sheet);
    return sheet;
  }

  function select(sheet) {
    active = sheet;
    work.replaceChildren(sheet.element);
    drawTabs();
    save();
  }

  function close(sheet) {
    sheet.close();
    sheets.splice(sheets.indexOf(sheet), 1);
    if (sheets.length) select(sheets.includes(active) ? active : sheets.at(-1));
    else add();
  }

  function drawTabs() {
    tabBar.replaceChildren(
      ...sheets.map((sheet) => h("span", { class: "sheet" },
        button(sheet.title, () => select(sheet), { role: "tab", "aria-selected": String(sheet === active), ondblclick: () => rename(sheet) }),
        button("×", () => close(sheet), { "aria-label": `Close ${sheet.title}`, class: "quiet" }))),
      button("+", () => add(), { "aria-label": "New sheet", title: "New sheet" }));
  }

  function rename(sheet) {
    sheet.title = prompt("Name of the sheet", sheet.title)?.slice(0, 60) || sheet.title;
    drawTabs();
    save();
  }

  const kept = readKept();
  for (const { title, text } of kept.sheets) add(title, text);
  if (!sheets.length) add("Sheet 1", "");
  select(sheets[kept.active] ?? sheets[0]);
  fillSide(side, (text) => active.insert(text));
  return {
    element,
    open() {
      if (pending) {
        const { title, text, runNow } = pending;
        pending = null;
        const sheet = add(title, text);
        if (runNow) sheet.run();
      }
      active.focus();
    },
  };
}

function readKept() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEEP));
    if (Array.isArray(kept?.sheets)) return kept;
  } catch {
    // nothing that could be read
  }
  return { sheets: [], active: 0 };
}

function fillSide(side, insert) {
  const place = h("div", { class: "names" });
  const views = { Names: () => treeOf({ onname: insert }), History: () => historyView() };
  const bar = h("div", { class: "tabs", role: "tablist" });
  for (const [key, view] of Object.entries(views)) {
    bar.append(button(key, () => {
      for (const tab of bar.children) tab.setAttribute("aria-selected", String(tab.textContent === key));
      show(place, view);
    }, { role: "tab" }));
  }
  side.append(bar, place);
  bar.firstChild.click();
}

async function historyView() {
  const rows = await lookUp(
    "SELECT query_id, state, query, created, elapsed_time_ms FROM system.history.queries " +
    "WHERE source NOT LIKE '%sqe-console-pages%' AND `user` = current_user() ORDER BY created DESC LIMIT 100");
  if (!rows.length) return h("p", { class: "empty" }, "What you run is listed here.");
  return h("ul", { class: "history" }, rows.map((row) => h("li", {},
    button(row.query.slice(0, 200), () => openInAsk(undefined, row.query), { class: "text", title: "Open in a new sheet" }),
    h("small", { class: "quiet" }, moment(row.created), ` · ${row.state.toLowerCase()} · ${duration(row.elapsed_time_ms ?? 0)}`))));
}

function makeSheet(title, text, save) {
  const answers = h("div", { class: "answers", "aria-live": "polite" });
  answers.append(h("p", { class: "empty" }, "Write SQL and press Ctrl+Enter. Names are completed as you type."));
  let shown = []; // runs whose rows are on the page
  let current = null;
  const sheet = { title, text };
  const editor = makeEditor(text, {
    onchange: (next) => ((sheet.text = next), save()),
    onrun: () => runAll(editor.selected()),
    onrunall: () => runAll(editor.statements()),
  });
  const start = button("Run", () => runAll(editor.selected()), { class: "primary", title: "Ctrl+Enter" });
  const all = button("Run all", () => runAll(editor.statements()), { title: "Ctrl+Shift+Enter" });
  const stop = button("Cancel", () => current?.cancel(), { disabled: true });
  const plan = button("Explain", () => runAll(editor.selected().map((one) => ({ ...one, text: `EXPLAIN ${one.text}`, shift: 8 }))));
  const analyze = button("Analyze", () => runAll(editor.selected().map((one) => ({ ...one, text: `EXPLAIN ANALYZE ${one.text}`, shift: 16 }))), { title: "Runs it, and says what each part took" });

  async function runAll(statements) {
    if (current || !statements.length) return;
    for (const old of shown) old.forget();
    shown = [];
    answers.replaceChildren();
    editor.beginRun();
    start.disabled = all.disabled = plan.disabled = analyze.disabled = true;
    stop.disabled = false;
    for (const statement of statements) {
      const box = h("article", { class: "answer" });
      answers.append(box);
      if (!(await runOne(statement, box, statements.length > 1))) break;
    }
    current = null;
    start.disabled = all.disabled = plan.disabled = analyze.disabled = false;
    stop.disabled = true;
  }

  async function runOne(statement, box, several) {
    const line = h("p", { class: "progress", role: "status" }, "Starting…");
    const caption = several ? [h("pre", { class: "caption" }, statement.text.trim().slice(0, 200))] : [];
    box.replaceChildren(...caption, line);
    const began = performance.now();
    current = run(statement.text, (state) => line.replaceChildren(progressOf(state)));
    const timer = setInterval(() => line.dataset.state || line.replaceChildren(`Starting… ${duration(performance.now() - began)}`), 500);
    shown.push(current);
    let state;
    try {
      state = await current.ended;
    } catch (error) {
      state = { error, seconds: 0, rows: 0 };
    } finally {
      clearInterval(timer);
    }
    line.replaceChildren(summaryOf(state));
    if (state.error) {
      const error = shifted(state.error, statement.shift);
      editor.showError(statement, error);
      box.replaceChildren(...caption, line, errorBox(editor.inSheet(statement, error)));
      box.scrollIntoView({ block: "nearest" });
    } else if (state.columns) {
      box.replaceChildren(...caption, line, isPlan(state) ? await planView(state) : resultView(state));
    }
    return !state.error;
  }

  sheet.element = h("div", { class: "split" },
    h("div", { class: "toolbar" }, start, all, stop, plan, analyze), editor.element, answers);
  sheet.focus = () => editor.focus();
  sheet.insert = (piece) => (editor.insert(piece), editor.focus());
  sheet.run = () => runAll(editor.statements());
  sheet.close = () => {
    current?.cancel();
    for (const old of shown) old.forget();
  };
  return sheet;
}

// The place of an error counts in what was sent; the page shows what was written.
function shifted(error, by = 0) {
  return by && error.line === 1 ? { ...error, message: error.message, column: error.column - by } : error;
}

function progressOf(state) {
  const parts = [state.state];
  if (state.engine) parts.push(`on ${state.engine}`);
  if (state.phase) parts.push(state.phase);
  if (state.tasks[1]) parts.push(`${state.tasks[0]} of ${state.tasks[1]} tasks`, `stage ${state.stages[0]} of ${state.stages[1]}`);
  if (state.rows) parts.push(`${count(state.rows)} rows`);
  parts.push(duration(state.seconds * 1000));
  const words = h("span", {}, parts.join(" · "));
  return state.fraction === null ? words : h("span", {}, h("progress", { max: 1, value: state.fraction }), " ", words);
}

function summaryOf(state) {
  const changed = Object.entries(state.affected ?? {}).map(([what, many]) => `${count(many)} rows ${what}`);
  const engine = state.engine ? ` on ${state.engine}` : "";
  const verb = state.error ? (state.error.code === "CANCELLED" ? "Cancelled" : "Failed") : "Done";
  return [`${verb}${engine} in ${duration(state.seconds * 1000)}`, ...changed].join(" · ");
}

function isPlan(state) {
  return state.columns.length === 1 && /^(plan|query plan)$/i.test(state.columns[0][0]);
}

async function planView(state) {
  const { rows } = await call("GET", `/api/runs/${state.id}/rows?start=0&count=1000`);
  const text = rows.map(([cell]) => (Array.isArray(cell) ? cell[0] : cell)).join("\n");
  return h("pre", { class: "plan", tabindex: "0" }, text);
}
