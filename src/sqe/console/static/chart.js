// A chart of a result, chosen by its types; anybody may choose another one.

import { echarts } from "/vendor/echart/index.js";
import { call } from "/static/api.js";
import { button, errorBox, h } from "/static/dom.js";
import { NUMBER, TIME } from "/static/types.js";

const MOST_ROWS = 10_000;
const KINDS = ["bar", "line", "area", "scatter", "pie", "number"];

export function chartView(state) {
  const place = h("div", { class: "chart" });
  draw(place, state).catch((error) => place.replaceChildren(errorBox(error)));
  return place;
}

async function draw(place, state) {
  const { rows } = await call("GET", `/api/runs/${state.id}/rows?start=0&count=${MOST_ROWS}`);
  const numbers = state.columns.flatMap(([, type], at) => (NUMBER.test(type) ? [at] : []));
  if (!rows.length || !numbers.length) {
    place.replaceChildren(h("p", { class: "empty" }, "A chart needs rows with a column of numbers."));
    return;
  }
  const first = firstChoice(state.columns, rows, numbers);
  const title = (at) => state.columns[at][0];
  const option = (at, chosen) => h("option", { value: String(at), selected: at === chosen }, title(at));
  const kind = h("select", { "aria-label": "Kind of chart" }, KINDS.map((one) => h("option", { selected: one === first.kind }, one)));
  const x = h("select", { "aria-label": "Along" }, state.columns.map((_, at) => option(at, first.x)));
  const y = h("select", { "aria-label": "Values", multiple: true, size: Math.min(4, numbers.length) }, numbers.map((at) => h("option", { value: String(at), selected: first.y.includes(at) }, title(at))));
  const canvas = h("div", { class: "canvas", role: "img", "aria-label": "Chart of the result" });
  place.replaceChildren(
    h("div", { class: "choices" }, kind, h("label", {}, "along ", x), h("label", {}, "values ", y),
      button("Download PNG", () => savePicture(chart)),
      rows.length < state.rows && h("span", { class: "quiet" }, `the first ${MOST_ROWS.toLocaleString()} rows`)),
    canvas);
  let chart = null;
  const redraw = () => {
    const values = [...y.selectedOptions].map((one) => Number(one.value));
    chart?.dispose();
    chart = echarts.init(canvas, document.documentElement.dataset.theme === "dark" ? "dark" : null, { renderer: "canvas" });
    chart.setOption(optionsOf(kind.value, Number(x.value), values, state.columns, rows));
  };
  for (const choice of [kind, x, y]) choice.addEventListener("change", redraw);
  document.addEventListener("theme", () => canvas.isConnected && redraw());
  new ResizeObserver(() => chart?.resize()).observe(canvas);
  redraw();
}

function firstChoice(columns, rows, numbers) {
  const varies = (at) => new Set(rows.slice(0, 1000).map((row) => String(row[at]))).size > 1;
  const named = columns.findIndex(([, type], at) => !NUMBER.test(type) && varies(at));
  const x = named >= 0 ? named : numbers[0];
  const isTime = TIME.test(columns[x][1]);
  const others = numbers.filter((at) => at !== x);
  const y = (others.length ? others : numbers).slice(0, 3);
  if (rows.length === 1 && columns.length === 1) return { kind: "number", x, y };
  if (isTime) return { kind: "line", x, y };
  return { kind: named >= 0 ? "bar" : numbers.length > 1 ? "scatter" : "line", x, y };
}

function optionsOf(kind, x, ys, columns, given) {
  const isTime = TIME.test(columns[x][1]); // ISO texts: their order is that of the times
  const rows = isTime ? given.toSorted((a, b) => String(a[x]).localeCompare(String(b[x]))) : given;
  const label = (row) => (row[x] === null ? "NULL" : Array.isArray(row[x]) ? row[x][0] : row[x]);
  const value = (row, at) => (row[at] === null ? null : Number(row[at]));
  const common = {
    animation: false, backgroundColor: "transparent", tooltip: { trigger: kind === "pie" || kind === "scatter" ? "item" : "axis", renderMode: "richText" },
    legend: { show: ys.length > 1 || kind === "pie", type: "scroll" }, grid: { left: 24, right: 60, top: 40, bottom: 60, containLabel: true },
  };
  if (kind === "number") {
    const text = ys.map((at) => `${columns[at][0]}\n${rows[0][at]}`).join("\n\n");
    return { ...common, title: { text, left: "center", top: "middle", textStyle: { fontSize: 36 } } };
  }
  if (kind === "pie") {
    return { ...common, series: ys.slice(0, 1).map((at) => ({ type: "pie", radius: "65%", name: columns[at][0], data: rows.slice(0, 200).map((row) => ({ name: label(row), value: value(row, at) })) })) };
  }
  if (kind === "scatter" && NUMBER.test(columns[x][1])) {
    return { ...common, xAxis: { type: "value", name: columns[x][0], scale: true }, yAxis: { type: "value", scale: true }, series: ys.map((at) => ({ type: "scatter", name: columns[at][0], data: rows.map((row) => [value(row, x), value(row, at)]) })) };
  }
  const type = kind === "area" ? "line" : kind;
  return {
    ...common, xAxis: { type: "category", name: columns[x][0], data: rows.map(label) }, yAxis: { type: "value" },
    dataZoom: rows.length > 60 ? [{ type: "inside" }, { type: "slider" }] : [],
    series: ys.map((at) => ({ type, name: columns[at][0], areaStyle: kind === "area" ? {} : undefined, showSymbol: rows.length < 100, large: true, data: rows.map((row) => value(row, at)) })),
  };
}

function savePicture(chart) {
  const background = getComputedStyle(document.body).backgroundColor;
  h("a", { href: chart.getDataURL({ pixelRatio: 2, backgroundColor: background }), download: "chart.png" }).click();
}
