// Begins here: who is there, which page is shown, light or dark.

import { call, onLoginEnded } from "/static/api.js";
import { button, errorBox, h, dialog } from "/static/dom.js";
import { loginPage } from "/static/login.js";
import { askPage } from "/static/ask.js";
import { findPage } from "/static/find.js";
import { watchPage } from "/static/watch.js";

// Nothing in this page is made of markup. Libraries may clear an element that way, and no more.
globalThis.trustedTypes?.createPolicy("default", { createHTML: (text) => (text === "" ? "" : null) });

const PAGES = { ask: ["Ask", askPage], find: ["Find", findPage], watch: ["Watch", watchPage] };
const SHORTCUTS = [
  ["Ctrl+Enter", "run the statement at the cursor, or what is selected"],
  ["Ctrl+Shift+Enter", "run everything"],
  ["Escape", "in the editor, then Tab: leave the editor"],
  ["Alt+1, Alt+2, Alt+3", "Ask, Find, Watch"],
  ["?", "this list"],
];
const root = document.getElementById("app");
const built = new Map(); // pages keep what is in them while another one is shown

function theme() {
  return localStorage.getItem("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function switchTheme() {
  localStorage.setItem("theme", theme() === "dark" ? "light" : "dark");
  document.documentElement.dataset.theme = theme();
  document.dispatchEvent(new CustomEvent("theme"));
}

function showShortcuts() {
  const rows = SHORTCUTS.map(([keys, meaning]) => [h("dt", {}, h("kbd", {}, keys)), h("dd", {}, meaning)]);
  dialog("Keyboard", h("dl", {}, rows));
}

function header(user, page) {
  const link = ([key, [title]]) => h("a", { href: `#/${key}`, "aria-current": key === page ? "page" : false }, title);
  const leave = async () => {
    sessionStorage.setItem("left", "1"); // not let in again unasked, whoever reloads the page first
    await call("POST", "/api/logout").catch(() => {});
    location.hash = "";
    location.reload();
  };
  return h("header", { class: "top" },
    h("a", { class: "brand", href: "#/ask" }, "SQE"),
    h("nav", { "aria-label": "Pages" }, Object.entries(PAGES).map(link)),
    h("span", { class: "who" }, user),
    button("◐", switchTheme, { title: "Light or dark", "aria-label": "Light or dark" }),
    button("?", showShortcuts, { title: "Keyboard", "aria-label": "Keyboard shortcuts" }),
    button("Log out", leave));
}

function route(user) {
  const [page, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const key = page in PAGES ? page : "ask";
  if (!built.has(key)) built.set(key, PAGES[key][1](user));
  const shown = built.get(key);
  root.replaceChildren(header(user, key), h("main", {}, shown.element));
  document.title = `${PAGES[key][0]} · SQE`;
  shown.open?.(rest);
}

async function begin() {
  document.documentElement.dataset.theme = theme();
  let me;
  try {
    me = await call("GET", "/api/me");
    if (!me.user && me.anybody && !me.issuers.length && !sessionStorage.getItem("left")) {
      me.user = (await call("POST", "/api/login", {})).user;
    }
  } catch (error) {
    root.replaceChildren(h("main", { class: "login" }, errorBox(error), button("Try again", () => location.reload())));
    return;
  }
  if (!me.user) {
    root.replaceChildren(loginPage(me, () => location.reload()));
    return;
  }
  onLoginEnded(() => location.reload());
  addEventListener("hashchange", () => route(me.user));
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, .cm-editor");
    if (event.key === "?" && !typing) showShortcuts();
    const page = event.altKey && Object.keys(PAGES)[Number(event.key) - 1];
    if (page) location.hash = `#/${page}`;
  });
  route(me.user);
}

begin();
