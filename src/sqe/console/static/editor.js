// The editor: CodeMirror with Spark's SQL, our names, and the place of an error.

import * as cm from "/vendor/codemirror/index.js";
import { SQLDialect, PostgreSQL, keywordCompletionSource } from "/vendor/codemirror/index-CGEMhyvn.js";
import { everything, functions } from "/static/names.js";

const KEYWORDS = `add all alter analyze and anti any array as asc at between both by call case cast catalog
change cluster collate column columns comment commit constraint copy create cross cube current database
default delete desc describe distinct distribute drop else end escape except exists explain extended
external false fetch filter first following for format from full function grant group grouping having if in
inner insert intersect interval into is join last lateral left like limit local map matched materialized
merge minus natural no not null nulls of offset on or order outer over overwrite partition partitioned
pivot preceding purge qualify range recursive refresh rename replace reset revoke right rlike rollback
rollup row rows schema select semi session set sets show some sort start table tables tablesample tag
tblproperties temporary then timestamp to transaction true truncate unbounded union unique unpivot update
use using values version view views when where window with`.replace(/\s+/g, " ");
const TYPES = `array bigint binary boolean byte char date decimal double float int integer interval long map
numeric real short smallint string struct timestamp timestamp_ltz timestamp_ntz tinyint varchar variant`.replace(/\s+/g, " ");

const spark = SQLDialect.define({
  ...PostgreSQL.spec, keywords: KEYWORDS, types: TYPES, builtin: "",
  backslashEscapes: true, doubleQuotedStrings: true, identifierQuotes: "`", hashComments: false,
  doubleDollarQuotedStrings: false, charSetCasts: false, plsqlQuotingMechanism: false,
});

async function completeNames(context) {
  const word = context.matchBefore(/[\w`.]*/);
  if (!word || (word.from === word.to && !context.explicit)) return null;
  const path = word.text.replaceAll("`", "").split(".");
  const [all, calls] = await Promise.all([everything(), functions()]);
  const last = path.length - 1;
  const before = path.slice(0, last).join(".").toLowerCase();
  const options = new Map();
  const add = (label, type, detail) => label && options.set(`${type} ${label}`, { label: quoted(label), type, detail });
  const text = context.state.doc.toString().toLowerCase();
  for (const { catalog, schema, table, columns } of all) {
    const full = `${catalog}.${schema}.${table}`.toLowerCase();
    if (!last) {
      add(catalog, "namespace", "catalog");
      add(`${schema}.${table}`, "class", catalog);
      if (text.includes(table.toLowerCase())) for (const column of columns) add(column, "property", table);
    } else if (before === catalog.toLowerCase()) add(schema, "namespace", "schema");
    else if (before === schema.toLowerCase() || before === `${catalog}.${schema}`.toLowerCase()) add(table, "class", "table");
    if (last && (full === before || full.endsWith(`.${before}`) || isAlias(text, table, before))) {
      for (const column of columns) add(column, "property", table);
    }
  }
  if (!last) for (const call of calls) options.set(`f ${call}`, { label: call, type: "function" });
  const from = word.from + word.text.lastIndexOf(".") + 1;
  return { from, options: [...options.values()], validFor: /^[\w`]*$/ };
}

// `FROM orders o`, `JOIN lake.demo.orders AS o`
function isAlias(text, table, alias) {
  const escape = (part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`${escape(table.toLowerCase())}\`?\\s+(?:as\\s+)?${escape(alias)}\\b`).test(text);
}

function quoted(label) {
  return label.split(".").map((part) => (/^[A-Za-z_]\w*$/.test(part) ? part : "`" + part.replaceAll("`", "``") + "`")).join(".");
}

const markError = cm.StateEffect.define();
const errorMark = cm.StateField.define({
  create: () => cm.Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(markError)) return effect.value === null ? cm.Decoration.none : cm.Decoration.set([cm.Decoration.mark({ class: "wrong" }).range(...effect.value)]);
    }
    return transaction.docChanged ? cm.Decoration.none : marks;
  },
  provide: (field) => cm.EditorView.decorations.from(field),
});

export function makeEditor(text, { onchange, onrun, onrunall }) {
  const nonce = document.querySelector("meta[name=style-nonce]").content;
  const dark = new cm.Compartment();
  const colours = () => (document.documentElement.dataset.theme === "dark" ? cm.oneDark : []);
  const view = new cm.EditorView({
    doc: text,
    extensions: [
      cm.Prec.highest(cm.keymap.of([
        { key: "Mod-Enter", run: () => (onrun(), true) },
        { key: "Mod-Shift-Enter", run: () => (onrunall(), true) },
      ])),
      cm.EditorView.cspNonce.of(nonce), cm.basicSetup, cm.keymap.of([cm.indentWithTab]),
      new cm.LanguageSupport(spark.language, [
        spark.language.data.of({ autocomplete: completeNames }),
        spark.language.data.of({ autocomplete: keywordCompletionSource(spark, true) }),
      ]),
      errorMark, dark.of(colours()), cm.EditorView.lineWrapping,
      cm.EditorView.contentAttributes.of({ "aria-label": "SQL" }),
      cm.EditorView.updateListener.of((update) => update.docChanged && onchange(update.state.doc.toString())),
    ],
  });
  document.addEventListener("theme", () => view.dispatch({ effects: dark.reconfigure(colours()) }));
  return {
    element: view.dom,
    focus: () => view.focus(),
    text: () => view.state.doc.toString(),
    replace: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    insert: (piece) => view.dispatch(view.state.replaceSelection(piece)),
    statements: () => statementsOf(view.state),
    selected: () => selectedStatements(view.state),
    beginRun: () => {
      view.contentDOM.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" })); // closes the list of names
      view.dispatch({ effects: markError.of(null) });
    },
    // The error by the lines of the sheet, of which its statement is a part.
    inSheet: (statement, error) => {
      if (!error.line) return error;
      const from = offsetOf(view.state, statement, error);
      const line = view.state.doc.lineAt(from);
      return { ...error, line: line.number, column: from - line.from + 1, message: error.message };
    },
    showError: (statement, error) => view.dispatch({ effects: markError.of(placeOf(view.state, statement, error)) }),
  };
}

// What SQL's own grammar takes for statements: semicolons in texts and comments do not count.
function statementsOf(state) {
  const tree = cm.ensureSyntaxTree(state, state.doc.length, 2000) ?? cm.syntaxTree(state);
  const found = [];
  for (let node = tree.topNode.firstChild; node; node = node.nextSibling) {
    if (node.name !== "Statement") continue;
    const text = state.sliceDoc(node.from, node.to).replace(/;\s*$/, "");
    if (text.trim()) found.push({ from: node.from, to: node.to, text });
  }
  return found;
}

function selectedStatements(state) {
  const { from, to, empty } = state.selection.main;
  if (!empty) return [{ from, to, text: state.sliceDoc(from, to).replace(/;\s*$/, "") }];
  const all = statementsOf(state);
  const at = all.find((statement) => from <= statement.to) ?? all.at(-1);
  return at ? [at] : [];
}

// Where in the sheet something is that the server says by line and column of the statement.
function offsetOf(state, statement, { line, column }) {
  const lines = statement.text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return Math.min(statement.from + before + column - 1, state.doc.length);
}

function placeOf(state, statement, error) {
  if (!error.line) return null;
  const from = offsetOf(state, statement, error);
  const word = /^(?:\w+|`[^`]*`|\S)/.exec(state.sliceDoc(from, from + 200));
  return word ? [from, from + word[0].length] : null;
}
