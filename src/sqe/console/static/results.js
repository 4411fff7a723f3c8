// The rows of a statement: a grid that asks for them as they are looked at, a chart, downloads.

import { AllCommunityModule, ModuleRegistry, colorSchemeDark, colorSchemeLight, createGrid, themeQuartz } from "/vendor/aggrid/index.js";
import { call } from "/static/api.js";
import { button, cellContent, count, dialog, h } from "/static/dom.js";
import { chartView } from "/static/chart.js";
import { NESTED, NUMBER } from "/static/types.js";

ModuleRegistry.registerModules([AllCommunityModule]);
const PAGE = 200;
const FORMATS = ["csv", "parquet", "arrow", "json"];

class TypedHeader {
  init({ displayName, type }) {
    this.element = h("span", { class: "typed" }, h("span", {}, displayName), h("small", {}, type));
  }
  getGui() {
    return this.element;
  }
}

class Cell {
  init({ value }) {
    this.element = h("span", {}, cellContent(value));
  }
  getGui() {
    return this.element;
  }
  refresh({ value }) {
    this.element.replaceChildren(cellContent(value));
    return true;
  }
}

export function resultView(state) {
  const place = h("div", { class: "result" });
  const pages = { Rows: () => gridOf(state), Chart: () => chartView(state) };
  const bar = h("div", { class: "bar" });
  const body = h("div", { class: "body" });
  const select = (key) => {
    for (const tab of bar.querySelectorAll("[role=tab]")) tab.setAttribute("aria-selected", String(tab.textContent === key));
    body.replaceChildren(pages[key]());
  };
  bar.append(
    h("span", { role: "tablist", class: "tabs" }, Object.keys(pages).map((key) => button(key, () => select(key), { role: "tab" }))),
    h("span", { class: "quiet" }, `${count(state.rows)} ${state.rows === 1 ? "row" : "rows"}${state.cut ? " (cut: the console keeps no more)" : ""}`),
    h("span", { class: "downloads" }, "Download ", FORMATS.map((format) =>
      h("a", { href: `/api/runs/${state.id}/download?format=${format}`, download: `result.${format}` }, format))));
  place.append(bar, body);
  select("Rows");
  return place;
}

function gridOf(state) {
  const nonce = document.querySelector("meta[name=style-nonce]").content;
  const element = h("div", { class: "grid" });
  const theme = () => themeQuartz.withPart(document.documentElement.dataset.theme === "dark" ? colorSchemeDark : colorSchemeLight)
    .withParams({ fontFamily: "inherit", fontSize: 13, headerFontSize: 13, rowHeight: 28, headerHeight: 40, wrapperBorderRadius: 0 });
  const columnDefs = [
    { headerName: "", colId: "row", valueGetter: ({ node }) => (node.data ? node.rowIndex + 1 : ""), width: 70, pinned: "left", sortable: false, cellClass: "quiet number" },
    ...state.columns.map(([title, type], at) => ({
      headerName: title, colId: String(at), valueGetter: ({ data }) => data?.[at], cellRenderer: Cell,
      headerComponentParams: { innerHeaderComponent: TypedHeader, innerHeaderComponentParams: { type } },
      cellClass: NUMBER.test(type) ? "number" : "", cellDataType: false, minWidth: 90,
      sortable: !NESTED.test(type), comparator: () => 0,
    })),
  ];
  const datasource = {
    rowCount: state.rows,
    async getRows({ startRow, endRow, sortModel, successCallback, failCallback }) {
      const [order] = sortModel;
      const sort = order ? `&sort=${order.colId}&direction=${order.sort}` : "";
      try {
        const { rows, total } = await call("GET", `/api/runs/${state.id}/rows?start=${startRow}&count=${endRow - startRow}${sort}`);
        successCallback(rows, total);
      } catch {
        failCallback();
      }
    },
  };
  const api = createGrid(element, {
    columnDefs, datasource, rowModelType: "infinite", cacheBlockSize: PAGE, maxBlocksInCache: 20,
    theme: theme(), rowHeight: 28, styleNonce: nonce, enableCellTextSelection: true, ensureDomOrder: true, suppressDragLeaveHidesColumns: true,
    autoSizeStrategy: { type: "fitCellContents" }, rowBuffer: 20,
    onCellDoubleClicked: ({ node, column, value }) => openCell(state, api, node.rowIndex, Number(column.getColId()), value),
  });
  document.addEventListener("theme", () => api.isDestroyed() || api.setGridOption("theme", theme()));
  return element;
}

async function openCell(state, api, row, column, value) {
  if (value === null || value === undefined || Number.isNaN(column)) return;
  const sorted = api.getColumnState().some((one) => one.sort);
  const whole = Array.isArray(value) && !sorted ? await call("GET", `/api/runs/${state.id}/cell?row=${row}&column=${column}`) : Array.isArray(value) ? `${value[0]}…` : value;
  const [title, type] = state.columns[column];
  dialog(`${title} · ${type}`, h("pre", { tabindex: "0" }, NESTED.test(type) ? indented(whole) : whole));
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
